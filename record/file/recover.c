// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recover: makes a trace.dat of what a dead recorder left: every complete page that reached the
 * disk.
 */
#include "base/compare.h"
#include "base/io.h"
#include "base/mem.h"
#include "record/comm_text.h"
#include "record/file/page_scan.h"
#include "record/file/spool.h"
#include "record/file/spool_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_TEXT (64u << 20) /* bytes of comms, and of formats */

struct recovery {
	const char *name; /* of the directory, as it was given */
	char *path;	  /* of the trace.dat */
	int dir, data, shift;
	struct spool_map map;
	struct notes *notes;
	struct assembly a;
	struct page_scan scan;
	int *fds; /* of cpuN */
	unsigned nfds;
	char clock[64];
};

/* ---- what the recording left ---- */

/* Regular files only: nothing that can block, and no links. */
static int open_regular(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
		errno = EINVAL;
	}
	return fd;
}

/* Read a small file into *TEXT, NULL if there is none. */
static int text_of(struct recovery *r, const char *name, char **text, size_t *len, struct err *e)
{
	int fd = open_regular(r->dir, name, O_RDONLY);
	uint64_t size;
	ssize_t n;

	*len = 0;
	*text = NULL;
	if (fd < 0 && errno != ENOENT)
		return err_sys(e, ERR_NO_OFF,
			       "%s: cannot open (without that file the rest can be recovered)",
			       name);
	if (fd < 0)
		return 0;
	size = spooldir_size(fd);
	if (size > MAX_TEXT)
		size = MAX_TEXT;
	*text = mem_alloc(size + 1);
	n = io_pread(fd, (uint8_t *)*text, size, 0);
	close(fd);
	if (n < 0) {
		free(*text);
		*text = NULL;
		return err_sys(e, ERR_NO_OFF,
			       "%s: cannot read (without that file the rest can be recovered)",
			       name);
	}
	*len = (size_t)n;
	return 0;
}

/* Store NN of data.NN in r->shift, and the numbers of the cpuN, sorted, in *CPUS. */
static int list_files(struct recovery *r, int **cpus, unsigned *n, struct err *e)
{
	DIR *dp = io_folder(r->dir, ".", 0);
	struct dirent *d;
	size_t cap = 0;
	int v;

	*cpus = NULL;
	*n = 0;
	if (!dp)
		return err_sys(e, ERR_NO_OFF, "cannot read the directory");
	while ((errno = 0, d = readdir(dp))) {
		v = spooldir_shift(d->d_name);
		if (v >= 0)
			r->shift = v;
		v = spooldir_cpu(d->d_name);
		if (v < 0)
			continue;
		*cpus = mem_grow(*cpus, &cap, *n + 1u, sizeof(**cpus));
		(*cpus)[(*n)++] = v;
	}
	if (errno) {
		err_sys(e, ERR_NO_OFF, "cannot read the directory");
		closedir(dp);
		free(*cpus);
		return -1;
	}
	closedir(dp);
	if (*n)
		qsort(*cpus, *n, sizeof(**cpus), compare_i32);
	return 0;
}

static int clock_option(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct recovery *r = arg;
	const char *text = (const char *)payload;
	char *name;

	if (id == DAT_TRACECLOCK && size > 1) {
		name = dat_active_clock(text, strnlen(text, size));
		snprintf(r->clock, sizeof(r->clock), "%s", name);
		free(name);
	}
	return 0;
}

/* The metadata are complete in the first LEN bytes: take what the pages need from them. */
static int look_at_meta(struct recovery *r, uint64_t len, struct err *e)
{
	uint8_t *p = mem_alloc(len + 1);
	uint64_t done_off;
	struct dat7_head h;
	ssize_t n = io_pread(r->data, p, len, 0);
	int rc;

	rc = n < 0 ? err_sys(e, ERR_NO_OFF, "cannot read") :
		     dat7_look(p, (size_t)n, &h, &done_off, e);
	if (rc == 0)
		rc = dat7_each_option(p, (size_t)n, clock_option, r, e);
	free(p);
	TRY(rc);
	r->a.meta_fd = r->data;
	r->a.meta_len = len == r->map.meta_len ? len : done_off + 8;
	r->a.page_size = h.page_size;
	r->scan.big_endian = h.big_endian;
	return 0;
}

static int read_meta(struct recovery *r, struct err *e)
{
	off_t hole = lseek(r->data, 0, SEEK_HOLE);
	uint64_t len = spooldir_size(r->data), told = r->map.meta_len;

	/* The map says where, if it is not damaged; otherwise there is mostly a hole after them. */
	if (!told || told > len || told > DAT_MAX_META || look_at_meta(r, told, e) < 0) {
		if (hole > 0 && (uint64_t)hole < len)
			len = (uint64_t)hole;
		if (look_at_meta(r, len < DAT_MAX_META ? len : DAT_MAX_META, e) < 0) {
			err_within(e, "the metadata are incomplete, and no page can be read "
				      "without them");
			return -1;
		}
	}
	if (r->map.clock[0])
		snprintf(r->clock, sizeof(r->clock), "%s", r->map.clock);
	if (!r->clock[0])
		snprintf(r->clock, sizeof(r->clock), "local");
	r->a.clock = r->clock;
	return 0;
}

