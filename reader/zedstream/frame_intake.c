// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frame_intake: reads the frames after a zed stream's metadata, checks each, and stores its
 * contents: pages go to the queue of their CPU, rounds advance watermarks, names go to the machine,
 * formats to the catalog.
 */
#include "reader/zedstream/zedstream_priv.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/mono.h"
#include "trace/comms/comm_line.h"
#include "trace/comms/comm_log.h"
#include "trace/format.h"
#include "reader/dat/mapped.h"
#include "reader/zedstream/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FORMATS (64u << 20) /* total bytes of FORMAT frames */
#define MAX_STATS 4096		/* bytes of a CPU's statistics: the kernel's are about 200 */
#define MAX_LOST (1ull << 48)	/* events of a CPU: years of them */

static enum pull bad_frame(const struct frame *fr, struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, fr->off, "%s of %u bytes %s: left out",
		       fr->kind == FRAME_PAGES				 ? "frame of pages" :
		       fr->kind == FRAME_ROUND				 ? "frame of a round" :
		       fr->kind == FRAME_COMM || fr->kind == FRAME_NAMES ? "frame of names" :
		       fr->kind == FRAME_FORMAT				 ? "frame of a format" :
		       fr->kind == FRAME_STATS				 ? "frame of statistics" :
		       fr->kind == FRAME_LOST				 ? "frame of losses" :
		       fr->kind == FRAME_CGROUPS			 ? "frame of cgroups" :
		       fr->kind == FRAME_MAPS				 ? "frame of mappings" :
									   "frame",
		       fr->len, what);
}

static enum pull take_pages(struct zedstream *f, struct frame *fr, struct err *e)
{
	uint32_t cpu;

	if (fr->len <= 4)
		return bad_frame(fr, e, "holds none");
	cpu = bytes_u32(fr->p, false);
	if (cpu >= f->ncpus) {
		if (!f->strange_cpu)
			note_say(f->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": pages of cpu %u, but the stream "
				 "declares %u CPU%s: they and others like them are left out",
				 f->base.in.path, fr->off, cpu, f->ncpus, plural(f->ncpus));
		f->strange_cpu = true;
		return PULL_OK;
	}
	f->buffer.cpus[cpu].size += fr->len - 4;
	if (!f->cpus[cpu].stream->unread)
		queue_add(&f->cpus[cpu].waiting, fr);
	return PULL_OK;
}

static enum pull take_round(struct zedstream *f, const struct frame *fr, struct err *e)
{
	uint64_t watermark;
	uint32_t n;

	if (fr->len < 12)
		return bad_frame(fr, e, "is too short");
	watermark = bytes_u64(fr->p, false);
	n = bytes_u32(fr->p + 8, false);
	if (n != (fr->len - 12) / 4 || (fr->len - 12) % 4)
		return bad_frame(fr, e, "does not have as many CPUs as it declares");
	f->rounds++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = bytes_u32(fr->p + 12 + 4 * (size_t)i, false);

		if (cpu < f->ncpus)
			f->cpus[cpu].busy = f->rounds;
	}
	if (watermark > INT64_MAX)
		watermark = INT64_MAX;
	/* An event of exactly that time may follow, and its CPU may order it first. */
	if (watermark)
		watermark--;
	for (unsigned i = 0; i < f->ncpus; i++)
		if (f->cpus[i].busy != f->rounds && watermark > f->cpus[i].watermark)
			f->cpus[i].watermark = watermark;
	if (watermark > f->gate_cpu.watermark)
		f->gate_cpu.watermark = watermark;
	return PULL_OK;
}

static enum pull take_comms(struct zedstream *f, const struct frame *fr, struct err *e)
{
	struct comm_lines l = { .p = (const char *)fr->p, .end = (const char *)fr->p + fr->len };
	struct comm_line c;

	while (comm_lines_next(&l, &c))
		comms_learn(f->base.machine.comms, c.pid, c.name, c.len);
	return l.bad ? bad_frame(fr, e, "has invalid lines") : PULL_OK;
}

static enum pull take_names(struct zedstream *f, const struct frame *fr, struct err *e)
{
	struct comm_record r;
	size_t at = 0;

