// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * assemble: turns metadata and extents of pages into a trace.dat, in place (holes are taken out of
 * the file without copying) or as a copy (which shares blocks where the file system can).
 */
#include "record/file/assemble.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/write_at.h"
#include "reader/model/comm_log.h"
#include "record/comm_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define COPY_BUF (1u << 20)
#define COPY_ONE (1u << 30) /* bytes of one copy_file_range(): signals have to wait for it */
#define MAX_GAPS 4096	    /* to be taken out; each moves all that is behind it */
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
	bool can;

	can = ftruncate(fd, (off_t)size) == 0 && pwrite(fd, &byte, 1, (off_t)(3 * block)) == 1 &&
	      fallocate(fd, FALLOC_FL_COLLAPSE_RANGE, (off_t)block, (off_t)block) == 0;
	return ftruncate(fd, 0) == 0 && can;
}

/* ---- the metadata ---- */

static int load(int fd, uint8_t *p, size_t len, uint64_t off, struct err *e)
{
	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, off, "cannot read");
		if (!n)
			return err_set(e, ERR_FORMAT, off, "the file ends here, too early");
		p += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

struct beginning {
	uint8_t *p; /* freed by the owner of the struct */
	size_t len;
	struct dat7_head head;
	uint64_t done_off;
};

static int beginning_load(struct beginning *b, const struct assembly *a, struct err *e)
{
	memset(b, 0, sizeof(*b));
	if (a->meta_len > DAT_MAX_META)
		return err_set(e, ERR_FORMAT, 0,
			       "%" PRIu64 " bytes of metadata: at most %u are "
			       "read",
			       a->meta_len, DAT_MAX_META);
	b->p = mem_alloc(a->meta_len + 1);
	b->len = a->meta_len;
	if (load(a->meta_fd, b->p, b->len, 0, e) < 0 ||
	    dat7_look(b->p, b->len, &b->head, &b->done_off, e) < 0) {
		free(b->p);
		return err_within(e, "metadata");
	}
	return 0;
}

/* The payload of the section that the location option PAYLOAD points to; no packed one. */
static int located(const struct beginning *b, const uint8_t *payload, size_t size,
		   struct cursor *out, struct err *e)
{
	struct cursor c;
	uint64_t off, len;
	uint16_t id, flags;
	uint32_t name;

	if (size < 8)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "an option that leads nowhere");
	off = bytes_u64(payload, b->head.big_endian);
	if (off > b->len)
		return err_set(e, ERR_FORMAT, off, "a section behind the end of the metadata");
	cursor_init(&c, b->p, b->len, 0, b->head.big_endian);
	c.pos = off;
	TRY(cursor_u16(&c, &id, e));
	TRY(cursor_u16(&c, &flags, e));
	TRY(cursor_u32(&c, &name, e));
	TRY(cursor_u64(&c, &len, e));
	if (flags)
		return err_set(e, ERR_FORMAT, off, "section %u is compressed already", id);
	return cursor_sub(&c, len, out, e);
}

/* Find the formats. */
struct find_formats {
	const struct beginning *b;
	struct cursor c;
	bool found;
};

static int find_formats(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct find_formats *f = arg;

	if (id != DAT_EVENT_FORMATS)
		return 0;
	TRY(located(f->b, payload, size, &f->c, e));
	f->found = true;
	return 0;
}

/* The section of formats once more, with those that came later: of two a reader takes the later. */
static int more_formats(const struct assembly *a, const struct beginning *b, struct dat7_writer *w,
			struct err *e)
{
	struct find_formats f = { .b = b };
	const char *p = a->formats, *end = p + a->formats_len;
	uint8_t *buf, *to;
	uint32_t systems = 0;
	int rc;

