// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * v6: finds the parts of a version 6 trace.dat.  They follow each other, each stating its own
 * length, so a first pass follows the lengths and notes the place of each part.
 */
#include "base/mem.h"
#include "reader/dat/buffers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 65536
#define MAX_OPTIONS (64u << 20) /* bytes of the options block */

/* A forward reader over the file with one window in memory. */
struct hop {
	struct dat *d;
	const struct input *in;
	bool big_endian;
	uint64_t off; /* of the next byte */
	uint8_t *buf;
	uint64_t buf_off;
	size_t buf_len;
};

/* The next LEN bytes (at most WINDOW), borrowed; the position moves on. */
static int hop_bytes(struct hop *h, size_t len, const uint8_t **out, struct err *e)
{
	if (h->off < h->buf_off || h->off + len > h->buf_off + h->buf_len) {
		ssize_t n = input_read_some(h->in, h->buf, WINDOW, h->off, e);

		/* The unreadable part may be after what is needed. */
		if (n < 0)
			n = input_read_some(h->in, h->buf, len, h->off, e);
		if (n < 0)
			return -1;
		h->buf_off = h->off;
		h->buf_len = n;
		if ((size_t)n < len) {
			dat_tells(h->d, h->off, len);
			return err_minus(dat_head_cut(h->off, h->in->size, e));
		}
	}
	*out = h->buf + (h->off - h->buf_off);
	h->off += len;
	return 0;
}

static int hop_u32(struct hop *h, uint32_t *out, struct err *e)
{
	const uint8_t *p;

	TRY(hop_bytes(h, 4, &p, e));
	*out = bytes_u32(p, h->big_endian);
	return 0;
}

static int hop_u64(struct hop *h, uint64_t *out, struct err *e)
{
	const uint8_t *p;

	TRY(hop_bytes(h, 8, &p, e));
	*out = bytes_u64(p, h->big_endian);
	return 0;
}

/* Skip LEN bytes, which must be in the file. */
static int hop_over(struct hop *h, uint64_t len, struct err *e)
{
	dat_tells(h->d, h->off, len);
	if (len > h->in->size - h->off)
		return err_set(e, ERR_FORMAT, h->off,
			       "%" PRIu64 " byte%s announced and the file "
			       "has %" PRIu64 " left",
			       len, len == 1 ? " is" : "s are", h->in->size - h->off);
	h->off += len;
	return 0;
}

static int hop_string(struct hop *h, struct err *e)
{
	const uint8_t *p;

	for (unsigned i = 0; i < 256; i++) {
		TRY(hop_bytes(h, 1, &p, e));
		if (!*p)
			return 0;
	}
	return err_set(e, ERR_FORMAT, h->off, "a name has no end within 256 bytes");
}

static void set_part(struct dat *d, enum dat_id id, uint64_t from, uint64_t to)
{
	d->parts[id].present = to > from;
	d->parts[id].off = from;
	d->parts[id].size = to - from;
}

static int find_header_info(struct dat *d, struct hop *h, struct err *e)
{
	uint64_t from = h->off, len;

	for (int i = 0; i < 2; i++) {
		TRY(hop_string(h, e));
		TRY(hop_u64(h, &len, e));
		TRY(hop_over(h, len, e));
	}
	set_part(d, DAT_HEADER_INFO, from, h->off);
	return 0;
}

static int hop_formats(struct hop *h, struct err *e)
{
	uint64_t len;
	uint32_t n;

	TRY(hop_u32(h, &n, e));
	while (n--) {
		TRY(hop_u64(h, &len, e));
		TRY(hop_over(h, len, e));
	}
	return 0;
}

static int find_formats(struct dat *d, struct hop *h, struct err *e)
{
	uint64_t from = h->off;
	uint32_t n;
	int rc;

	rc = hop_formats(h, e);
	set_part(d, DAT_FTRACE_EVENTS, from, rc < 0 ? h->in->size : h->off);
	TRY(rc);
	from = h->off;
	rc = hop_u32(h, &n, e);
	while (rc == 0 && n--) {
		rc = hop_string(h, e);
		if (rc == 0)
			rc = hop_formats(h, e);
	}
	set_part(d, DAT_EVENT_FORMATS, from, rc < 0 ? h->in->size : h->off);
	return rc;
}

/* kallsyms, printk_formats, saved_cmdlines: {u32 or u64 size, text} */
static int find_texts(struct dat *d, struct hop *h, struct err *e)
{
	static const enum dat_id ids[] = { DAT_KALLSYMS, DAT_PRINTK, DAT_CMDLINES };

	for (unsigned i = 0; i < 3; i++) {
		uint64_t from = h->off, len;
		uint32_t len32;

		if (ids[i] == DAT_CMDLINES) {
			TRY(hop_u64(h, &len, e));
		} else {
			TRY(hop_u32(h, &len32, e));
			len = len32;
		}
		TRY(hop_over(h, len, e));
		set_part(d, ids[i], from, h->off);
	}
	return 0;
}

