// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * assemble: puts the pages of a recording together as a trace.dat, in place (holes are taken out of
 * the file without copying) or as a copy (which shares blocks where the file system can).
 */
#include "record/file/assemble.h"

#include "base/mem.h"
#include "base/outfile.h"
#include "record/file/preamble.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define COPY_BUF (1u << 20)
#define COPY_ONE (1u << 30) /* bytes of one copy_file_range(): signals have to wait for it */
#define MAX_GAPS 4096	    /* holes to be taken out; each moves everything after it */
#define ALIGN_UP(x, to) (((x) + (to)-1) / (to) * (to))

static uint64_t block_size(int fd)
{
	struct statvfs v;

	return fstatvfs(fd, &v) == 0 && v.f_bsize ? v.f_bsize : 4096;
}

bool assemble_can_collapse(int fd, uint64_t size)
{
	uint64_t block = block_size(fd);
	char byte = 0;

	return ftruncate(fd, (off_t)size) == 0 && pwrite(fd, &byte, 1, (off_t)(3 * block)) == 1 &&
	       fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)block, (off_t)block) == 0;
}

/* ---- in place ---- */

/*
 * Where extent I may begin once everything before it, which ends at PREV, is in place.  Whether it
 * can be moved there depends on where it is now.
 */
static uint64_t place(const struct assembly *a, unsigned i, uint64_t prev, uint64_t unit)
{
	bool same = i && a->v[i - 1].cpu == a->v[i].cpu;

	return same ? prev : ALIGN_UP(prev, unit);
}

/* Holes go in whole blocks, and CPUs begin at a multiple of the page size. */
static bool can_be_in_place(const struct assembly *a, uint64_t unit)
{
	uint64_t prev = a->meta_len + DAT7_SECTION;

	if (a->n > MAX_GAPS)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		uint64_t to = place(a, i, prev, unit);

		if (a->v[i].fd != a->meta_fd || a->v[i].off % unit || to % unit || a->v[i].off < to)
			return false;
		prev = a->v[i].off + a->v[i].len;
	}
	return a->n;
}

static uint64_t unit_of(const struct assembly *a)
{
	uint64_t block = block_size(a->meta_fd);

	return block > a->page_size ? block : a->page_size;
}

uint64_t assemble_first(int fd, uint64_t meta_len, uint32_t page_size)
{
	struct assembly a = { .meta_fd = fd, .meta_len = meta_len, .page_size = page_size };

	return place(&a, 0, meta_len + DAT7_SECTION, unit_of(&a));
}

/* Between extent I and the one before it: LEN bytes from FROM on. */
static uint64_t gap(const struct assembly *a, unsigned i, uint64_t *from)
{
	uint64_t prev = i ? a->v[i - 1].off + a->v[i - 1].len : a->meta_len + DAT7_SECTION;

	*from = place(a, i, prev, unit_of(a));
	return a->v[i].off - *from;
}

void assemble_resume(struct assembly *a, uint64_t size)
{
	uint64_t from, len, now;

	if (!a->n || !can_be_in_place(a, unit_of(a)))
		return;
	/* Each gap that was taken out, the last one first, made the file shorter. */
	now = a->v[a->n - 1].off + a->v[a->n - 1].len;
	for (unsigned i = a->n; i-- && now > size;) {
		len = gap(a, i, &from);
		for (unsigned k = i; k < a->n; k++)
			a->v[k].off -= len;
		now -= len;
	}
}

static int finish_in_place(const struct assembly *a, struct err *e)
{
	struct dat7_cpu *cpus = mem_zalloc((a->n + 1) * sizeof(*cpus));
	uint64_t end = a->v[a->n - 1].off + a->v[a->n - 1].len;
	struct dat7_writer *w = NULL;
	struct preamble b;
	unsigned n = 0;
	int rc = -1;

	for (unsigned i = 0; i < a->n; i++) {
		if (!i || a->v[i].cpu != a->v[i - 1].cpu)
			cpus[n++] = (struct dat7_cpu){ .cpu = a->v[i].cpu, .off = a->v[i].off };
		cpus[n - 1].size += a->v[i].len;
	}
	if (preamble_load(&b, a->meta_fd, a->meta_len, e) == 0) {
		w = dat7_writer_resume(a->meta_fd, &b.head, b.done_off, a->meta_len);
		rc = dat7_buffer_in_place(w, a->meta_len, end, "", a->clock, a->page_size, cpus, n,
					  e);
		if (rc == 0)
			rc = tail_write(a, &b, w, e);
		dat7_writer_free(w);
		free(b.p);
	}
	free(cpus);
	return rc;
}

int assemble_in_place(struct assembly *a,
		      int (*keep)(void *arg, const struct assembly *a, struct err *e), void *arg,
		      struct err *e)
{
	uint64_t from, len, end;