	if (!f->watched)
		return bad_frame(fr, e, "comes without an announcement");
	while (comm_log_next(fr->p, fr->len, &at, &r))
		comms_set(f->base.machine.comms, r.ts, r.pid, r.name, r.len);
	if (f->keep_names && at <= COMM_LOG_MAX - f->names_len) {
		f->names = mem_grow(f->names, &f->cap_names, f->names_len + at, 1);
		memcpy(f->names + f->names_len, fr->p, at);
		f->names_len += at;
	}
	return at < fr->len ? bad_frame(fr, e, "has invalid names") : PULL_OK;
}

static void keep_cgroups(struct zedstream *f, const uint8_t *p, size_t len)
{
	struct cgroup_log_buf *b = &f->cgroups;

	if (len > CGROUP_LOG_MAX - b->len)
		return;
	b->p = mem_grow(b->p, &b->cap, b->len + len, 1);
	memcpy(b->p + b->len, p, len);
	b->len += len;
}

static enum pull take_cgroups(struct zedstream *f, const struct frame *fr, struct err *e)
{
	struct machine *m = &f->base.machine;
	struct cgroup_record r;
	size_t at = 0;

	if (!f->watched)
		return bad_frame(fr, e, "comes without an announcement of names");
	while (cgroup_log_next(fr->p, fr->len, &at, &r))
		cgroups_add(m->cgroups, m->comms->now, &r);
	if (f->keep_names && at)
		keep_cgroups(f, fr->p, at);
	return at < fr->len ? bad_frame(fr, e, "has invalid cgroups") : PULL_OK;
}

static enum pull take_maps(struct zedstream *f, const struct frame *fr, struct err *e)
{
	size_t taken = dat_take_maps(f->meta, fr->p, fr->len);
	bool was_full = f->maps_limit.full;

	if (f->keep_names)
		map_limit_take(&f->maps_limit, fr->p, taken, &f->maps);
	if (f->maps_limit.full && !was_full)
		note_say(f->notes, NOTE_WARN,
			 "%s: mappings of processes: the limit of %u bytes is reached: in the "
			 "new file stacks of programs that begin from then on have no names",
			 f->base.in.path, MAP_LOG_MAX);
	return taken < fr->len ? bad_frame(fr, e, "has invalid mappings") : PULL_OK;
}

/* The format of a new event: its text must live as long as the source. */
static enum pull take_format(struct zedstream *f, struct frame *fr, struct err *e)
{
	const char *system = (const char *)fr->p, *text, *name;
	const struct etype *t;
	struct format_text *keep;
	size_t n, len;
	unsigned id;

	n = strnlen(system, fr->len < 256 ? fr->len : 256);
	if (n >= fr->len || n == 256 || !n)
		return bad_frame(fr, e, "names no subsystem");
	text = system + n + 1;
	len = fr->len - n - 1;
	if (format_head(text, len, &name, &n, &id, e) < 0) {
		e->off = fr->off;
		return err_within(e, "system %s", system);
	}
	/* format_head() rejects ids of more than 16 bits. */
	if (idmap_knows(&f->meta->ids, id))
		return PULL_OK;
	if (fr->len > MAX_FORMATS - f->formats_len)
		return bad_frame(fr, e, "exceeds the limit for formats");
	t = catalog_add(f->catalog, &f->meta->base.machine, system, text, len, e);
	if (!t) {
		e->off = fr->off;
		return PULL_ERR;
	}
	idmap_add(&f->meta->ids, t);
	keep = mem_alloc(sizeof(*keep));
	*keep = (struct format_text){ .next = f->formats, .p = fr->p, .len = fr->len };
	f->formats = keep;
	f->formats_len += fr->len;
	f->nformats++;
	fr->p = NULL;
	return PULL_OK;
}

/* The kernel's statistics of a CPU, in the form of trace.dat's CPUSTAT option. */
static enum pull take_stats(struct zedstream *f, const struct frame *fr, struct err *e)
{
	char text[MAX_STATS + 32];
	struct cursor c;
	uint32_t cpu;
	int n;

	if (fr->len < 4 || fr->len - 4 > MAX_STATS)
		return bad_frame(fr, e, "has no size that statistics have");
	cpu = bytes_u32(fr->p, false);
	if (cpu >= f->ncpus || f->cpus[cpu].stats)
		return bad_frame(fr, e, "is of a CPU that does not exist, or had one");
	f->cpus[cpu].stats = true;
	n = snprintf(text, sizeof(text), "CPU: %u\n%.*s", cpu, (int)(fr->len - 4),
		     (const char *)fr->p + 4);
	cursor_init(&c, text, (size_t)n + 1, fr->off, false);
	dat_option(f->meta, DAT_CPUSTAT, c);
	return PULL_OK;
}

