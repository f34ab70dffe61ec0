// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spool_pages: where the pages of a recording in progress are stored.  Each CPU has a place of its
 * own, far from the others in one sparse file or in a file for each, so that pages that come
 * interleaved end up in one piece.
 */
#include "record/file/spool_pages.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/outfile.h"
#include "record/file/page_scan.h"
#include "record/file/spool_dir.h"
#include "ring/record_count.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_PAGES 16384 /* how many are examined for events of our own */

/* The pages of a CPU: at offset BASE and up of FD. */
struct page_place {
	int cpu, fd;
	bool own;	     /* FD is a file of its own */
	uint64_t base, room; /* bytes; of a ring its size */
	uint64_t total;	     /* bytes taken, including those a ring has overwritten */
};

/* Can a file of DIR be put together in place? */
static bool can_collapse(int dir, uint64_t size)
{
	int fd = spooldir_create(dir, "out", O_RDWR);
	bool can = fd >= 0 && assemble_can_collapse(fd, size);

	if (fd >= 0) {
		close(fd);
		unlinkat(dir, "out", 0);
	}
	return can;
}

int spoolpages_open(struct spool_pages *p, int dir, unsigned ncpus, bool one, struct err *e)
{
	struct rlimit limit;
	char name[16];

	*p = (struct spool_pages){ .dir = dir, .ncpus = ncpus, .shift = SPOOL_SHIFT_MAX };
	/* Regions as large as possible. */
	while (p->shift >= SPOOL_SHIFT_MIN && ((uint64_t)ncpus + 1) << p->shift > SPOOL_TOP)
		p->shift--;
	if (one && p->shift >= SPOOL_SHIFT_MIN && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur == RLIM_INFINITY &&
	    can_collapse(dir, ((uint64_t)ncpus + 1) << p->shift)) {
		snprintf(name, sizeof(name), "data.%d", p->shift);
		p->data = spooldir_create(dir, name, O_RDWR);
		return p->data < 0 ? err_sys(e, ERR_NO_OFF, "%s: cannot make", name) : 0;
	}
	p->shift = 0;
	p->data = spooldir_create(dir, "meta", O_RDWR);
	return p->data < 0 ? err_sys(e, ERR_NO_OFF, "meta: cannot make") : 0;
}

void spoolpages_close(struct spool_pages *p)
{
	for (size_t i = 0; i < p->cap; i++)
		if (p->by_cpu[i]) {
			if (p->by_cpu[i]->own)
				close(p->by_cpu[i]->fd);
			free(p->by_cpu[i]);
		}
	free(p->by_cpu);
	if (p->data >= 0)
		close(p->data);
	*p = (struct spool_pages){ .data = -1 };
}

static struct page_place *place_new(struct spool_pages *p, int cpu, struct err *e)
{
	struct page_place *at;
	size_t old = p->cap;
	char name[16];
	int fd = p->data;

	if (cpu < 0 || cpu >= DAT_MAX_CPU) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "no CPU %d", cpu);
		return NULL;
	}
	if (!p->shift || (unsigned)cpu >= p->ncpus) {
		snprintf(name, sizeof(name), "cpu%d", cpu);
		fd = spooldir_create(p->dir, name, O_RDWR);
		if (fd < 0) {
			err_sys(e, ERR_NO_OFF, "%s: cannot make", name);
			return NULL;
		}
	}
	p->by_cpu = mem_grow(p->by_cpu, &p->cap, (size_t)cpu + 1, sizeof(*p->by_cpu));
	for (; old < p->cap; old++)
		p->by_cpu[old] = NULL;
	at = p->by_cpu[cpu] = mem_zalloc(sizeof(*at));
	at->cpu = cpu;
	at->fd = fd;
	at->own = fd != p->data;
	at->base = at->own ? 0 : cpu ? ((uint64_t)cpu + 1) << p->shift : p->first;
	at->room = p->ring ? p->ring : at->own ? UINT64_MAX : 1ull << p->shift;
	return at;
}

static struct page_place *place_of(struct spool_pages *p, int cpu, struct err *e)
{
	if (cpu >= 0 && (size_t)cpu < p->cap && p->by_cpu[cpu])
		return p->by_cpu[cpu];
	return place_new(p, cpu, e);
}

