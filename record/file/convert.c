// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * convert: makes a trace.dat of a zed stream, saved or from a pipe: its frames, in their order,
 * become calls of a spool.
 */
#include "record/file/convert.h"

#include "base/mem.h"
#include "reader/zedstream/frames.h"
#include "reader/zedstream/format.h"
#include "record/comm_text.h"
#include "record/dat_head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COMMS (64u << 20) /* bytes of names: more are left out */
#define MAX_STATS 4096	      /* bytes of a CPU's statistics */
#define MAX_SAID 4	      /* frames that make no sense: more are counted */

struct convert {
	const char *path;
	struct notes *notes;
	struct output *out;
	struct meta meta;
	size_t meta_cap;
	uint32_t ncpus;
	char clock[64];
	bool big_endian, ready, ended;
	uint8_t *page;
	char *comms;
	size_t comms_len, comms_cap;
	int *stat_cpus;
	char **stats;
	unsigned nstats;
	uint64_t bad;
	size_t cpus_cap, stats_cap;
	struct output_end end;
};

/* A frame that makes no sense is left out; the next one can still be found. */
static int bad(struct convert *c, const struct frame *f, const char *what)
{
	if (c->bad++ >= MAX_SAID)
		return 0;
	note_say(c->notes, NOTE_DAMAGE,
		 "%s: offset 0x%" PRIx64 ": frame of kind %u, %u byte%s, "
		 "%s: left out",
		 c->path, f->off, f->kind, f->len, plural(f->len), what);
	return 0;
}

static int take_meta(struct convert *c, const struct frame *f, struct err *e)
{
	if (c->ready)
		return bad(c, f, "comes too late");
	if (f->len > FRAMES_MAX_META - c->meta.len)
		return err_set(e, ERR_FORMAT, f->off, "metadata of over %u bytes", FRAMES_MAX_META);
	c->meta.p = mem_grow(c->meta.p, &c->meta_cap, c->meta.len + f->len + 1, 1);
	memcpy(c->meta.p + c->meta.len, f->p, f->len);
	c->meta.len += f->len;
	return 0;
}

static int cpu_count(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct convert *c = arg;

	if (id == DAT_CPUCOUNT && size >= 4)
		c->ncpus = bytes_u32(payload, c->big_endian);
	return 0;
}

/* The metadata are whole: begin the file. */
static int take_ready(struct convert *c, const struct frame *f, struct err *e)
{
	struct cursor p;
	struct dat7_head h;
	const char *clock;
	uint64_t len, done_off;

	if (c->ready)
		return bad(c, f, "comes a second time");
	cursor_init(&p, f->p, f->len, f->off + FRAMES_FRAME_LEN, false);
	TRY(cursor_u64(&p, &len, e));
	TRY(cursor_u32(&p, &c->meta.page_size, e));
	TRY(cursor_str(&p, &clock, sizeof(c->clock), e));
	if (len != c->meta.len)
		return err_set(e, ERR_FORMAT, f->off,
			       "%" PRIu64 " byte%s of metadata %s "
			       "announced, and %zu %s here",
			       len, plural(len), len == 1 ? "is" : "are", c->meta.len,
			       c->meta.len == 1 ? "is" : "are");
	TRY(dat7_look(c->meta.p, c->meta.len, &h, &done_off, e));
	if (c->meta.page_size != h.page_size || !dat_page_size_ok(h.page_size))
		return err_set(e, ERR_FORMAT, f->off,
			       "sub-buffers of %u byte%s, and the metadata "
			       "tell of %u",
			       c->meta.page_size, plural(c->meta.page_size), h.page_size);
	c->big_endian = h.big_endian;
	TRY(dat7_each_option(c->meta.p, c->meta.len, cpu_count, c, e));
	if (!c->ncpus || c->ncpus > DAT_MAX_CPUS)
		return err_set(e, ERR_FORMAT, f->off, "the metadata tell of %u CPUs", c->ncpus);
	memcpy(c->clock, clock, strlen(clock) + 1);
	c->meta.clock = c->clock;
	TRY(c->out->ops->begin(c->out, &c->meta, e));
	c->page = mem_alloc(c->meta.page_size);
	c->ready = true;
	return 0;
}

static int take_pages(struct convert *c, const struct frame *f, struct err *e)
{
	uint32_t size = c->meta.page_size, cpu, len;

	if (f->len <= 4)
		return bad(c, f, "has no page");
	cpu = bytes_u32(f->p, false);
	if (cpu >= c->ncpus)
		return bad(c, f, "is of a CPU that was not announced");
	for (uint32_t at = 4; at < f->len; at += len) {
		len = f->len - at < size ? f->len - at : size;
		if (len < 16)
			return bad(c, f, "ends within the head of a page");
		memcpy(c->page, f->p + at, len);
		memset(c->page + len, 0, size - len);
		TRY(c->out->ops->page(c->out, (int)cpu, c->page, len, size, e));
	}
	return 0;
}

static int take_comms(struct convert *c, const struct frame *f, struct err *e)
{
	if (f->len > MAX_COMMS - c->comms_len)
		return bad(c, f, "has more names than are kept");
	c->comms = mem_grow(c->comms, &c->comms_cap, c->comms_len + f->len + 1, 1);
	memcpy(c->comms + c->comms_len, f->p, f->len);
	c->comms_len += f->len;
	return c->out->ops->comms(c->out, (const char *)f->p, f->len, e);
}