/* An instance, noted while options are read; its CPUCOUNT may follow. */
struct instance {
	uint64_t off, at; /* of its data, and of its option */
	char *name;
	unsigned ncpus;
};

struct options {
	struct instance *v;
	size_t cap;
	unsigned n;
	bool clock; /* option TRACECLOCK was present: the tables have a clock text */
};

static int buffer_option(struct dat *d, struct options *o, struct cursor c, struct err *e)
{
	const char *name;
	uint64_t off;

	TRY(cursor_u64(&c, &off, e));
	TRY(cursor_str(&c, &name, 256, e));
	TRY(dat_buffer_claim(o->n, c.base, e));
	o->v = mem_grow(o->v, &o->cap, o->n + 1, sizeof(*o->v));
	o->v[o->n++] = (struct instance){
		.off = off, .at = c.base, .name = mem_strdup(name), .ncpus = d->base.cpu_count
	};
	return 0;
}

/* The options after their marker, up to the end id 0. */
static int read_options(struct dat *d, struct hop *h, struct options *o, struct err *e)
{
	bool after_buffer = false;
	const uint8_t *p;

	for (;;) {
		uint32_t len;
		unsigned id;
		uint8_t *payload;
		struct cursor c;
		struct err bad;

		TRY(hop_bytes(h, 2, &p, e));
		id = bytes_u16(p, d->head.big_endian);
		if (!id)
			return 0;
		TRY(hop_u32(h, &len, e));
		if (len > MAX_OPTIONS || len > h->in->size - h->off)
			return err_set(e, ERR_FORMAT, h->off - 4,
				       "option %u of %u byte%s is not in the file", id, len,
				       plural(len));
		payload = mem_alloc(len + 1);
		if (input_read(h->in, payload, len, h->off, e) < 0) {
			free(payload);
			return -1;
		}
		cursor_init(&c, payload, len, h->off, d->head.big_endian);
		if (!dat_option_claim(d, h->off)) {
			free(payload);
			h->off += len;
			continue;
		}
		if (id == DAT_BUFFER) {
			if (buffer_option(d, o, c, &bad) < 0) {
				err_path(&bad, d->base.in.path);
				note_err(d->notes, NOTE_DAMAGE, &bad);
			}
		} else if (id == DAT_CPUCOUNT && after_buffer && len >= 4) {
			/* For the preceding instance, though trace-cmd uses it for all. */
			uint32_t n = bytes_u32(payload, d->head.big_endian);

			if (n > o->v[o->n - 1].ncpus && n <= DAT_MAX_CPU)
				o->v[o->n - 1].ncpus = n;
		} else {
			if (id == DAT_TRACECLOCK)
				o->clock = true;
			dat_option(d, id, c);
		}
		after_buffer = id == DAT_BUFFER && o->n;
		free(payload);
		h->off += len;
	}
}

/* Latency text extends to the file's end. */
static void add_text(struct dat *d, uint64_t off)
{
	struct buffer *b = dat_add_buffer(d, "", d->texts.clock ? d->texts.clock : "local", 4096);

	b->text = true;
	dat_add_cpu(d, b, 0, off, d->base.in.size - off, DAT_BARE);
}

static bool marker(struct dat *d, uint64_t off, const char *word)
{
	char text[10];
	struct err e;

	return input_read(&d->base.in, text, sizeof(text), off, &e) == 0 &&
	       !memcmp(text, word, strlen(word));
}

enum fit { FITS, FITS_NOT, UNREADABLE };

/*
 * Are there pages of SIZE bytes from OFF to END?  Checks the first few: times must not decrease,
 * and data must fit.
 */
static enum fit pages_fit(struct dat *d, uint64_t off, uint64_t end, uint32_t size)
{
	const struct page_layout *l = &d->layout;
	uint64_t last = 0;
	uint8_t head[16];
	struct err e;

	for (unsigned i = 0; i < 8 && off < end && end - off >= size; i++, off += size) {
		uint64_t ts;
		uint32_t word;

		if (input_read(&d->base.in, head, sizeof(head), off, &e) < 0)
			return e.kind == ERR_SYS ? UNREADABLE : FITS_NOT;
		ts = bytes_u64(head, l->big_endian);
		word = bytes_u32(head + (l->big_endian && l->long_size == 8 ? 12 : 8),
				 l->big_endian);
		if ((ts && ts < last) || (word & 0x07ffffff) > size - l->data_off)
			return FITS_NOT;
		if (ts)
			last = ts;
	}
	return FITS;
}

/*
 * A v6 file states only one sub-buffer size, and an instance may have another: if its pages are
 * invalid with that, use the smallest size with which they are valid.  A CPU whose pages cannot be
 * read does not count.
 */