/* Where the next bytes of AT go, and how many of LEN fit there in one piece. */
static int next_piece(struct spool_pages *p, struct page_place *at, size_t *len, uint64_t *off,
		      struct err *e)
{
	uint64_t used = at->total;

	if (p->ring) {
		if (used >= p->ring)
			p->wrapped = true;
		used %= p->ring;
		if (*len > p->ring - used)
			*len = (size_t)(p->ring - used);
	} else if (*len > at->room - used) {
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "cpu %d: %" PRIu64 " GiB is the limit for the file of one recording",
			       at->cpu, at->room >> 30);
	}
	*off = at->base + used;
	return 0;
}

/* Did E happen because the disk is full, and is there room now? */
static bool has_room_now(const struct spool_pages *p, const struct err *e)
{
	return err_is_full(e) && p->room && p->room(p->arg);
}

/* LEN bytes to FD at OFF; *DONE gets how many of them were written. */
static int store(const struct spool_pages *p, int fd, const uint8_t *data, size_t len, uint64_t off,
		 size_t *done, struct err *e)
{
	while (write_at(fd, data, len, off, e) < 0)
		if (!has_room_now(p, e)) {
			*done = (size_t)(e->off - off);
			return -1;
		}
	*done = len;
	return 0;
}

/* Without splice, which some file systems cannot do. */
static int copy_some(const struct spool_pages *p, int pipe, int fd, uint64_t off, size_t len,
		     size_t *done, struct err *e)
{
	uint8_t buf[65536];
	ssize_t n = read(pipe, buf, len < sizeof(buf) ? len : sizeof(buf));

	if (n < 0)
		return err_sys(e, ERR_NO_OFF, "cannot read from the pipe");
	return store(p, fd, buf, (size_t)n, off, done, e);
}

/* At most LEN bytes of PIPE to FD at OFF; *DONE gets how many. */
static int splice_some(const struct spool_pages *p, int pipe, int fd, uint64_t off, size_t len,
		       size_t *done, struct err *e)
{
	loff_t at = (loff_t)off;
	ssize_t n = splice(pipe, NULL, fd, &at, len, SPLICE_F_MOVE);

	*done = n > 0 ? (size_t)n : 0;
	if (n > 0 || (n < 0 && errno == EINTR))
		return 0;
	if (!n)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "the pipe ran empty too early");
	if (errno == EINVAL) {
		TRY(copy_some(p, pipe, fd, off, len, done, e));
		return *done ? 0 : err_set(e, ERR_SYS, ERR_NO_OFF, "the pipe ran empty too early");
	}
	err_sys(e, ERR_NO_OFF, "cannot write");
	return has_room_now(p, e) ? 0 : -1;
}

/* LEN bytes of PIPE to FD at OFF; *DONE gets how many, also if it fails. */
static int splice_all(const struct spool_pages *p, int pipe, int fd, uint64_t off, size_t len,
		      size_t *done, struct err *e)
{
	int rc = 0;

	*done = 0;
	while (*done < len && rc == 0) {
		size_t part = 0;

		rc = splice_some(p, pipe, fd, off + *done, len - *done, &part, e);
		*done += part;
	}
	return rc;
}

/* DONE more bytes are at AT: those that do not fill a page are not found by a reader. */
static void count(struct spool_pages *p, struct page_place *at, size_t done)
{
	done -= done % p->page_size;
	at->total += done;
	p->bytes += done;
}

int spoolpages_splice(struct spool_pages *p, int cpu, int pipe, size_t len, struct err *e)
{
	struct page_place *at = place_of(p, cpu, e);
	uint64_t off;

	if (!at)
		return -1;
	for (size_t part, done; len; len -= part) {
		int rc;

		part = len;
		TRY(next_piece(p, at, &part, &off, e));
		rc = splice_all(p, pipe, at->fd, off, part, &done, e);
		/* What a call stored before it failed is there as well. */
		count(p, at, done);
		TRY(rc);
	}
	return 0;
}