static int take_format(struct convert *c, const struct frame *f, struct err *e)
{
	const uint8_t *nul = memchr(f->p, '\0', f->len);

	if (!nul || nul == f->p)
		return bad(c, f, "names no system");
	return c->out->ops->format(c->out, (const char *)f->p, (const char *)nul + 1,
				   (size_t)(f->p + f->len - nul - 1), e);
}

static int take_stats(struct convert *c, const struct frame *f)
{
	uint32_t cpu;

	if (f->len < 4 || f->len > 4 + MAX_STATS)
		return bad(c, f, "is no CPU's statistics");
	cpu = bytes_u32(f->p, false);
	if (cpu >= c->ncpus || c->nstats >= c->ncpus)
		return bad(c, f, "is of a CPU that was not announced");
	c->stat_cpus = mem_grow(c->stat_cpus, &c->cpus_cap, c->nstats + 1u, sizeof(int));
	c->stats = mem_grow(c->stats, &c->stats_cap, c->nstats + 1u, sizeof(char *));
	c->stat_cpus[c->nstats] = (int)cpu;
	c->stats[c->nstats++] = mem_strndup((const char *)f->p + 4,
					    strnlen((const char *)f->p + 4, f->len - 4));
	return 0;
}

static int take_end(struct convert *c, const struct frame *f)
{
	if (f->len < 16)
		return bad(c, f, "is too short");
	c->end.events = bytes_u64(f->p, false);
	c->end.dropped = bytes_u64(f->p + 8, false);
	c->ended = true;
	return 0;
}

static int take(struct convert *c, const struct frame *f, struct err *e)
{
	switch (f->kind) {
	case FRAME_META:
		return take_meta(c, f, e);
	case FRAME_READY:
		return take_ready(c, f, e);
	case FRAME_ROUND:
		return 0;
	case FRAME_NAMES:
		return c->ready ? c->out->ops->names(c->out, f->p, f->len, e) : 0;
	case FRAME_PAGES:
	case FRAME_COMM:
	case FRAME_FORMAT:
	case FRAME_STATS:
	case FRAME_END:
		if (!c->ready)
			return bad(c, f, "comes before the metadata are whole");
		break;
	default:
		if (f->kind & FRAME_NEEDED)
			return err_set(e, ERR_UNKNOWN, f->off,
				       "frame of kind 0x%x is not known, "
				       "and the stream makes no sense without it (made by a newer "
				       "zedtrace?)",
				       f->kind);
		return 0;
	}
	switch (f->kind) {
	case FRAME_PAGES:
		return take_pages(c, f, e);
	case FRAME_COMM:
		return take_comms(c, f, e);
	case FRAME_FORMAT:
		return take_format(c, f, e);
	case FRAME_STATS:
		return take_stats(c, f);
	default:
		return take_end(c, f);
	}
}

static int finish(struct convert *c, struct err *e)
{
	size_t len = 0;
	char *comms = c->comms ? commtext_tidy(c->comms, c->comms_len, &len) : NULL;
	int rc;

	c->end.comms = comms;
	c->end.comms_len = len;
	c->end.cpus = c->stat_cpus;
	c->end.stats = c->stats;
	c->end.ncpus = c->nstats;
	rc = c->out->ops->end(c->out, &c->end, e);
	free(comms);
	return rc;
}

static int run(struct convert *c, struct frame_reader *r, struct err *e)
{
	struct frame f = { 0 };
	enum pull got = PULL_OK;
	struct err why;
	int rc = 0;

	while (rc == 0 && !c->ended && (got = frame_next(r, &f, &why)) == PULL_OK) {
		rc = take(c, &f, e);
		free(f.p);
	}
	if (c->bad > MAX_SAID)
		note_say(c->notes, NOTE_DAMAGE,
			 "%s: more frames that make no sense, left out: "
			 "%" PRIu64,
			 c->path, c->bad - MAX_SAID);
	TRY(rc);
	if (got == PULL_ERR) {
		err_path(&why, c->path);
		if (c->ready)
			note_err(c->notes, NOTE_DAMAGE, &why);
	} else if (!c->ended && c->ready) {
		note_say(c->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the stream ends here, "
			 "and not with an end: what came until then is converted",
			 c->path, r->whole);
	}
	if (c->ready)
		return finish(c, e);
	if (got == PULL_ERR) {
		*e = why;
		return -1;
	}
	return err_set(e, ERR_FORMAT, r->whole,
		       "the stream ends before its metadata are whole: "
		       "there is nothing to convert");
}

int convert_stream(const char *path, const struct spool_opts *o, struct err *e)
{
	struct convert c = { .path = path, .notes = o->notes };
	struct frame_reader r = { .in = NULL };
	struct input in;
	int rc = -1;

	TRY(input_open(&in, path, e));
	if (frame_reader_init(&r, &in, e) == 0) {
		c.out = spool_new(o, e);
		if (c.out) {
			rc = run(&c, &r, e);
			c.out->ops->close(c.out);
		}
		frame_reader_fini(&r);
	}
	if (rc < 0)
		err_path(e, path);
	input_close(&in);
	for (unsigned i = 0; i < c.nstats; i++)
		free(c.stats[i]);
	free(c.stats);
	free(c.stat_cpus);
	free(c.comms);
	free(c.meta.p);
	free(c.page);
	return rc;
}