/* Did it die while the file was put together in place?  False: no, or the plan is invalid. */
static bool take_plan(struct recovery *r)
{
	struct assembly *a = &r->a;
	uint64_t size = spooldir_size(r->data), end = a->meta_len + DAT7_SECTION;

	if (!r->shift || !r->map.nplan)
		return false;
	for (unsigned i = 0; i < r->map.nplan; i++) {
		const struct extent *x = &r->map.plan[i];

		if (x->off < end || x->off % a->page_size || x->len % a->page_size || !x->len ||
		    (i && x->cpu < x[-1].cpu))
			return false;
		end = x->off + x->len;
	}
	a->v = mem_alloc((r->map.nplan + 1) * sizeof(*a->v));
	memcpy(a->v, r->map.plan, r->map.nplan * sizeof(*a->v));
	a->n = r->map.nplan;
	for (unsigned i = 0; i < a->n; i++)
		a->v[i].fd = r->data;
	assemble_resume(a, size);
	if (a->v[a->n - 1].off + a->v[a->n - 1].len <= size)
		return true;
	free(a->v);
	a->v = NULL;
	a->n = 0;
	return false;
}

static int nothing_there(struct err *e)
{
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "no page of it reached the disk: nothing to recover, remove it");
}

/* A block of zeros may precede the place where a recorder begins. */
static uint64_t first_page(const struct recovery *r)
{
	uint64_t end = r->a.meta_len + DAT7_SECTION, size = r->a.page_size;

	return (end + size - 1) / size * size;
}

static int find_pages(struct recovery *r, struct err *e)
{
	char name[16];
	unsigned n;
	int *cpus, rc;

	TRY(list_files(r, &cpus, &n, e));
	snprintf(name, sizeof(name), r->shift ? "data.%d" : "meta", r->shift);
	r->data = open_regular(r->dir, name, O_RDWR);
	if (r->data < 0 && errno == ENOENT && !n)
		rc = nothing_there(e); /* it died before its first file was made */
	else
		rc = r->data < 0 ? err_sys(e, ERR_NO_OFF, "%s: cannot open", name) :
				   read_meta(r, e);
	if (rc == 0 && !take_plan(r)) {
		if (r->shift)
			rc = pagescan_places(&r->scan, r->data, r->shift, first_page(r), e);
		r->fds = mem_alloc((n + 1) * sizeof(*r->fds));
		for (unsigned i = 0; i < n && rc == 0; i++) {
			snprintf(name, sizeof(name), "cpu%d", cpus[i]);
			r->fds[r->nfds] = open_regular(r->dir, name, O_RDONLY);
			if (r->fds[r->nfds] < 0)
				rc = err_sys(e, ERR_NO_OFF, "%s: cannot open", name);
			else
				rc = pagescan_cpu(&r->scan, r->fds[r->nfds], cpus[i], 0,
						  spooldir_size(r->fds[r->nfds]), e);
			r->nfds += r->fds[r->nfds] >= 0;
		}
	}
	free(cpus);
	return rc;
}

/* ---- the trace.dat ---- */

static int keep_plan(void *arg, const struct assembly *a, struct err *e)
{
	struct recovery *r = arg;
	struct spool_map map = r->map;

	map.meta_len = a->meta_len;
	snprintf(map.clock, sizeof(map.clock), "%s", r->clock);
	map.plan = a->v;
	map.nplan = a->n;
	return spooldir_map_write(r->dir, &map, e);
}

/* Can a file of the directory be renamed to PATH? */
static bool same_device(struct recovery *r)
{
	char *copy = mem_strdup(r->path);
	struct stat there, here;
	bool same = stat(dirname(copy), &there) == 0 && fstat(r->dir, &here) == 0 &&
		    there.st_dev == here.st_dev;

	free(copy);
	return same;
}

static int copy_out(struct recovery *r, struct err *e)
{
	size_t len = strlen(r->path) + sizeof(".part");
	char *part = mem_alloc(len);
	int fd, rc;

	snprintf(part, len, "%s.part", r->path);
	/* Left by a recovery that died.  Not to be written to, as it may belong to another user. */
	unlink(part);
	fd = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, SPOOL_FILE_MODE);
	rc = fd < 0 ? err_sys(e, ERR_NO_OFF, "cannot make %s", part) : assemble_copy(&r->a, fd, e);
	if (rc == 0 && fsync(fd) < 0)
		rc = err_sys(e, ERR_NO_OFF, "cannot make %s", r->path);
	if (rc == 0)
		rc = spooldir_rename(AT_FDCWD, part, r->path, e);
	if (rc < 0 && fd >= 0) {
		unlink(part);
		spooldir_hint(e, " (nothing is lost: try again with -o on a disk with more room)");
	}
	if (fd >= 0)
		close(fd);
	free(part);
	return rc;
}

