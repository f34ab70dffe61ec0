// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_names: the names of a recording's files where it makes several, and the removal of the
 * oldest: beyond what is to be kept, and when the disk is full.
 */
#include "record/file/file_names.h"

#include "base/ascii.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/suffix.h"
#include "record/file/spool_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
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

/* Where the last name of PATH begins. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The number after the highest in the folder. */
static unsigned first_number(const struct parts *p, DIR *dir)
{
	unsigned next = 1;
	struct dirent *d;

	while ((d = readdir(dir))) {
		unsigned n = number_of(d->d_name, name_of(p->stem));

		if (n >= next)
			next = n + 1;
	}
	return next;
}

int parts_init(struct parts *p, const char *path, const struct keep *keep, struct err *e)
{
	const char *base = name_of(path);
	DIR *dir;

	*p = (struct parts){ .keep = *keep, .dir = -1 };
	if (!*base || !strcmp(base, DAT_SUFFIX))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is not a file name", path);
	pthread_mutex_init(&p->lock, NULL);
	p->folder = base == path ? mem_strdup(".") : mem_strndup(path, (size_t)(base - path));
	p->stem = mem_strndup(path, suffix_stem(path, DAT_SUFFIX));
	p->dir = open(p->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = p->dir < 0 ? NULL : io_folder(p->dir, ".", 0);
	if (!dir) {
		err_sys(e, ERR_NO_OFF, "cannot look for earlier files");
		return err_path(e, p->folder);
	}
	p->next = first_number(p, dir);
	closedir(dir);
	return 0;
}

static void file_fini(struct named_file *f)
{
	free(f->path);
	free(f->read);
}

void parts_fini(struct parts *p)
{
	if (!p->folder)
		return; /* parts_init() was not called, or refused the name */
	for (size_t i = 0; i < p->n; i++)
		file_fini(&p->v[i]);
	free(p->v);
	free(p->stem);
	free(p->folder);
	free(p->first);
	free(p->last);
	if (p->dir >= 0)
		close(p->dir);
	pthread_mutex_destroy(&p->lock);
	*p = (struct parts){ .dir = -1 };
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

	pthread_mutex_lock(&p->lock);
	do {
		snprintf(path, size, "%s.%0*u" DAT_SUFFIX, p->stem, DIGITS, p->next++);
	} while (parts_is_taken(path));
	pthread_mutex_unlock(&p->lock);
	return path;
}

/* ---- removal ---- */

static struct named_file named(const char *path, const struct stat *st)
{
	return (struct named_file){ .path = mem_strdup(path),
				    .dev = st->st_dev,
				    .ino = st->st_ino,
				    .size = (uint64_t)st->st_size,
				    .changed = st->st_mtim };
}

/* Is F still what we made?  An inode number may be reused for another file. */
static bool is_there(const struct named_file *f)
{
	struct stat st;

	return lstat(f->path, &st) == 0 && f->dev == st.st_dev && f->ino == st.st_ino &&
	       f->size == (uint64_t)st.st_size && f->changed.tv_sec == st.st_mtim.tv_sec &&
	       f->changed.tv_nsec == st.st_mtim.tv_nsec;
}

/* What another process has moved away or replaced takes no part in what is kept. */
static void forget_others(struct parts *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (is_there(&p->v[i])) {
			p->v[kept++] = p->v[i];
			continue;
		}
		p->size -= p->v[i].size;
		file_fini(&p->v[i]);
	}
	p->n = kept;
}

/* Remove the oldest file, which counts in R.  Returns its bytes; 0: it was not ours any more. */
static uint64_t remove_oldest(struct parts *p, struct removed_files *r)
{
	struct named_file old = p->v[0];
	bool removed = is_there(&old) && unlink(old.path) == 0;

	if (removed) {
		r->files++;
		r->events += old.events;
	}
	p->size -= old.size;
	file_fini(&old);
	memmove(p->v, p->v + 1, --p->n * sizeof(*p->v));
	return removed ? old.size : 0;
}

