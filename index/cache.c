// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cache: indexes in the user's cache folder, each named after its input.  Only what this user
 * wrote, and no other user may write, is used; the folder keeps the indexes that were used last.
 */
#include "index/index_priv.h"

#include "base/mem.h"
#include "base/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".index"
#define KEPT 64	   /* indexes in the folder */
#define LEFT 86400 /* seconds */

/* ---- the folder ---- */

/* $XDG_CACHE_HOME/zedperl, or ~/.cache/zedperl, to be freed; NULL: neither is known. */
static char *folder_name(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *base, *name;

	if (cache && *cache == '/')
		return input_below(cache, "zedperl");
	if (!home || *home != '/')
		return NULL;
	base = input_below(home, ".cache");
	name = input_below(base, "zedperl");
	free(base);
	return name;
}

/* Is it this user's, and can no other write to it? */
static bool is_own(int fd, mode_t kind)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_IFMT) == kind && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* The folder, opened, with its name in *NAME, to be freed; CREATE: made if it is not there. */
static int open_folder(bool create, char **name)
{
	char *parent;
	int fd;

	*name = folder_name();
	if (!*name)
		return -1;
	if (create) {
		parent = mem_strndup(*name, (size_t)(strrchr(*name, '/') - *name));
		if (*parent)
			mkdir(parent, 0700);
		free(parent);
		mkdir(*name, 0700);
	}
	fd = open(*name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && is_own(fd, S_IFDIR))
		return fd;
	if (fd >= 0)
		close(fd);
	free(*name);
	*name = NULL;
	return -1;
}

/*
 * The name of the index of an input; it stays when the input is written again at the same
 * length.
 */
static void name_of(const struct index_key *k, char buf[64])
{
	snprintf(buf, 64, "%016" PRIx64 "-%" PRIx64 SUFFIX, k->ends, k->size);
}

/* ---- looking ---- */

/* More than an index needs besides its part of the input. */
#define SIZE_MORE (64ULL << 20)

/* Is it no larger than an index of SIZE bytes can be?  What is read of it is allocated. */
static bool has_size(int fd, uint64_t size)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       (size > UINT64_MAX - SIZE_MORE || (uint64_t)st.st_size <= size + SIZE_MORE);
}

struct trace_index *trace_index_find(const struct source *s)
{
	struct trace_index *x = NULL;
	struct index_key key;
	char name[64], *folder;
	struct err e;
	int at, fd;

	if (!index_key_of(s, &key))
		return NULL;
	at = open_folder(false, &folder);
	if (at < 0)
		return NULL;
	free(folder);
	name_of(&key, name);
	fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(at);
	if (fd < 0)
		return NULL;
	if (is_own(fd, S_IFREG) && has_size(fd, key.size)) {
		/* The one that was used last is kept longest. */
		futimens(fd, NULL);
		x = trace_index_open(fd, s, &e);
	} else {
		close(fd);
	}
	return x;
}

/* ---- keeping ---- */

struct cached {
	struct timespec used;
	char name[64];
};

static int by_use(const void *a, const void *b)
{
	const struct cached *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec > y->used.tv_sec ? -1 : 1;
	return (x->used.tv_nsec < y->used.tv_nsec) - (x->used.tv_nsec > y->used.tv_nsec);
}

static bool is_index(const char *name)
{
	size_t len = strlen(name), end = strlen(SUFFIX);

	return len > end && len < sizeof(((struct cached *)0)->name) &&
	       !strcmp(name + len - end, SUFFIX);
}

/* One that was not finished: its process has ended, or has been at it for a day. */
static bool is_left(const char *name, const struct stat *st)
{
	return strstr(name, SUFFIX ".") && st->st_mtim.tv_sec + LEFT < time(NULL);
}

/* Remove those that were not used for longest, but for KEPT of them. */
static void prune(const char *folder)
{
	DIR *d = opendir(folder);
	struct cached *v = NULL;
	size_t n = 0, cap = 0;
	struct dirent *one;
	struct stat st;

	while (d && (one = readdir(d))) {
		if (fstatat(dirfd(d), one->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (is_left(one->d_name, &st))
			unlinkat(dirfd(d), one->d_name, 0);
		if (!is_index(one->d_name))
			continue;
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		v[n].used = st.st_mtim;
		snprintf(v[n++].name, sizeof(v->name), "%s", one->d_name);
	}
	if (n > KEPT) {
		qsort(v, n, sizeof(*v), by_use);
		for (size_t i = KEPT; i < n; i++)
			unlinkat(dirfd(d), v[i].name, 0);
	}
	free(v);
	if (d)
		closedir(d);
}

/* Write the index of S, whose key is KEY, into the folder.  The file, open; -1: it cannot be. */
static int make_kept(const struct source *s, const struct index_key *key,
		     const struct trace_index_opts *o, struct err *e)
{
	char name[64], *folder, *path, *temporary;
	int at = open_folder(true, &folder), fd;

	err_set(e, ERR_NONE, ERR_NO_OFF, "no cache folder");
	if (at < 0)
		return -1;
	close(at);
	name_of(key, name);
	path = input_below(folder, name);
	fd = outfile_beside(path, &temporary, e);
	if (fd < 0) {
		e->kind = ERR_NONE;
	} else if (trace_index_write(s->in.path, fd, o, e) < 0 || rename(temporary, path) < 0) {
		unlink(temporary);
		close(fd);
		fd = -1;
	}
	free(temporary);
	prune(folder);
	free(path);
	free(folder);
	return fd;
}

static int make_held(const struct source *s, const struct trace_index_opts *o, struct err *e)
{
	int fd = memfd_create("index", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot hold an index in memory");
	if (trace_index_write(s->in.path, fd, o, e) == 0)
		return fd;
	close(fd);
	return -1;
}

struct trace_index *trace_index_make(const struct source *s, const struct trace_index_opts *o,
				     bool keep, struct err *e)
{
	struct index_key key;
	int fd = -1;

	e->kind = ERR_NONE;
	if (!index_key_of(s, &key)) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"only a file has an index: not a folder, and not what is read as it comes");
		err_path(e, s->in.path);
		return NULL;
	}
	if (keep)
		fd = make_kept(s, &key, o, e);
	/* A folder that cannot be written, or has no room, is not needed. */
	if (fd < 0 && (e->kind == ERR_NONE || (e->kind == ERR_SYS && err_is_full(e))))
		fd = make_held(s, o, e);
	return fd < 0 ? NULL : trace_index_open(fd, s, e);
}