static void fit_page_size(struct dat *d, struct buffer *b)
{
	for (unsigned i = 0; i < b->ncpus; i++) {
		const struct buffer_cpu *c = &b->cpus[i];

		if (pages_fit(d, c->off, c->off + c->size, b->page_size) != FITS_NOT)
			continue;
		for (uint32_t size = 4096; size <= 1u << 20; size *= 2)
			if (size != b->page_size && c->size >= size &&
			    pages_fit(d, c->off, c->off + c->size, size) == FITS) {
				note_say(d->notes, NOTE_WARN,
					 "%s: buffer \"%s\" has sub-buffers of %u bytes by the "
					 "look of them, though the file does not say so",
					 d->base.in.path, b->name, size);
				b->page_size = size;
				return;
			}
		return;
	}
}

static void add_instances(struct dat *d, const struct options *o)
{
	struct err e;

	for (unsigned i = 0; i < o->n; i++) {
		const struct instance *in = &o->v[i];
		int rc;

		if (!marker(d, in->off, "flyreco") && !marker(d, in->off, "options"))
			rc = err_set(&e, ERR_FORMAT, in->at, "no data of the buffer at 0x%" PRIx64,
				     in->off);
		else
			rc = dat_flyrecord(d, in->off + 10, in->ncpus, o->clock, in->name, &e);
		if (rc == 0)
			fit_page_size(d, &d->base.buffers[d->base.nbuffers - 1]);
		if (rc < 0) {
			err_within(&e, "buffer \"%s\"", in->name);
			err_path(&e, d->base.in.path);
			note_err(d->notes, NOTE_DAMAGE, &e);
		}
	}
}

/* From the CPU count on: options, then data. */
static int read_tail(struct dat *d, struct hop *h, struct options *o, struct err *e)
{
	unsigned ncpus;
	uint32_t n;

	TRY(hop_u32(h, &n, e));
	if (!n || n > DAT_MAX_CPU || n > (h->in->size - h->off) / 16)
		return err_set(e, ERR_FORMAT, h->off - 4, "%u CPU%s not possible here", n,
			       n == 1 ? " is" : "s are");
	ncpus = d->base.cpu_count = n;
	if (marker(d, h->off, "options")) {
		h->off += 10;
		TRY(read_options(d, h, o, e));
	}
	dat_claim(d, 0, h->off);
	if (marker(d, h->off, "latency")) {
		add_text(d, h->off + 10);
		return 0;
	}
	if (!d->with_data && h->off >= h->in->size)
		return 0; /* a network client's metadata end here */
	if (!marker(d, h->off, "flyrecord"))
		return err_set(e, ERR_FORMAT, h->off,
			       "neither trace data nor latency text begins here");
	TRY(dat_flyrecord(d, h->off + 10, ncpus, o->clock, "", e));
	fit_page_size(d, &d->base.buffers[0]);
	add_instances(d, o);
	if (d->with_data)
		dat_rest(d, 0, d->base.in.size);
	return 0;
}

int dat6_read(struct dat *d, struct err *e)
{
	struct hop h = {
		.d = d, .in = &d->base.in, .big_endian = d->head.big_endian, .off = d->head.len
	};
	struct options o = { 0 };
	struct err bad;
	uint32_t size;
	int rc;

	d->base.dialect = "v6";
	h.buf = mem_alloc(WINDOW);
	rc = hop_u32(&h, &size, e);
	if (rc == 0 && !dat_page_size_ok(size))
		rc = err_set(e, ERR_FORMAT, d->head.len, "a page size of %u byte%s is not possible",
			     size, plural(size));
	if (rc < 0)
		goto out;
	d->head.page_size = d->layout.page_size = size;
	rc = find_header_info(d, &h, e);
	if (rc < 0)
		goto out;
	rc = find_formats(d, &h, &bad);
	if (rc == 0)
		rc = find_texts(d, &h, &bad);
	dat_read_formats(d);
	/*
	 * A kernel with sub-buffers larger than pages: header_page is right, the header may not be.
	 */
	if (d->layout.page_size != d->head.page_size && dat_page_size_ok(d->layout.page_size))
		d->head.page_size = d->layout.page_size;
	if (rc == 0)
		rc = read_tail(d, &h, &o, &bad);
	if (rc < 0) {
		/* The formats may be complete, but are of little use without data. */
		d->base.salvaged = true;
		err_path(&bad, d->base.in.path);
		note_err(d->notes, NOTE_DAMAGE, &bad);
		rc = 0;
	}
	if (!d->base.nbuffers)
		d->base.salvaged = true;
out:
	for (unsigned i = 0; i < o.n; i++)
		free(o.v[i].name);
	free(o.v);
	free(h.buf);
	return rc;
}
