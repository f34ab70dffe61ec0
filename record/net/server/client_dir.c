// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client_dir: the server's directory: makes a directory in it for each client, and counts the bytes
 * of all recordings.
 */
#include "record/net/server/client_dir.h"

#include "base/ascii.h"
#include "base/io.h"


#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_SAME_SECOND 1000 /* directories of one address in one second */
#define MAX_DEPTH 2	     /* DIR/ADDRESS-TIME/trace.dat.zed */
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int servedir_open(const char *name, struct notes *n, struct err *e)
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOTDIR)
		err_set(e, ERR_USAGE, ERR_NO_OFF, "not a directory");
	else if ((fd < 0 && errno != EACCES) || (fd >= 0 && fstat(fd, &st) < 0))
		err_sys(e, ERR_NO_OFF, "cannot keep recordings in it (create it with mkdir)");
	else if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		err_sys(e, ERR_NO_OFF,
			"cannot keep recordings in it (choose another with -D, or give it to the "
			"user of the server: chown)");
	else {
		if (st.st_mode & S_IWOTH)
			note_say(n, NOTE_WARN,
				 "%s: every user may write to this directory, and so move "
				 "recordings away: chmod o-w",
				 name);
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return err_path(e, name);
}

/*
 * Open the directory just made; any other user who may write to DIR can have replaced it.
 */
static int open_made(int dir, const char *name, struct err *e)
{
	int fd = openat(dir, name, OPEN_DIR);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    !(st.st_mode & (S_IRWXG | S_IRWXO)))
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(e, ERR_SYS, ERR_NO_OFF,
		       "%s: another process changed the directory that was created for it", name);
}

int servedir_make(int dir, const char *from, char name[LEDGER_NAME], struct err *e)
{
	char stamp[32], plain[56];
	time_t now = time(NULL);
	struct tm tm;

	snprintf(plain, sizeof(plain), "%.55s", from);
	for (char *p = plain; *p; p++)
		if (!strchr("0123456789abcdefABCDEF.:", *p))
			*p = '_';
	strftime(stamp, sizeof(stamp), "%Y-%m-%d-%H:%M:%S", localtime_r(&now, &tm));
	for (unsigned i = 1; i <= MAX_SAME_SECOND; i++) {
		char more[8] = "";

		if (i > 1)
			snprintf(more, sizeof(more), "-%u", i);
		snprintf(name, LEDGER_NAME, "%s-%s%s", plain, stamp, more);
		if (mkdirat(dir, name, SERVEDIR_MODE) == 0)
			return open_made(dir, name, e);
		if (errno != EEXIST)
			break;
	}
	err_sys(e, ERR_NO_OFF, "cannot create the directory %s", name);
	*name = '\0';
	return -1;
}

int servedir_nameless(int dir, struct err *e)
{
	char name[48];
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, SERVEDIR_FILE);

	if (fd >= 0)
		return fd;
	/* Some file systems have no unnamed files. */
	snprintf(name, sizeof(name), ".zed-metadata.%d", (int)getpid());
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, SERVEDIR_FILE);
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot create a file");
	unlinkat(dir, name, 0);
	return fd;
}

/* ---- bytes in use ---- */

/* Is NAME one that servedir_make() makes? */
static bool is_recording(const char *name)
{
	static const char form[] = "-dddd-dd-dd-dd:dd:dd";
	size_t len = strlen(name), n = sizeof(form) - 1;
	const char *p;

	/* "-2" after it */
	p = strrchr(name, '-');
	if (p && p - name > (ptrdiff_t)n && p[-3] == ':' && p[1] &&
	    strspn(p + 1, "0123456789") == strlen(p + 1))
		len = p - name;
	if (len <= n)
		return false;
	p = name + len - n;
	for (size_t i = 0; i < n; i++)
		if (form[i] == 'd' ? !ascii_digit(p[i]) : p[i] != form[i])
			return false;
	return true;
}

static bool is_living(const struct ledger *l, const char *name)
{
	for (unsigned i = 0; i < LEDGER_PLACES; i++)
		if (*l->places[i].host && !strncmp(l->places[i].dir, name, LEDGER_NAME))
			return true;
	return false;
}

/* Everything in the directory NAME of DIR: bytes on disk, without holes. */
static uint64_t bytes_of(int dir, const char *name, const struct ledger *living, unsigned depth)
{
	DIR *dp = io_folder(dir, name, O_NOFOLLOW);
	int fd = dp ? dirfd(dp) : -1;
	struct dirent *d;
	uint64_t sum = 0;
	struct stat st;

	while (dp && (d = readdir(dp))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, "..") ||
		    fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode) && depth)
			sum += (uint64_t)st.st_blocks * 512;
		else if (S_ISDIR(st.st_mode) && depth < MAX_DEPTH &&
			 (depth || (is_recording(d->d_name) && !is_living(living, d->d_name))))
			sum += bytes_of(fd, d->d_name, living, depth + 1);
	}
	if (dp)
		closedir(dp);
	return sum;
}

uint64_t servedir_bytes(int dir, const struct ledger *living)
{
	return bytes_of(dir, ".", living, 0);
}
