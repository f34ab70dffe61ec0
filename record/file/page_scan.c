// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_scan: finds the complete pages in the files that a dead recorder left.  Sparse files are
 * read only where they have data; the pages of a ring are put back in the order of time.
 */
#include "record/file/page_scan.h"

#include "base/bytes.h"
#include "base/io.h"
#include "base/mem.h"
#include "record/file/spool_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCAN_BUF (8u << 20) /* at least one sub-buffer of the greatest size */
#define PAGE_HEAD 16	    /* time stamp and commit word: never zero in a page that was written */

static void add_page(struct page_scan *s, int fd, int cpu, uint64_t off)
{
	struct assembly *a = s->a;
	struct extent *x = a->n ? &a->v[a->n - 1] : NULL;

	if (x && x->fd == fd && x->cpu == cpu && (x->off + x->len == off || a->n == EXTENTS_MAX)) {
		/* If there are too many holes, some stay: readers skip pages of zeros. */
		x->len = off + a->page_size - x->off;
		return;
	}
	a->v = mem_grow(a->v, &s->cap, a->n + 2u, sizeof(*a->v));
	a->v[a->n++] = (struct extent){ cpu, fd, off, a->page_size };
}

static void look_at_page(struct page_scan *s, int fd, int cpu, const uint8_t *p, uint64_t off)
{
	static const uint8_t zeros[PAGE_HEAD];
	uint64_t ts;

	if (!memcmp(p, zeros, PAGE_HEAD))
		return;
	ts = bytes_u64(p, s->big_endian);
	if (ts < s->last && !s->falls++)
		s->fall = off;
	s->last = ts;
	add_page(s, fd, cpu, off);
}

/* Complete pages from OFF to END of FD. */
static int scan_range(struct page_scan *s, int fd, int cpu, uint64_t off, uint64_t end,
		      struct err *e)
{
	uint32_t size = s->a->page_size;

	while (off < end && end - off >= size) {
		uint64_t want = end - off < SCAN_BUF ? (end - off) / size * size :
						       SCAN_BUF / size * size;
		ssize_t n = io_pread(fd, s->buf, (size_t)want, off);

		if (n < 0)
			return err_sys(e, off, "cannot read");
		if (n < (ssize_t)size)
			break;
		n -= n % (ssize_t)size;
		for (ssize_t at = 0; at < n; at += size)
			look_at_page(s, fd, cpu, s->buf + at, off + (uint64_t)at);
		off += (uint64_t)n;
	}
	return 0;
}

/* The same, but only where the file has data: the pages of a CPU begin at BASE. */
static int scan_sparse(struct page_scan *s, int fd, int cpu, uint64_t base, uint64_t end,
		       struct err *e)
{
	uint32_t size = s->a->page_size;
	uint64_t at = base;

	while (at < end) {
		off_t from = lseek(fd, (off_t)at, SEEK_DATA), to;

		if (from < 0 && errno == ENXIO)
			break; /* holes only, up to the end */
		if (from < 0)
			from = (off_t)at;
		if ((uint64_t)from >= end)
			break;
		to = lseek(fd, from, SEEK_HOLE);
		if (to < 0 || (uint64_t)to > end)
			to = (off_t)end;
		/* An incomplete page does not count. */
		from = (off_t)(base + ((uint64_t)from - base + size - 1) / size * size);
		TRY(scan_range(s, fd, cpu, (uint64_t)from, (uint64_t)to, e));
		at = (uint64_t)to;
	}
	return 0;
}

/* A ring that has wrapped begins with its newest pages: put the extents from FIRST on in order. */
static void rotate(struct page_scan *s, unsigned first)
{
	struct assembly *a = s->a;
	struct extent *tmp;
	unsigned i, n;

	if (!s->falls || s->ring == RING_NO || (s->ring == RING_UNKNOWN && s->falls > 1))
		return;
	for (i = first; i < a->n && a->v[i].off + a->v[i].len <= s->fall; i++)
		;
	if (i == a->n)
		return;
	if (a->v[i].off < s->fall) {
		a->v = mem_grow(a->v, &s->cap, a->n + 1u, sizeof(*a->v));
		memmove(&a->v[i + 1], &a->v[i], (a->n - i) * sizeof(*a->v));
		a->n++;
		a->v[i].len = s->fall - a->v[i].off;
		a->v[i + 1].off += a->v[i].len;
		a->v[i + 1].len -= a->v[i].len;
		i++;
	}
	n = i - first;
	tmp = mem_alloc((n + 1) * sizeof(*tmp));
	memcpy(tmp, &a->v[first], n * sizeof(*tmp));
	memmove(&a->v[first], &a->v[i], (a->n - i) * sizeof(*tmp));
	memcpy(&a->v[a->n - n], tmp, n * sizeof(*tmp));
	free(tmp);
}

int pagescan_cpu(struct page_scan *s, int fd, int cpu, uint64_t base, uint64_t end, struct err *e)
{
	unsigned first = s->a->n;

	if (!s->buf)
		s->buf = mem_alloc(SCAN_BUF);
	s->last = 0;
	s->falls = 0;
	TRY(scan_sparse(s, fd, cpu, base, end, e));
	rotate(s, first);
	return 0;
}

int pagescan_places(struct page_scan *s, int fd, int shift, uint64_t first, struct err *e)
{
	uint64_t size = spooldir_size(fd), at = 2ull << shift;

	TRY(pagescan_cpu(s, fd, 0, first, at < size ? at : size, e));
	/* From one place that has data to the next. */
	while (at < size) {
		off_t data = lseek(fd, (off_t)at, SEEK_DATA);
		uint64_t base, end;

		if (data < 0 && errno == ENXIO)
			break; /* holes only, up to the end */
		if (data < 0)
			return err_sys(e, at, "cannot seek to data");
		base = (uint64_t)data >> shift << shift;
		end = base + (1ull << shift);
		if ((base >> shift) - 1 >= DAT_MAX_CPU)
			break;
		TRY(pagescan_cpu(s, fd, (int)((base >> shift) - 1), base, end < size ? end : size,
				 e));
		at = end;
	}
	return 0;
}

void pagescan_fini(struct page_scan *s)
{
	free(s->buf);
	s->buf = NULL;
}
