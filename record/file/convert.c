// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * convert: makes a trace.dat of a zed stream, saved or from a pipe: its frames, in their order,
 * become calls of a spool.
 */
#include "record/file/convert.h"

#include "base/mem.h"
#include "reader/zedstream/format.h"
#include "record/dat_head.h"
#include "record/file/frames_in.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COMMS (64u << 20) /* bytes of names: more are left out */

struct convert {
	struct frames_in in;
	struct meta meta;
	size_t meta_cap;
	char clock[64];
	bool big_endian, ready;
};

static int take_meta(struct convert *c, const struct frame *f, struct err *e)
{
	if (c->ready)
		return frames_in_bad(&c->in, f, "comes too late");
	if (f->len > FRAMES_MAX_META - c->meta.len)
		return err_set(e, ERR_FORMAT, f->off, "metadata longer than %u bytes",
			       FRAMES_MAX_META);
	c->meta.p = mem_grow(c->meta.p, &c->meta_cap, c->meta.len + f->len + 1, 1);
	memcpy(c->meta.p + c->meta.len, f->p, f->len);
	c->meta.len += f->len;
	return 0;
}

static int cpu_count(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct convert *c = arg;

	if (id == DAT_CPUCOUNT && size >= 4)
		c->in.ncpus = bytes_u32(payload, c->big_endian);
	return 0;
}

/* The metadata are complete: begin the file. */
static int take_ready(struct convert *c, const struct frame *f, struct err *e)
{
	struct cursor p;
	struct dat7_head h;
	const char *clock;
	uint64_t len, done_off;

	if (c->ready)
		return frames_in_bad(&c->in, f, "comes a second time");
	cursor_init(&p, f->p, f->len, f->off + FRAMES_FRAME_LEN, false);
	TRY(cursor_u64(&p, &len, e));
	TRY(cursor_u32(&p, &c->meta.page_size, e));
	TRY(cursor_str(&p, &clock, sizeof(c->clock), e));
	if (len != c->meta.len)
		return err_set(e, ERR_FORMAT, f->off,
			       "%" PRIu64 " byte%s of metadata %s announced, but %zu %s here", len,
			       plural(len), len == 1 ? "is" : "are", c->meta.len,
			       c->meta.len == 1 ? "is" : "are");
	TRY(dat7_look(c->meta.p, c->meta.len, &h, &done_off, e));
	if (c->meta.page_size != h.page_size || !dat_page_size_ok(h.page_size))
		return err_set(e, ERR_FORMAT, f->off,
			       "sub-buffers of %u byte%s, but the metadata say %u",
			       c->meta.page_size, plural(c->meta.page_size), h.page_size);
	c->big_endian = h.big_endian;
	TRY(dat7_each_option(c->meta.p, c->meta.len, cpu_count, c, e));
	if (!c->in.ncpus || c->in.ncpus > DAT_MAX_CPUS)
		return err_set(e, ERR_FORMAT, f->off, "invalid number of CPUs in the metadata: %u",
			       c->in.ncpus);
	memcpy(c->clock, clock, strlen(clock) + 1);
	c->meta.clock = c->clock;
	TRY(c->in.out->ops->begin(c->in.out, &c->meta, e));
	c->in.page_size = c->meta.page_size;
	c->ready = true;
	return 0;
}

static int take(struct convert *c, const struct frame *f, struct err *e)
{
	switch (f->kind) {
	case FRAME_META:
		return take_meta(c, f, e);
	case FRAME_READY:
		return take_ready(c, f, e);
	case FRAME_NAMES:
		if (!c->ready)
			return 0;
		break;
	case FRAME_PACKED:
		if (!c->ready)
			return err_set(e, ERR_FORMAT, f->off,
				       "a packed frame of the metadata cannot be unpacked");
		break;
	case FRAME_ROUND:
	case FRAME_PAGES:
	case FRAME_COMM:
	case FRAME_FORMAT:
	case FRAME_STATS:
	case FRAME_CLOCK:
	case FRAME_LOST:
	case FRAME_END:
	case FRAME_CGROUPS:
	case FRAME_MAPS:
		if (!c->ready)
			return frames_in_bad(&c->in, f, "comes before the metadata are complete");
		break;
	case FRAME_CARRIER:
		return err_set(e, ERR_USAGE, f->off,
			       "contains the streams of several clients, but a trace.dat holds one "
			       "machine: zedperl and zedprint read the file as it is");
	default:
		break;
	}
	return frames_in_take(&c->in, f, e);
}

static int run(struct convert *c, struct frame_reader *r, struct err *e)
{
	struct frame f = { 0 };
	enum pull got = PULL_OK;
	struct err why;
	int rc = 0;

	while (rc == 0 && !c->in.ended && (got = frame_next(r, &f, &why)) == PULL_OK) {
		rc = take(c, &f, e);
		free(f.p);
	}
	TRY(rc);
	if (got == PULL_ERR) {
		err_path(&why, c->in.path);
		if (c->ready)
			note_err(c->in.notes, NOTE_DAMAGE, &why);
	} else if (!c->in.ended && c->ready) {
		note_say(c->in.notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the stream ends here without an end frame: "
			 "everything before is converted",
			 c->in.path, r->whole);
	}
	if (c->ready)
		return frames_in_end(&c->in, NULL, 0, e);
	if (got == PULL_ERR) {
		*e = why;
		return -1;
	}
	return err_set(e, ERR_FORMAT, r->whole,
		       "the stream ends before its metadata are complete: nothing to convert");
}

int convert_stream(const char *path, const struct spool_opts *o, struct err *e)
{
	struct convert c = { .in = { .path = path, .notes = o->notes, .max_comms = MAX_COMMS } };
	struct frame_reader r = { .in = NULL };
	struct input in;
	int rc = -1;

	TRY(input_open(&in, path, e));
	if (frame_reader_init(&r, &in, e) == 0) {
		c.in.out = spool_new(o, e);
		if (c.in.out) {
			rc = run(&c, &r, e);
			c.in.out->ops->close(c.in.out);
		}
		frame_reader_fini(&r);
	}
	if (rc < 0)
		err_path(e, path);
	input_close(&in);
	frames_in_fini(&c.in);
	free(c.meta.p);
	return rc;
}