static int put_together(struct recovery *r, struct err *e)
{
	char name[16];
	int rc = 1;

	if (r->shift && same_device(r)) {
		rc = assemble_in_place(&r->a, keep_plan, r, e);
		snprintf(name, sizeof(name), "data.%d", r->shift);
		if (rc == 0)
			rc = spooldir_rename(r->dir, name, r->path, e);
	}
	return rc == 1 ? copy_out(r, e) : rc;
}

static int recover(struct recovery *r, uint64_t *pages, struct err *e)
{
	size_t comms_len, formats_len;
	char *text, *comms = NULL, *formats, *names = NULL, *cgroups = NULL;
	char *maps = NULL;
	int rc;

	TRY(spooldir_map_read(r->dir, &r->map, e));
	r->scan.a = &r->a;
	if (!r->map.known)
		r->scan.ring = RING_UNKNOWN;
	else if (r->map.ring)
		r->scan.ring = RING_YES;
	TRY(find_pages(r, e));
	*pages = 0;
	for (unsigned i = 0; i < r->a.n; i++)
		*pages += r->a.v[i].len / r->a.page_size;
	if (!*pages)
		return nothing_there(e);
	TRY(text_of(r, "comms", &text, &comms_len, e));
	if (text)
		comms = commtext_tidy(text, comms_len, &comms_len);
	free(text);
	if (text_of(r, "names", &names, &r->a.names_len, e) < 0 ||
	    text_of(r, "cgroups", &cgroups, &r->a.cgroups_len, e) < 0 ||
	    text_of(r, "maps", &maps, &r->a.maps_len, e) < 0 ||
	    text_of(r, "formats", &formats, &formats_len, e) < 0) {
		free(comms);
		free(names);
		free(cgroups);
		free(maps);
		return -1;
	}
	r->a.wall = r->map.wall;
	r->a.comms = comms;
	r->a.comms_len = comms_len;
	r->a.names = (const uint8_t *)names;
	r->a.cgroups = (const uint8_t *)cgroups;
	r->a.maps = (const uint8_t *)maps;
	r->a.formats = formats;
	r->a.formats_len = formats ? formats_len : 0;
	rc = put_together(r, e);
	free(comms);
	free(names);
	free(cgroups);
	free(maps);
	free(formats);
	return rc;
}

/* DIR without slashes at its end, and without ".zed" if PATH is not given. */
static int name_path(struct recovery *r, const char *dir, const char *path, struct err *e)
{
	size_t len = strlen(dir), suffix = sizeof(SPOOL_SUFFIX) - 1;
	struct stat st;

	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (path) {
		r->path = mem_strdup(path);
	} else if (len > suffix && dir[len - suffix - 1] != '/' &&
		   !memcmp(dir + len - suffix, SPOOL_SUFFIX, suffix)) {
		r->path = mem_strndup(dir, len - suffix);
	} else {
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s does not end in " SPOOL_SUFFIX ": name the trace.dat to write "
			       "with -o FILE",
			       dir);
	}
	if (stat(r->path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s is not a regular file: name another with -o", r->path);
	return 0;
}

static int open_dir(struct recovery *r, const char *dir, struct err *e)
{
	struct stat st;

	if (stat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return err_set(
			e, ERR_USAGE, ERR_NO_OFF,
			"%s is not the directory of an unfinished recording (FILE" SPOOL_SUFFIX
			"); a damaged trace.dat needs no recovery: it is read as it is",
			dir);
	r->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r->dir < 0)
		return err_sys(e, ERR_NO_OFF, "%s: cannot open", dir);
	if (spooldir_lock(r->dir))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s: still being recorded: stop the recording (Ctrl-C), and it "
			       "writes the trace.dat itself",
			       dir);
	return 0;
}

int spool_recover(const char *dir, const char *path, struct notes *n, uint64_t *pages,
		  struct err *e)
{
	struct recovery r = { .name = dir, .dir = -1, .data = -1, .notes = n };
	int rc = open_dir(&r, dir, e);

	if (rc == 0)
		rc = name_path(&r, dir, path, e);
	if (rc == 0) {
		rc = recover(&r, pages, e);
		if (rc < 0)
			err_path(e, dir);
		else
			spooldir_remove(r.dir, dir);
		if (rc == 0 && access(dir, F_OK) == 0)
			note_say(n, NOTE_INFO, "%s: contains other files: not removed", dir);
	}
	for (unsigned i = 0; i < r.nfds; i++)
		close(r.fds[i]);
	if (r.data >= 0)
		close(r.data);
	if (r.dir >= 0)
		close(r.dir);
	spooldir_map_fini(&r.map);
	pagescan_fini(&r.scan);
	free(r.a.v);
	free(r.fds);
	free(r.path);
	return rc;
}