int spoolpages_write(struct spool_pages *p, int cpu, const uint8_t *page, uint32_t len,
		     struct err *e)
{
	struct page_place *at = place_of(p, cpu, e);
	size_t part = len, done;
	uint64_t off;

	if (!at)
		return -1;
	TRY(next_piece(p, at, &part, &off, e));
	TRY(store(p, at->fd, page, len, off, &done, e));
	count(p, at, len);
	return 0;
}

uint64_t spoolpages_own(const struct assembly *a, uint32_t page_head, int32_t pid)
{
	uint64_t pages = 0, looked = 0, own = 0, step, nth = 0;
	uint8_t *page = mem_alloc(a->page_size);

	for (unsigned i = 0; i < a->n; i++)
		pages += a->v[i].len / a->page_size;
	step = pages / OWN_PAGES + 1;
	for (unsigned i = 0; i < a->n; i++)
		for (uint64_t at = 0; at < a->v[i].len; at += a->page_size, nth++) {
			const struct extent *x = &a->v[i];

			if (nth % step || io_pread(x->fd, page, a->page_size, x->off + at) !=
						  (ssize_t)a->page_size)
				continue;
			records_own_in_page(page, a->page_size, page_head, pid, &own);
			looked++;
		}
	free(page);
	return looked ? own * pages / looked : 0;
}

/* A ring that has wrapped gives two, the oldest pages first. */
static void add_extents(const struct spool_pages *p, struct assembly *a,
			const struct page_place *at)
{
	uint64_t next;

	if (!at || !at->total)
		return;
	if (!p->ring || at->total <= p->ring) {
		a->v[a->n++] = (struct extent){ at->cpu, at->fd, at->base, at->total };
		return;
	}
	next = at->total % p->ring;
	a->v[a->n++] = (struct extent){ at->cpu, at->fd, at->base + next, p->ring - next };
	if (next)
		a->v[a->n++] = (struct extent){ at->cpu, at->fd, at->base, next };
}

void spoolpages_extents(const struct spool_pages *p, struct assembly *a)
{
	a->v = mem_alloc((2 * p->cap + 1) * sizeof(*a->v));
	a->n = 0;
	for (size_t i = 0; i < p->cap; i++)
		add_extents(p, a, p->by_cpu[i]);
}

/* Has the open file FD still a name? */
static bool is_linked(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 || st.st_nlink;
}

bool spoolpages_linked(const struct spool_pages *p)
{
	if (!is_linked(p->data))
		return false;
	for (size_t i = 0; i < p->cap; i++)
		if (p->by_cpu[i] && p->by_cpu[i]->own && !is_linked(p->by_cpu[i]->fd))
			return false;
	return true;
}

/* Of one extent; pages are read one by one, as this happens only once. */
static int64_t extent_events(const struct extent *x, uint8_t *page, uint32_t page_size,
			     uint32_t page_head)
{
	int64_t n = 0;

	for (uint64_t at = 0; at < x->len; at += page_size) {
		if (io_pread(x->fd, page, page_size, x->off + at) != (ssize_t)page_size)
			return -1;
		n += records_in_page(page, page_size, page_head);
	}
	return n;
}

int64_t spoolpages_events(const struct spool_pages *p, int cpu, uint32_t page_size,
			  uint32_t page_head)
{
	const struct page_place *at = cpu >= 0 && (size_t)cpu < p->cap ? p->by_cpu[cpu] : NULL;
	struct assembly a = { .page_size = page_size };
	struct page_scan scan = { .a = &a, .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	int64_t n = 0, part;
	uint8_t *page;
	struct err e;

	if (!at || !is_linked(at->fd))
		return 0;
	if (pagescan_cpu(&scan, at->fd, cpu, at->base,
			 at->own ? spooldir_size(at->fd) : at->base + at->room, &e) < 0)
		n = -1;
	page = mem_alloc(page_size);
	for (unsigned i = 0; i < a.n && n >= 0; i++) {
		part = extent_events(&a.v[i], page, page_size, page_head);
		n = part < 0 ? -1 : n + part;
	}
	free(page);
	free(a.v);
	pagescan_fini(&scan);
	return n;
}
