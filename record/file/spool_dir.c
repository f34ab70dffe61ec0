// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool_dir: the directory FILE.zed of a recording in progress: its map, the names and rights of
 * its files, its lock, and its removal.
 */
#include "record/file/spool_dir.h"

#include "base/ascii.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/plain.h"
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char map_head[] = "zedtrace-spool 1\n";

int spooldir_map_write(int dir, const struct spool_map *map, struct err *e)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(dir, "map.new", flags, SPOOL_FILE_MODE);
	char *text = NULL;
	size_t len = 0;
	FILE *f = mem_check(open_memstream(&text, &len));
	bool done = false;

	fprintf(f, "%smeta %" PRIu64 "\nring %" PRIu64 "\nclock %s\n", map_head, map->meta_len,
		map->ring, map->clock);
	if (map->wall.known)
		fprintf(f, "wall %" PRId64 " %" PRIu64 "\n", map->wall.ahead, map->wall.wrong);
	for (unsigned i = 0; i < map->nplan; i++)
		fprintf(f, "plan %d %" PRIu64 " %" PRIu64 "\n", map->plan[i].cpu, map->plan[i].off,
			map->plan[i].len);
	if (map->nplan)
		fprintf(f, "planned\n");
	mem_close(f);
	if (fd >= 0) {
		done = write_at(fd, text, len, 0, e) == 0 && fsync(fd) == 0;
		close(fd);
	}
	free(text);
	if (!done || renameat(dir, "map.new", dir, "map") < 0)
		return err_sys(e, ERR_NO_OFF, "map: cannot write");
	return 0;
}

/* One line, without its end. */
static void map_line(struct spool_map *map, char *line, size_t *cap, bool *planned)
{
	struct dat_wall wall = { .known = true };
	struct extent x = { .fd = -1 };
	uint64_t v;

	if (sscanf(line, "meta %" SCNu64, &v) == 1) {
		map->meta_len = v;
	} else if (sscanf(line, "ring %" SCNu64, &v) == 1) {
		map->ring = v;
	} else if (!strncmp(line, "clock ", 6)) {
		snprintf(map->clock, sizeof(map->clock), "%s", line + 6);
	} else if (sscanf(line, "wall %" SCNd64 " %" SCNu64, &wall.ahead, &wall.wrong) == 2) {
		map->wall = wall;
	} else if (!strcmp(line, "planned")) {
		*planned = true;
	} else if (sscanf(line, "plan %d %" SCNu64 " %" SCNu64, &x.cpu, &x.off, &x.len) == 3 &&
		   x.cpu >= 0 && x.cpu < DAT_MAX_CPU && x.off <= 2 * SPOOL_TOP &&
		   x.len <= 2 * SPOOL_TOP && map->nplan < EXTENTS_MAX) {
		map->plan = mem_grow(map->plan, cap, map->nplan + 1u, sizeof(*map->plan));
		map->plan[map->nplan++] = x;
	}
}

int spooldir_map_read(int dir, struct spool_map *map, struct err *e)
{
	char *text = mem_alloc(SPOOL_MAX_MAP + 1), *p, *nl;
	int fd = openat(dir, "map", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	ssize_t n = 0, len = 0;
	bool planned = false;
	size_t cap = 0;

	memset(map, 0, sizeof(*map));
	if (fd < 0 && errno != ENOENT && errno != ELOOP) {
		free(text);
		return err_sys(e, ERR_NO_OFF, "map: cannot open");
	}
	while (fd >= 0 && len < (ssize_t)SPOOL_MAX_MAP) {
		n = read(fd, text + len, SPOOL_MAX_MAP - (size_t)len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
	}
	if (n < 0)
		err_sys(e, ERR_NO_OFF, "map: cannot read");
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(text);
		return -1;
	}
	text[len] = '\0';
	map->known = !strncmp(text, map_head, sizeof(map_head) - 1);
	/* The last line counts only if it is terminated: it may be truncated. */
	for (p = text; map->known && (nl = strchr(p, '\n')); p = nl + 1) {
		*nl = '\0';
		map_line(map, p, &cap, &planned);
	}
	if (!planned)
		map->nplan = 0;
	free(text);
	return 0;
}

void spooldir_map_fini(struct spool_map *map)
{
	free(map->plan);
	map->plan = NULL;
	map->nplan = 0;
}

/* NAME is PREFIX and a decimal number, at most MAX. */
static int numbered(const char *name, const char *prefix, int max)
{
	size_t len = strlen(prefix);

	return strncmp(name, prefix, len) ? -1 : ascii_number(name + len, max);
}

int spooldir_shift(const char *name)
{
	int v = numbered(name, "data.", SPOOL_SHIFT_MAX);

	return v < SPOOL_SHIFT_MIN ? -1 : v;
}

int spooldir_cpu(const char *name)
{
	return numbered(name, "cpu", DAT_MAX_CPU - 1);
}

int spooldir_create(int dir, const char *name, int flags)
{
	return openat(dir, name, flags | O_CREAT | O_EXCL | O_CLOEXEC, SPOOL_FILE_MODE);
}

uint64_t spooldir_size(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

void spooldir_remove(int dir, const char *path)
{
	static const char *const names[] = { "map",	"map.new", "meta",    "comms", "names",
					     "cgroups", "maps",	   "formats", "out" };
	DIR *dp = io_folder(dir, ".", 0);
	struct dirent *d;

	while (dp && (d = readdir(dp)))
		if (spooldir_shift(d->d_name) >= 0 || spooldir_cpu(d->d_name) >= 0)
			unlinkat(dir, d->d_name, 0);
	if (dp)
		closedir(dp);
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(dir, names[i], 0);
	rmdir(path);
}

int spooldir_lock(int dir)
{
	/* A file system without locks (some network file systems) excludes no process. */
	return flock(dir, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

bool spooldir_gone(int dir, const char *path)
{
	struct stat here, there;

	if (stat(path, &there) < 0)
		return errno == ENOENT || errno == ENOTDIR;
	return fstat(dir, &here) == 0 &&
	       (here.st_dev != there.st_dev || here.st_ino != there.st_ino);
}

int spooldir_rename(int dir, const char *name, const char *path, struct err *e)
{
	mode_t mode = SPOOL_FILE_MODE;
	struct stat was;

	/* In a directory that others can write to, their files must have no influence. */
	if (lstat(path, &was) == 0 && S_ISREG(was.st_mode) && was.st_uid == geteuid())
		mode = was.st_mode & 0666;
	/* On file systems without rights there are none to set. */
	if (fchmodat(dir, name, mode, 0) < 0 && errno != EPERM && errno != EOPNOTSUPP)
		return err_sys(e, ERR_NO_OFF, "%s: cannot set its rights", name);
	if (renameat(dir, name, AT_FDCWD, path) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot rename to %s", path);
	return 0;
}

int spooldir_hint(struct err *e, const char *fmt, ...)
{
	size_t len = strlen(e->msg);
	char text[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	plain_text(e->msg + len, sizeof(e->msg) - len, text);
	return -1;
}
