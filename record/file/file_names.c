// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_names: the names of a recording's files where it makes several, and the removal of the
 * oldest.
 */
#include "record/file/file_names.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "base/suffix.h"
#include "record/file/spool_dir.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DAT_SUFFIX ".dat"
#define DIGITS 6

/* The number in NAME, if it begins with BASE: "BASE.000017.dat", also ".dat.zed"; 0: none. */
static unsigned number_of(const char *name, const char *base)
{
	size_t len = strlen(base);
	unsigned long n;
	char *end;

	if (strncmp(name, base, len) || name[len] != '.' || !ascii_digit(name[len + 1]))
		return 0;
	n = strtoul(name + len + 1, &end, 10);
	if (end - (name + len + 1) < DIGITS || n >= UINT32_MAX / 2)
		return 0;
	return !strcmp(end, DAT_SUFFIX) || !strcmp(end, DAT_SUFFIX SPOOL_SUFFIX) ? (unsigned)n : 0;
}

int parts_init(struct parts *p, const char *path, unsigned keep, struct err *e)
{
	const char *base = strrchr(path, '/');
	struct dirent *d;
	char *folder;
	DIR *dir;

	*p = (struct parts){ .keep = keep, .next = 1 };
	base = base ? base + 1 : path;
	if (!*base || !strcmp(base, DAT_SUFFIX))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not a file name", path);
	folder = base == path ? mem_strdup(".") : mem_strndup(path, (size_t)(base - path));
	p->stem = mem_strndup(path, suffix_stem(path, DAT_SUFFIX));
	dir = opendir(folder);
	if (!dir) {
		err_sys(e, ERR_NO_OFF, "cannot look for earlier files");
		err_path(e, folder);
		free(folder);
		return -1;
	}
	while ((d = readdir(dir))) {
		unsigned n = number_of(d->d_name, p->stem + (base - path));

		if (n >= p->next)
			p->next = n + 1;
	}
	closedir(dir);
	free(folder);
	return 0;
}

void parts_fini(struct parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->v[i].path);
	free(p->v);
	free(p->stem);
	free(p->first);
	free(p->last);
	*p = (struct parts){ 0 };
}

/* Has another recording begun or written a file of this name since we looked? */
bool parts_is_taken(const char *path)
{
	size_t size = strlen(path) + sizeof(SPOOL_SUFFIX);
	char *spool = mem_alloc(size);
	struct stat st;
	bool taken;

	snprintf(spool, size, "%s" SPOOL_SUFFIX, path);
	/* In this order, as the one becomes the other. */
	taken = lstat(spool, &st) == 0 || lstat(path, &st) == 0;
	free(spool);
	return taken;
}

char *parts_next(struct parts *p)
{
	size_t size = strlen(p->stem) + 32;
	char *path = mem_alloc(size);

	do {
		snprintf(path, size, "%s.%0*u" DAT_SUFFIX, p->stem, DIGITS, p->next++);
	} while (parts_is_taken(path));
	return path;
}

/* An inode number may be reused for another file. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void remove_oldest(struct parts *p)
{
	struct named_file *old = &p->v[0];
	struct stat st;

	if (lstat(old->path, &st) == 0 && is_same(&st, &old->was) && unlink(old->path) == 0)
		p->removed++;
	free(old->path);
	memmove(p->v, p->v + 1, --p->n * sizeof(*p->v));
}

void parts_whole(struct parts *p, const char *path)
{
	struct stat st;

	p->whole++;
	if (!p->first)
		p->first = mem_strdup(path);
	free(p->last);
	p->last = mem_strdup(path);
	if (!p->keep || lstat(path, &st) < 0)
		return;
	p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
	p->v[p->n++] = (struct named_file){ mem_strdup(path), st };
	while (p->n > p->keep)
		remove_oldest(p);
}