	if (a->codec != CODEC_NONE || !can_be_in_place(a, unit_of(a)))
		return 1;
	end = a->v[a->n - 1].off + a->v[a->n - 1].len;
	TRY(keep(arg, a, e));
	if (ftruncate(a->meta_fd, (off_t)end) < 0)
		return 1;
	for (unsigned i = a->n; i--;) {
		len = gap(a, i, &from);
		if (!len)
			continue;
		if (fallocate(a->meta_fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)from, (off_t)len) < 0)
			return 1;
		for (unsigned k = i; k < a->n; k++)
			a->v[k].off -= len;
	}
	return finish_in_place(a, e);
}

/* ---- as a copy ---- */

static int copy_slowly(int in, uint64_t off, int out, uint64_t to, uint64_t len, struct err *e)
{
	uint8_t *buf = mem_alloc(COPY_BUF);
	int rc = 0;

	while (len && rc == 0) {
		size_t part = len < COPY_BUF ? (size_t)len : COPY_BUF;

		rc = load_at(in, buf, part, off, e);
		if (rc == 0)
			rc = write_at(out, buf, part, to, e);
		off += part;
		to += part;
		len -= part;
	}
	free(buf);
	return rc;
}

static int copy_range(int in, uint64_t off, int out, uint64_t to, uint64_t len, struct err *e)
{
	while (len) {
		loff_t from = (loff_t)off, at = (loff_t)to;
		size_t part = len < COPY_ONE ? (size_t)len : COPY_ONE;
		ssize_t n = copy_file_range(in, &from, out, &at, part, 0);

		if (n < 0 && errno == EINTR)
			continue;
		/* Not between these file systems; or the disk is full, which will be seen again. */
		if (n <= 0)
			return copy_slowly(in, off, out, to, len, e);
		off += (uint64_t)n;
		to += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static int copy_plain(const struct assembly *a, const struct preamble *b, int out, struct err *e)
{
	struct dat7_writer *w = dat7_writer_resume(out, &b->head, b->done_off, a->meta_len);
	struct dat7_cpu *cpus = mem_zalloc((a->n + 1) * sizeof(*cpus));
	uint64_t end = a->meta_len + DAT7_SECTION;
	uint64_t block = block_size(out), unit = block > a->page_size ? block : a->page_size;
	unsigned n = 0;
	int rc = write_at(out, b->p, b->len, 0, e);

	for (unsigned i = 0; i < a->n && rc == 0; i++) {
		const struct extent *x = &a->v[i];

		if (!i || x->cpu != x[-1].cpu) {
			end = ALIGN_UP(end, unit);
			cpus[n++] = (struct dat7_cpu){ .cpu = x->cpu, .off = end };
		}
		rc = copy_range(x->fd, x->off, out, end, x->len, e);
		cpus[n - 1].size += x->len;
		end += x->len;
	}
	if (rc == 0)
		rc = dat7_buffer_in_place(w, a->meta_len, end, "", a->clock, a->page_size, cpus, n,
					  e);
	if (rc == 0)
		rc = tail_write(a, b, w, e);
	free(cpus);
	dat7_writer_free(w);
	return rc;
}

/* The extents of CPU, as one run of bytes. */
struct page_run {
	const struct assembly *a;
	const unsigned *first; /* extent of the I-th CPU */
};

static ssize_t read_run(void *arg, unsigned i, void *buf, size_t len, uint64_t at, struct err *e)
{
	struct page_run *r = arg;

	for (unsigned k = r->first[i]; k < r->first[i + 1]; k++) {
		const struct extent *x = &r->a->v[k];

		if (at < x->len) {
			if (len > x->len - at)
				len = (size_t)(x->len - at);
			TRY(load_at(x->fd, buf, len, x->off + at, e));
			return (ssize_t)len;
		}
		at -= x->len;
	}
	return 0;
}

static int copy_packed(const struct assembly *a, const struct preamble *b, int out, struct err *e)
{
	struct dat7_head h = b->head;
	unsigned *first = mem_zalloc((a->n + 2) * sizeof(*first)), n = 0;
	int *cpus = mem_zalloc((a->n + 1) * sizeof(*cpus));
	struct page_run run = { a, first };
	struct dat7_writer *w;
	int rc = -1;

	h.codec = a->codec;
	for (unsigned i = 0; i < a->n; i++)
		if (!i || a->v[i].cpu != a->v[i - 1].cpu) {
			first[n] = i;
			cpus[n++] = a->v[i].cpu;
		}
	first[n] = a->n;
	w = dat7_writer_new(out, &h, e);
	if (w) {
		rc = preamble_repack(b, w, e);
		if (rc == 0)
			rc = dat7_buffer(w, "", a->clock, a->page_size, cpus, n, read_run, &run, e);
		if (rc == 0)
			rc = tail_write(a, b, w, e);
	}
	dat7_writer_free(w);
	free(first);
	free(cpus);
	return rc;
}

int assemble_copy(const struct assembly *a, int out, struct err *e)
{
	struct preamble b;
	int rc;

	TRY(preamble_load(&b, a->meta_fd, a->meta_len, e));
	if (a->codec == CODEC_NONE)
		rc = copy_plain(a, &b, out, e);
	else
		rc = copy_packed(a, &b, out, e);
	free(b.p);
	return rc;
}