/* Bytes that are missing on the disk for KEEP.free. */
static uint64_t missing(const struct parts *p)
{
	struct statvfs v;
	uint64_t there;

	if (!p->keep.free || fstatvfs(p->dir, &v) < 0)
		return 0;
	there = (uint64_t)v.f_bavail * v.f_frsize;
	return there < p->keep.free ? p->keep.free - there : 0;
}

/* Bytes that have to go. */
static uint64_t excess(const struct parts *p)
{
	uint64_t over = p->keep.size && p->size > p->keep.size ? p->size - p->keep.size : 0;
	uint64_t less = missing(p);

	return over > less ? over : less;
}

static void say_short(struct parts *p, uint64_t less)
{
	if (less && !p->short_said)
		note_say(p->notes, NOTE_WARN,
			 "%s: less than the %" PRIu64
			 " bytes of --keep-free are free, and no older file of this recording is "
			 "left to be removed: other files fill the disk",
			 p->folder, p->keep.free);
	p->short_said = less;
}

/*
 * Some file systems free the space of a removed file later (xfs): what was removed is subtracted
 * here, and not looked up again.
 */
static void trim(struct parts *p)
{
	unsigned most = p->keep.files;
	uint64_t over;

	if ((!most || p->n <= most) && !excess(p)) {
		p->short_said = false;
		return;
	}
	forget_others(p);
	while (most && p->n > most)
		remove_oldest(p, &p->beyond);
	over = excess(p);
	while (over && p->n > 1) {
		uint64_t gone = remove_oldest(p, &p->beyond);

		over -= gone < over ? gone : over;
	}
	say_short(p, over ? missing(p) : 0);
}

void parts_whole(struct parts *p, const char *path, uint64_t events, const uint64_t *read,
		 size_t nread)
{
	struct named_file *f;
	struct stat st;

	pthread_mutex_lock(&p->lock);
	p->whole++;
	if (!p->first)
		p->first = mem_strdup(path);
	free(p->last);
	p->last = mem_strdup(path);
	if (lstat(path, &st) == 0) {
		p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof(*p->v));
		f = &p->v[p->n++];
		*f = named(path, &st);
		f->events = events;
		if (read) {
			f->read = mem_alloc((nread + 1) * sizeof(*read));
			memcpy(f->read, read, nread * sizeof(*read));
			f->nread = nread;
		}
		p->size += (uint64_t)st.st_size;
		trim(p);
	}
	pthread_mutex_unlock(&p->lock);
	if (p->made)
		p->made(p->arg, path);
}

void parts_keep_free(struct parts *p)
{
	if (!p->keep.free)
		return;
	pthread_mutex_lock(&p->lock);
	trim(p);
	pthread_mutex_unlock(&p->lock);
}

bool parts_give_way(struct parts *p)
{
	char *path = NULL;
	bool removed;

	pthread_mutex_lock(&p->lock);
	forget_others(p);
	while (p->n && !path) {
		path = mem_strdup(p->v[0].path);
		if (remove_oldest(p, &p->full))
			break;
		free(path);
		path = NULL;
	}
	pthread_mutex_unlock(&p->lock);
	if (path)
		note_say(p->notes, NOTE_DAMAGE,
			 "%s: removed, the oldest file, as the disk is full: --keep-size or "
			 "--keep-free leaves room in time",
			 path);
	removed = path;
	free(path);
	return removed;
}

uint64_t parts_missing(struct parts *p, int cpu)
{
	uint64_t n = 0;
	struct stat st;

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < p->n && cpu >= 0; i++) {
		const struct named_file *f = &p->v[i];

		if ((size_t)cpu < f->nread &&
		    fstatat(p->dir, name_of(f->path), &st, AT_SYMLINK_NOFOLLOW) < 0)
			n += f->read[cpu];
	}
	pthread_mutex_unlock(&p->lock);
	return n;
}
