// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dat_write: writes a trace.dat v7: sections back to back, options sections in a chain, buffers
 * bare and aligned, or in compressed chunks.
 */
#include "record/dat_write.h"

#include "base/mem.h"
#include "base/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define META_LEVEL 6   /* of zstd for sections: kallsyms takes a tenth less than at 3 ... */
#define SOON_LEVEL 3   /* ... which takes a third of the time */
#define CHUNK_PAGES 10 /* sub-buffers in a compressed chunk, as in stock's files */

/*
 * The names of sections.  A file that is resumed already has offsets into this table, so
 * it always begins like this; stock's files have the same names in this order.
 */
static const char known_names[] = "headers\0"
				  "ftrace events\0"
				  "events format\0"
				  "kallsyms\0"
				  "printk\0"
				  "options\0"
				  "command lines\0"
				  "buffer flyrecord \0"
				  "strings";

struct dat7_writer {
	int fd;
	struct dat7_head h;
	uint64_t end;
	uint64_t link; /* offset of the u64 that is to point to the next options */
	uint8_t *opts;
	size_t opts_len, opts_cap;
	char *strings;
	size_t strings_len, strings_cap;
	struct packer *packer; /* NULL: not compressed */
	int level;	       /* of sections */
};

/* ---- numbers and bytes ---- */

static int append(struct dat7_writer *w, const void *p, size_t len, struct err *e)
{
	TRY(write_at(w->fd, p, len, w->end, e));
	w->end += len;
	return 0;
}

static int patch(struct dat7_writer *w, uint64_t off, uint64_t v, unsigned size, struct err *e)
{
	uint8_t b[8];

	bytes_put(b, v, size, w->h.big_endian);
	return write_at(w->fd, b, size, off, e);
}

static void option_put(struct dat7_writer *w, uint64_t v, unsigned size)
{
	w->opts = mem_grow(w->opts, &w->opts_cap, w->opts_len + size, 1);
	bytes_put(w->opts + w->opts_len, v, size, w->h.big_endian);
	w->opts_len += size;
}

static void option_bytes(struct dat7_writer *w, const void *p, size_t len)
{
	w->opts = mem_grow(w->opts, &w->opts_cap, w->opts_len + len + 1, 1);
	if (len)
		memcpy(w->opts + w->opts_len, p, len);
	w->opts_len += len;
}

/* The offset of NAME in the table of names, added if it is new. */
static uint32_t name_id(struct dat7_writer *w, const char *name)
{
	size_t len = strlen(name) + 1;

	for (size_t at = 0; at < w->strings_len; at += strlen(w->strings + at) + 1)
		if (!strcmp(w->strings + at, name))
			return (uint32_t)at;
	w->strings = mem_grow(w->strings, &w->strings_cap, w->strings_len + len, 1);
	memcpy(w->strings + w->strings_len, name, len);
	w->strings_len += len;
	return (uint32_t)(w->strings_len - len);
}

/* A section's header at OFF. */
static int section_head(struct dat7_writer *w, uint64_t off, unsigned id, unsigned flags,
			const char *name, uint64_t size, struct err *e)
{
	uint8_t head[DAT7_SECTION];

	bytes_put(head, id, 2, w->h.big_endian);
	bytes_put(head + 2, flags, 2, w->h.big_endian);
	bytes_put(head + 4, name_id(w, name), 4, w->h.big_endian);
	bytes_put(head + 8, size, 8, w->h.big_endian);
	return write_at(w->fd, head, sizeof(head), off, e);
}

/* ---- the beginning ---- */

static struct dat7_writer *writer_make(int fd, const struct dat7_head *h)
{
	struct dat7_writer *w = mem_zalloc(sizeof(*w));

	w->fd = fd;
	w->h = *h;
	w->level = META_LEVEL;
	if (h->codec != CODEC_NONE)
		w->packer = packer_new(h->codec);
	w->strings = mem_grow(NULL, &w->strings_cap, sizeof(known_names), 1);
	memcpy(w->strings, known_names, sizeof(known_names));
	w->strings_len = sizeof(known_names);
	return w;
}

void dat7_writer_soon(struct dat7_writer *w)
{
	w->level = SOON_LEVEL;
}

struct dat7_writer *dat7_writer_new(int fd, const struct dat7_head *h, struct err *e)
{
	const char *codec = codec_name(h->codec), *version = codec_version(h->codec);
	struct dat7_writer *w = writer_make(fd, h);
	uint8_t order[2] = { h->big_endian, (uint8_t)h->long_size }, size[4], zero[8] = { 0 };