/* One that is still to be settled stays; the next one has all of it. */
static enum pull take_lost(struct zedstream *f, const struct frame *fr, struct err *e)
{
	uint64_t lost;
	struct cpu *c;
	uint32_t cpu;

	if (fr->len < 12)
		return bad_frame(fr, e, "is too short");
	cpu = bytes_u32(fr->p, false);
	lost = bytes_u64(fr->p + 4, false);
	if (cpu >= f->ncpus || lost > MAX_LOST)
		return bad_frame(fr, e, "is of a CPU that does not exist, or has an absurd number");
	c = &f->cpus[cpu];
	if (lost <= c->stream->counted)
		return PULL_OK;
	c->stream->counted = lost;
	if (!c->lost) {
		c->lost = lost;
		c->lost_off = fr->off;
	}
	return PULL_OK;
}

static enum pull take_end(struct zedstream *f, const struct frame *fr)
{
	uint64_t after = fr->off + FRAMES_FRAME_LEN + fr->len;

	if (!f->base.in.piped && f->base.in.size > after)
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the stream has its end here, and the file has "
			 "%" PRIu64 " byte%s more: left out",
			 f->base.in.path, after, f->base.in.size - after,
			 plural(f->base.in.size - after));
	f->ended = true;
	return PULL_OK;
}

/* The first one preceded the pages, and is applied to all times. */
static enum pull take_clock(struct zedstream *f, const struct frame *fr, struct err *e)
{
	if (fr->len < 16)
		return bad_frame(fr, e, "is too short for a clock");
	f->ahead_now = (int64_t)bytes_u64(fr->p, false);
	return PULL_OK;
}

static enum pull take_frame(struct zedstream *f, struct frame *fr, struct err *e)
{
	switch (fr->kind) {
	case FRAME_PAGES:
		return take_pages(f, fr, e);
	case FRAME_ROUND:
		return take_round(f, fr, e);
	case FRAME_COMM:
		return take_comms(f, fr, e);
	case FRAME_NAMES:
		return take_names(f, fr, e);
	case FRAME_FORMAT:
		return take_format(f, fr, e);
	case FRAME_STATS:
		return take_stats(f, fr, e);
	case FRAME_CLOCK:
		return take_clock(f, fr, e);
	case FRAME_LOST:
		return take_lost(f, fr, e);
	case FRAME_CGROUPS:
		return take_cgroups(f, fr, e);
	case FRAME_MAPS:
		return take_maps(f, fr, e);
	case FRAME_END:
		return take_end(f, fr);
	case FRAME_PACKED:
		return bad_frame(fr, e, "cannot be unpacked");
	case FRAME_META:
	case FRAME_READY:
		return bad_frame(fr, e, "of metadata after their end");
	default:
		if (frame_pass(fr, e) == 0)
			return PULL_OK;
		f->ended = true;
		return PULL_ERR;
	}
}

/* Its recorder had time to end, but continues. */
static enum pull leave(struct zedstream *f)
{
	note_say(f->notes, NOTE_WARN,
		 "%s: its recorder has not ended a second after it was to: what it had written by "
		 "then is handled, the rest of the trace is left",
		 f->base.in.path);
	f->ended = f->base.left = true;
	return PULL_EOF;
}

enum pull intake_frame(struct zedstream *f, struct err *e)
{
	bool late = f->deadline && mono_ns() > f->deadline;
	struct frame fr = { 0 };
	enum pull rc;

	if (late && f->in.off >= f->stop_at)
		return leave(f);
	rc = frame_next(&f->in, &fr, e);
	f->base.heard = f->in.off;
	if (late && rc == PULL_WAIT)
		return leave(f); /* another reader has taken the data */
	switch (rc) {
	case PULL_OK:
		rc = take_frame(f, &fr, e);
		free(fr.p);
		break;
	case PULL_EOF:
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: the stream ends without its end (recorder killed?): read up to "
			 "offset 0x%" PRIx64,
			 f->base.in.path, f->in.whole);
		/* fall through */
	case PULL_ERR:
		f->ended = true;
		break;
	default:
		break;
	}
	f->base.salvaged |= f->ended && rc != PULL_OK;
	return rc;
}