	TRY(dat7_each_option(b->p, b->len, find_formats, &f, e));
	if (f.found)
		TRY(cursor_u32(&f.c, &systems, e));
	/* A head of 12 bytes replaces the NUL of each text. */
	buf = mem_alloc(4 + cursor_left(&f.c) + 12 * (a->formats_len / 2 + 1) + a->formats_len);
	to = buf + 4;
	if (f.found)
		memcpy(to, f.c.p + f.c.pos, cursor_left(&f.c));
	to += cursor_left(&f.c);
	while (p < end) {
		const char *text = memchr(p, '\0', (size_t)(end - p)), *stop;

		if (!text || !(stop = memchr(text + 1, '\0', (size_t)(end - text - 1))))
			break; /* cut */
		text++;
		memcpy(to, p, (size_t)(text - p));
		to += text - p;
		dat7_put(to, 1, 4, b->head.big_endian);
		dat7_put(to + 4, (uint64_t)(stop - text), 8, b->head.big_endian);
		memcpy(to + 12, text, (size_t)(stop - text));
		to += 12 + (stop - text);
		systems++;
		p = stop + 1;
	}
	dat7_put(buf, systems, 4, b->head.big_endian);
	rc = dat7_section(w, DAT_EVENT_FORMATS, "events format", buf, (size_t)(to - buf), e);
	free(buf);
	return rc;
}

/* ---- what stands behind the pages ---- */

static void add_stats(const struct assembly *a, struct dat7_writer *w)
{
	for (unsigned i = 0; i < a->nstats; i++) {
		size_t room;
		char *text;
		int len;

		if (!a->stats[i])
			continue;
		room = strlen(a->stats[i]) + 32;
		text = mem_alloc(room);
		len = snprintf(text, room, "CPU: %d\n%s", a->stat_cpus[i], a->stats[i]);
		dat7_option(w, DAT_CPUSTAT, text, (size_t)len + 1);
		free(text);
	}
}

struct names_text {
	const char *text;
	size_t len, log_len;
	uint8_t *log; /* to be freed, as is */
	char *own;
};

/* What nobody listed is listed from what was told with its time. */
static void names_text_init(struct names_text *t, const struct assembly *a)
{
	char *lines;
	size_t n;

	*t = (struct names_text){ .text = a->comms ? a->comms : "", .len = a->comms_len };
	if (!a->names_len)
		return;
	t->log = commlog_sort(a->names, a->names_len, &t->log_len);
	if (a->comms_len)
		return;
	lines = commlog_lines(t->log, t->log_len, &n);
	t->text = t->own = commtext_tidy(lines, n, &t->len);
	free(lines);
}

static int add_comms(const struct assembly *a, const struct beginning *b, struct dat7_writer *w,
		     struct err *e)
{
	struct names_text t;
	uint8_t *buf;
	int rc;

	names_text_init(&t, a);
	buf = mem_alloc(8 + t.len + 1 + COMMLOG_MAGIC_LEN + t.log_len);
	memcpy(buf + 8, t.text, t.len);
	if (t.log_len) {
		/* A NUL ends it for everybody else. */
		memcpy(buf + 8 + t.len, "\0" COMMLOG_MAGIC, 1 + COMMLOG_MAGIC_LEN);
		t.len += 1 + COMMLOG_MAGIC_LEN;
		memcpy(buf + 8 + t.len, t.log, t.log_len);
		t.len += t.log_len;
	}
	dat7_put(buf, t.len, 8, b->head.big_endian);
	rc = dat7_section(w, DAT_CMDLINES, "command lines", buf, 8 + t.len, e);
	free(buf);
	free(t.log);
	free(t.own);
	return rc;
}

/* The BUFFER section is there: the rest of the file. */
static int add_rest(const struct assembly *a, const struct beginning *b, struct dat7_writer *w,
		    struct err *e)
{
	add_stats(a, w);
	if (a->comms || a->names_len)
		TRY(add_comms(a, b, w, e));
	if (a->formats_len)
		TRY(more_formats(a, b, w, e));
	TRY(dat7_options(w, e));
	return dat7_finish(w, e);
}

/* ---- in place ---- */