	bytes_put(size, h->page_size, 4, h->big_endian);
	if (append(w, DAT_MAGIC "7", DAT_MAGIC_LEN + 2, e) < 0 ||
	    append(w, order, sizeof(order), e) < 0 || append(w, size, sizeof(size), e) < 0 ||
	    append(w, codec, strlen(codec) + 1, e) < 0 ||
	    append(w, version, strlen(version) + 1, e) < 0) {
		dat7_writer_free(w);
		return NULL;
	}
	w->link = w->end;
	if (append(w, zero, sizeof(zero), e) < 0) {
		dat7_writer_free(w);
		return NULL;
	}
	return w;
}

struct dat7_writer *dat7_writer_resume(int fd, const struct dat7_head *h, uint64_t done_off,
				       uint64_t end)
{
	struct dat7_writer *w = writer_make(fd, h);

	w->link = done_off;
	w->end = end;
	return w;
}

void dat7_writer_free(struct dat7_writer *w)
{
	if (!w)
		return;
	packer_free(w->packer);
	free(w->opts);
	free(w->strings);
	free(w);
}

uint64_t dat7_end(const struct dat7_writer *w)
{
	return w->end;
}

/* ---- sections and options ---- */

int dat7_section(struct dat7_writer *w, unsigned id, const char *name, const void *payload,
		 size_t len, struct err *e)
{
	uint64_t head = w->end;
	size_t bound;
	uint8_t *buf;
	int64_t n;
	int rc;

	option_put(w, id, 2);
	option_put(w, 8, 4);
	option_put(w, head, 8);
	w->end += DAT7_SECTION;
	if (!w->packer) {
		TRY(append(w, payload, len, e));
		return section_head(w, head, id, 0, name, len, e);
	}
	if (len > UINT32_MAX / 2)
		return err_set(e, ERR_FORMAT, head, "%zu bytes of metadata (%s): too large", len,
			       name);
	bound = packer_bound(w->packer, len);
	buf = mem_alloc(bound + 8);
	packer_level(w->packer, w->level);
	n = packer_block(w->packer, payload, len, buf + 8, bound, e);
	if (n >= 0) {
		bytes_put(buf, (uint64_t)n, 4, w->h.big_endian);
		bytes_put(buf + 4, len, 4, w->h.big_endian);
	}
	rc = n < 0 ? -1 : append(w, buf, (size_t)n + 8, e);
	free(buf);
	TRY(rc);
	return section_head(w, head, id, DAT7_PACKED, name, (uint64_t)n + 8, e);
}

void dat7_option(struct dat7_writer *w, unsigned id, const void *payload, size_t len)
{
	option_put(w, id, 2);
	option_put(w, len, 4);
	option_bytes(w, payload, len);
}

int dat7_options(struct dat7_writer *w, struct err *e)
{
	uint64_t head = w->end, link = w->link;

	option_put(w, DAT_DONE, 2);
	option_put(w, 8, 4);
	option_put(w, 0, 8);
	w->end += DAT7_SECTION;
	TRY(append(w, w->opts, w->opts_len, e));
	TRY(section_head(w, head, DAT_DONE, 0, "options", w->opts_len, e));
	w->opts_len = 0;
	w->link = w->end - 8;
	/* Last, so that a file truncated here still ends where it ended before. */
	return patch(w, link, head, 8, e);
}

/* ---- buffers ---- */

static void buffer_option(struct dat7_writer *w, uint64_t head, const char *name, const char *clock,
			  uint32_t page_size, const struct dat7_cpu *cpus, unsigned ncpus)
{
	size_t name_len = strlen(name) + 1, clock_len = strlen(clock) + 1;
	unsigned n = 0;

	for (unsigned i = 0; i < ncpus; i++)
		n += cpus[i].size != 0;
	option_put(w, DAT_BUFFER, 2);
	option_put(w, 8 + name_len + clock_len + 8 + 20ull * n, 4);
	option_put(w, head, 8);
	option_bytes(w, name, name_len);
	option_bytes(w, clock, clock_len);
	option_put(w, page_size, 4);
	option_put(w, n, 4);
	for (unsigned i = 0; i < ncpus; i++) {
		if (!cpus[i].size)
			continue;
		option_put(w, (uint32_t)cpus[i].cpu, 4);
		option_put(w, cpus[i].off, 8);
		option_put(w, cpus[i].size, 8);
	}
}

static int buffer_head(struct dat7_writer *w, uint64_t head, const char *name, uint64_t end,
		       struct err *e)
{
	static const char what[] = "buffer flyrecord ";
	size_t len = sizeof(what) + strlen(name);
	char *title = mem_alloc(len);
	int rc;

