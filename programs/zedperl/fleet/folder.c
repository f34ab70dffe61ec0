// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * folder: where the processes of one zedperl -j leave their results.  It is locked as long as that
 * runs; the next run removes folders whose lock is free.
 */
#include "programs/zedperl/fleet/folder.h"

#include "base/io.h"
#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define NAME "zedperl."
#define RANDOM 6 /* letters that mkdtemp() chooses; mkostemp() as many */
#define LOCK "lock"
#define LOCK_BEGUN "lock.begun" /* until it is locked */
#define BEGUN ".state."
#define JOB "traces-"

/* Remove all entries of the folder FD that WHICH selects. */
static void remove_files(int fd, bool (*which)(void *arg, const char *name), void *arg)
{
	DIR *d = io_folder(fd, ".", 0);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (which(arg, entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	if (d)
		closedir(d);
}

static bool is_of_jobs(void *arg, const char *name)
{
	return !strncmp(name, JOB, strlen(JOB));
}

/* The lock is removed last, so that a half-removed folder is found again. */
static void empty_folder(int fd)
{
	remove_files(fd, is_of_jobs, NULL);
	unlinkat(fd, LOCK_BEGUN, 0);
	unlinkat(fd, LOCK, 0);
}

/* ---- folders of killed runs ---- */

/* A folder shared by several hosts may not share its locks. */
static const char *host(struct utsname *u)
{
	return uname(u) == 0 ? u->nodename : "";
}

/* A descriptor of the lock of the folder FD, if it was left by a run of this user and host. */
static int take_left(int fd)
{
	int lock = openat(fd, LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char name[sizeof(((struct utsname *)0)->nodename) + 1];
	struct utsname u;
	struct stat st;
	ssize_t n;

	if (lock < 0)
		return -1;
	n = pread(lock, name, sizeof(name) - 1, 0);
	name[n > 0 ? n : 0] = 0;
	/* Another may have removed it before it was locked here. */
	if (!strcmp(name, host(&u)) && flock(lock, LOCK_EX | LOCK_NB) == 0 &&
	    fstat(lock, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink)
		return lock;
	close(lock);
	return -1;
}

static void remove_left(int tmp, const char *name)
{
	int fd = openat(tmp, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), lock = -1;
	struct stat st;

	if (fd < 0)
		return;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		lock = take_left(fd);
	if (lock >= 0) {
		empty_folder(fd);
		unlinkat(tmp, name, AT_REMOVEDIR);
		close(lock);
	}
	close(fd);
}

static void remove_all_left(const char *tmp)
{
	DIR *d = opendir(tmp);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (!strncmp(entry->d_name, NAME, strlen(NAME)) &&
		    strlen(entry->d_name) == strlen(NAME) + RANDOM)
			remove_left(dirfd(d), entry->d_name);
	if (d)
		closedir(d);
}

/* ---- our own ---- */

/* It gets its name when it is locked: before, it would look like a leftover. */
static int make_lock(int fd)
{
	int lock = openat(fd, LOCK_BEGUN, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct utsname u;
	const char *name = host(&u);

	if (lock < 0)
		return -1;
	/* Without locks nothing is known about other runs: then none are removed either. */
	if (write(lock, name, strlen(name)) == (ssize_t)strlen(name) &&
	    (flock(lock, LOCK_EX | LOCK_NB) < 0 || renameat(fd, LOCK_BEGUN, fd, LOCK) == 0))
		return lock;
	close(lock);
	return -1;
}

char *folder_make(const char *tmp, int *lock)
{
	size_t size = strlen(tmp) + sizeof("/" NAME "XXXXXX");
	char *path = mem_alloc(size);
	int fd = -1, why;

	remove_all_left(tmp);
	snprintf(path, size, "%s/" NAME "XXXXXX", tmp);
	*lock = -1;
	if (mkdtemp(path)) {
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		*lock = fd >= 0 ? make_lock(fd) : -1;
	}
	if (*lock >= 0) {
		close(fd);
		return path;
	}
	why = errno;
	if (fd >= 0) {
		empty_folder(fd);
		close(fd);
		rmdir(path);
	}
	free(path);
	errno = why;
	return NULL;
}

void folder_remove(const char *path, int lock)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		empty_folder(fd);
		close(fd);
	}
	rmdir(path);
	close(lock);
}

/* ---- partial files ---- */

struct begun {
	bool (*is_ours)(void *arg, const char *name, size_t len);
	void *arg;
};

static bool is_begun(void *arg, const char *name)
{
	const struct begun *b = arg;
	size_t len = strlen(name), end = strlen(BEGUN) + RANDOM;

	return len > end && !memcmp(name + len - end, BEGUN, strlen(BEGUN)) &&
	       b->is_ours(b->arg, name, len - end);
}

void folder_drop_begun(const char *path, bool (*is_ours)(void *arg, const char *name, size_t len),
		       void *arg)
{
	struct begun b = { is_ours, arg };
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	remove_files(fd, is_begun, &b);
	close(fd);
}