/*
 * Where extent I may begin once everything before it, which ends at PREV, is in place: I itself
 * tells whether it can.
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
	/* Each gap taken out has made the file shorter, the last one first. */
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
	struct beginning b;
	unsigned n = 0;
	int rc = -1;

	for (unsigned i = 0; i < a->n; i++) {
		if (!i || a->v[i].cpu != a->v[i - 1].cpu)
			cpus[n++] = (struct dat7_cpu){ .cpu = a->v[i].cpu, .off = a->v[i].off };
		cpus[n - 1].size += a->v[i].len;
	}
	if (beginning_load(&b, a, e) == 0) {
		w = dat7_writer_resume(a->meta_fd, &b.head, b.done_off, a->meta_len);
		rc = dat7_buffer_in_place(w, a->meta_len, end, "", a->clock, a->page_size, cpus, n,
					  e);
		if (rc == 0)
			rc = add_rest(a, &b, w, e);
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

		rc = load(in, buf, part, off, e);
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
		/* Not between these file systems; or the disk is full, which is met again. */
		if (n <= 0)
			return copy_slowly(in, off, out, to, len, e);
		off += (uint64_t)n;
		to += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static int copy_plain(const struct assembly *a, const struct beginning *b, int out, struct err *e)
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
		rc = add_rest(a, b, w, e);
	free(cpus);
	dat7_writer_free(w);
	return rc;
}

/* The metadata section by section, as the writer packs them. */
struct repack {
	const struct beginning *b;
	struct dat7_writer *w;
};

static int repack_option(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	static const char *const names[] = { "headers",	 "ftrace events", "events format",
					     "kallsyms", "printk",	  "command lines" };
	struct repack *r = arg;
	struct cursor c;

	if (id < DAT_HEADER_INFO || id > DAT_CMDLINES) {
		dat7_option(r->w, id, payload, size);
		return 0;
	}
	TRY(located(r->b, payload, size, &c, e));
	return dat7_section(r->w, id, names[id - DAT_HEADER_INFO], c.p, c.len, e);
}

/* The extents of CPU, as one run of bytes. */
struct run {
	const struct assembly *a;
	const unsigned *first; /* extent of the I-th CPU */
};

static ssize_t read_run(void *arg, unsigned i, void *buf, size_t len, uint64_t at, struct err *e)
{
	struct run *r = arg;

	for (unsigned k = r->first[i]; k < r->first[i + 1]; k++) {
		const struct extent *x = &r->a->v[k];

		if (at < x->len) {
			if (len > x->len - at)
				len = (size_t)(x->len - at);
			TRY(load(x->fd, buf, len, x->off + at, e));
			return (ssize_t)len;
		}
		at -= x->len;
	}
	return 0;
}

static int copy_packed(const struct assembly *a, const struct beginning *b, int out, struct err *e)
{
	struct dat7_head h = b->head;
	unsigned *first = mem_zalloc((a->n + 2) * sizeof(*first)), n = 0;
	int *cpus = mem_zalloc((a->n + 1) * sizeof(*cpus));
	struct run run = { a, first };
	struct repack r = { .b = b };
	int rc = -1;

	h.codec = a->codec;
	for (unsigned i = 0; i < a->n; i++)
		if (!i || a->v[i].cpu != a->v[i - 1].cpu) {
			first[n] = i;
			cpus[n++] = a->v[i].cpu;
		}
	first[n] = a->n;
	r.w = dat7_writer_new(out, &h, e);
	if (r.w) {
		rc = dat7_each_option(b->p, b->len, repack_option, &r, e);
		if (rc == 0)
			rc = dat7_options(r.w, e);
		if (rc == 0)
			rc = dat7_buffer(r.w, "", a->clock, a->page_size, cpus, n, read_run, &run,
					 e);
		if (rc == 0)
			rc = add_rest(a, b, r.w, e);
	}
	dat7_writer_free(r.w);
	free(first);
	free(cpus);
	return rc;
}

int assemble_copy(const struct assembly *a, int out, struct err *e)
{
	struct beginning b;
	int rc;

	TRY(beginning_load(&b, a, e));
	if (a->codec == CODEC_NONE)
		rc = copy_plain(a, &b, out, e);
	else
		rc = copy_packed(a, &b, out, e);
	free(b.p);
	return rc;
}