	memcpy(title, what, sizeof(what));
	memcpy(title + sizeof(what) - 1, name, strlen(name) + 1);
	rc = section_head(w, head, DAT_BUFFER, w->packer ? DAT7_PACKED : 0, title,
			  end - head - DAT7_SECTION, e);
	free(title);
	return rc;
}

/* Fetches one CPU's data; with its buffers. */
struct cpu_copy {
	ssize_t (*read)(void *arg, unsigned i, void *buf, size_t len, uint64_t at, struct err *e);
	void *arg;
	unsigned i;
	uint8_t *buf, *packed;
	size_t size, bound; /* of buf: a whole number of sub-buffers; size of packed */
};

/* As many bytes as a chunk has, or as are left. */
static ssize_t fill(struct cpu_copy *c, uint64_t at, struct err *e)
{
	size_t have = 0;

	while (have < c->size) {
		ssize_t n = c->read(c->arg, c->i, c->buf + have, c->size - have, at + have, e);

		if (n < 0)
			return -1;
		if (!n)
			break;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

/* The data of one CPU, of which the first HAVE bytes have been fetched. */
static int copy_cpu(struct dat7_writer *w, struct cpu_copy *c, size_t have, struct err *e)
{
	uint64_t at = 0, count_off = w->end;
	uint32_t chunks = 0;
	uint8_t head[8] = { 0 };

	if (w->packer)
		TRY(append(w, head, 4, e));
	while (have) {
		ssize_t n;

		if (w->packer) {
			int64_t len = packer_block(w->packer, c->buf, have, c->packed, c->bound, e);

			if (len < 0)
				return -1;
			bytes_put(head, (uint64_t)len, 4, w->h.big_endian);
			bytes_put(head + 4, have, 4, w->h.big_endian);
			TRY(append(w, head, sizeof(head), e));
			TRY(append(w, c->packed, (size_t)len, e));
			chunks++;
		} else {
			TRY(append(w, c->buf, have, e));
		}
		at += have;
		n = fill(c, at, e);
		if (n < 0)
			return -1;
		have = (size_t)n;
	}
	return w->packer ? patch(w, count_off, chunks, 4, e) : 0;
}

int dat7_buffer(struct dat7_writer *w, const char *name, const char *clock, uint32_t page_size,
		const int *cpus, unsigned ncpus,
		ssize_t (*read)(void *arg, unsigned i, void *buf, size_t len, uint64_t at,
				struct err *e),
		void *arg, struct err *e)
{
	struct dat7_cpu *out = mem_zalloc((ncpus + 1) * sizeof(*out));
	struct cpu_copy c = { .read = read, .arg = arg, .size = (size_t)page_size * CHUNK_PAGES };
	uint64_t head = w->end;
	int rc = -1;

	c.buf = mem_alloc(c.size);
	if (w->packer) {
		packer_level(w->packer, 0);
		c.bound = packer_bound(w->packer, c.size);
		c.packed = mem_alloc(c.bound);
	}
	w->end += DAT7_SECTION;
	for (unsigned i = 0; i < ncpus; i++) {
		ssize_t n;

		c.i = i;
		n = fill(&c, 0, e);
		if (n < 0)
			goto out;
		out[i].cpu = cpus[i];
		if (!n)
			continue;
		out[i].off = w->end = (w->end + page_size - 1) / page_size * page_size;
		if (copy_cpu(w, &c, (size_t)n, e) < 0)
			goto out;
		out[i].size = w->end - out[i].off;
	}
	rc = buffer_head(w, head, name, w->end, e);
	if (rc == 0)
		buffer_option(w, head, name, clock, page_size, out, ncpus);
out:
	free(c.buf);
	free(c.packed);
	free(out);
	return rc;
}

int dat7_buffer_in_place(struct dat7_writer *w, uint64_t head_off, uint64_t end, const char *name,
			 const char *clock, uint32_t page_size, const struct dat7_cpu *cpus,
			 unsigned ncpus, struct err *e)
{
	struct packer *packer = w->packer;
	int rc;

	w->packer = NULL; /* the data are not compressed, whatever the rest is */
	rc = buffer_head(w, head_off, name, end, e);
	w->packer = packer;
	TRY(rc);
	buffer_option(w, head_off, name, clock, page_size, cpus, ncpus);
	w->end = end;
	return 0;
}

int dat7_finish(struct dat7_writer *w, struct err *e)
{
	uint64_t head = w->end;

	w->end += DAT7_SECTION;
	TRY(append(w, w->strings, w->strings_len, e));
	return section_head(w, head, DAT_STRINGS, 0, "strings", w->strings_len, e);
}
