// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stable: writes a file of stable events: after the text that describes it all (stable_head.c), the
 * records of those stable events of the catalogue that the trace can provide, packed.
 */
#include "base/bytes.h"
#include "base/io.h"
#include "base/mem.h"
#include "sink/stable_file/stable_priv.h"
#include "trace/loss.h"
#include "trace/machine.h"
#include "stable/pack.h"
#include "stable/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_AT (256u << 10)
#define TOLD_SLOTS 4096 /* a power of two */
#define RECORD_LEN 27	/* bytes before a payload, as stable_head.c describes them */

/* ---- bytes ---- */

static enum verdict flush(struct stableout *s, struct err *e)
{
	size_t len = s->out.len;

	s->out.len = 0;
	if (io_write(s->o.fd, s->out.p, len))
		return SINK_MORE;
	s->broken = true;
	err_sys(e, ERR_NO_OFF, "cannot write");
	return err_path(e, s->o.path);
}

/* Append a record's head and room for its payload; returns where the payload goes. */
static uint8_t *put_head(struct stableout *s, unsigned number, unsigned stream,
			 const struct event *ev, size_t room)
{
	uint8_t *p = (uint8_t *)out_room(&s->out, RECORD_LEN + room);
	bool big = s->o.big_endian;

	bits_put(p, 0, 16, big, number);
	bits_put(p, 16, 16, big, stream);
	bits_put(p, 56, 32, big, (uint32_t)ev->pid);
	bits_put(p, 88, 64, big, ev->seq);
	bits_put(p, 152, 64, big, ev->ts);
	return p + RECORD_LEN;
}

/* The payload after put_head() is complete, with LEN bytes. */
static void end_record(struct stableout *s, size_t len)
{
	bits_put((uint8_t *)s->out.p + s->out.len, 32, 24, s->o.big_endian, len);
	s->out.len += RECORD_LEN + len;
}

/* ---- marks ---- */

static void put_lost(struct stableout *s, unsigned stream, const struct event *ev, uint32_t lost)
{
	uint8_t *p = put_head(s, MARK_LOST, stream, ev, 4);

	bits_put(p, 0, 32, s->o.big_endian, lost);
	end_record(s, 4);
}

static void put_task(struct stableout *s, unsigned machine, int32_t pid, const char *name)
{
	/* machine and pid, the name's word at the next multiple of 32 bits, the name */
	const unsigned fixed = 12;
	struct event ev = { .pid = pid, .ts = s->ts };
	size_t len = strnlen(name, STABLE_MAX_NAME);
	uint8_t *p = put_head(s, MARK_TASK, 0, &ev, fixed + len);
	bool big = s->o.big_endian;

	memset(p, 0, fixed);
	bits_put(p, 0, 16, big, machine);
	bits_put(p, 16, 32, big, (uint32_t)pid);
	bits_put(p, 64, 32, big, fixed | len << 16);
	memcpy(p + fixed, name, len);
	end_record(s, fixed + len);
}

/*
 * Names that are learnt from events, or change, are written before the first event that needs them.
 */
static void tell_task(struct stableout *s, const struct export_entry *x, int32_t pid)
{
	const char *name = comms_name(s->machines[x->machine]->comms, pid);
	struct told *t;
	uint64_t hash = bytes_hash(0, name, strlen(name));

	t = &s->told[((uint32_t)pid * 0x9e3779b1u >> 20 ^ x->machine) & (TOLD_SLOTS - 1)];
	if (t->hash == hash && t->pid == pid && t->machine == x->machine)
		return;
	*t = (struct told){ .hash = hash, .pid = pid, .machine = x->machine };
	if (pid && strcmp(name, "<...>"))
		put_task(s, x->machine, pid, name);
}

/* ---- events ---- */

static enum verdict begin(struct sink *sink, const struct run_info *run, struct err *e)
{
	struct stableout *s = (struct stableout *)sink;

	s->run = run;
	TRY(stableout_text(s, e));
	s->told = mem_zalloc(TOLD_SLOTS * sizeof(*s->told));
	s->begun = true;
	return flush(s, e);
}

static struct out_stream *stream_of(struct stableout *s, const struct origin *from)
{
	struct out_stream key = { .from = from };

	if (s->last->from != from)
		s->last = bsearch(&key, s->streams, s->nstreams, sizeof(key), out_stream_compare);
	return s->last;
}

static void put_event(struct stableout *s, struct export_entry *x, const struct out_stream *st,
		      const struct event *raw)
{
	const struct event *ev = x->map ? stable_map_event(x->map, raw) : raw;
	size_t room, len;
	uint8_t *p;

	if (!ev)
		return;
	if (comms_may_change(s->machines[x->machine]->comms))
		tell_task(s, x, raw->pid);
	room = descpack_room(&x->desc, ev->size);
	p = put_head(s, x->number, st->number, ev, room);
	len = descpack_pack(&x->desc, s->o.big_endian, ev->data, ev->size, p, room);
	if (!len && x->desc.bits) {
		if (!x->failed)
			note_say(s->o.notes, NOTE_DAMAGE,
				 "%s::%s: record too long to be exported: it and others like it "
				 "are left out",
				 x->system, x->name);
		x->failed = true;
		return;
	}
	end_record(s, len);
	s->records++;
	x->n++;
}

/* A type that was not known when the text was written. */
static void meet_type(struct stableout *s, const struct etype *t)
{
	bool lost = t->synthetic;

	for (unsigned i = 0; i < stable_count(s->o.stable) && !lost; i++)
		lost = stable_takes(stable_at(s->o.stable, i), s->run->catalog, t) >= 0;
	if (lost)
		note_say(s->o.notes, NOTE_WARN,
			 "%s:%s was first described while events were being exported: the stable "
			 "events made of it are left out",
			 t->system, t->name);
	s->late_type |= lost;
}

static enum verdict event(struct sink *sink, const struct event *ev, struct err *e)
{
	struct stableout *s = (struct stableout *)sink;
	const struct out_stream *st;

	s->ts = ev->ts;
	st = stream_of(s, ev->from);
	if (ev->lost)
		put_lost(s, st->number, ev, ev->lost);
	if (ev->type->idx < s->ntypes)
		for (struct export_entry *x = s->of_type[ev->type->idx]; x; x = x->next)
			put_event(s, x, st, ev);
	else if (!s->late_type)
		meet_type(s, ev->type);
	return s->out.len < FLUSH_AT ? SINK_MORE : flush(s, e);
}

static enum verdict lost(struct sink *sink, const struct event *ev, struct err *e)
{
	struct stableout *s = (struct stableout *)sink;

	s->ts = ev->ts;
	put_lost(s, stream_of(s, ev->from)->number, ev, ev->lost);
	return s->out.len < FLUSH_AT ? SINK_MORE : flush(s, e);
}

static enum verdict idle(struct sink *sink, struct err *e)
{
	return flush((struct stableout *)sink, e);
}

/* ---- the end ---- */

/* Losses that only the kernel's statistics show. */
static void put_statistics(void *arg, const struct losses_rest *r)
{
	struct stableout *s = arg;
	struct event ev = { .pid = -1, .ts = s->ts };
	uint32_t n;

	/* A mark has 32 bits for a number. */
	for (uint64_t left = r->of ? r->events : 0; left; left -= n) {
		n = left < LOST_UNKNOWN ? (uint32_t)left : LOST_UNKNOWN - 1;
		put_lost(s, stream_of(s, r->of->from)->number, &ev, n);
	}
}

static bool is_over(const struct stableout *s)
{
	for (size_t i = 0; i < s->nstreams; i++)
		if (!s->run->is_over(s->run, s->streams[i].s))
			return false;
	return true;
}

static enum verdict end(struct sink *sink, struct err *e)
{
	struct stableout *s = (struct stableout *)sink;
	struct event ev = { .pid = -1, .ts = s->ts };
	int32_t pid;
	uint8_t *p;

	if (!s->begun || s->broken)
		return SINK_MORE;
	for (unsigned i = 0; i < s->nmachines; i++) {
		struct comms *comms = s->machines[i]->comms;
		unsigned n = comms_may_change(comms) ? comms_count(comms) : 0;

		for (unsigned k = 0; k < n; k++) {
			comms_nth(comms, k, &pid);
			put_task(s, i, pid, comms_name(comms, pid));
		}
	}
	for (unsigned i = 0; i < s->run->nsources && is_over(s); i++)
		losses_each_rest(s->run->sources[i], put_statistics, s);
	p = put_head(s, MARK_END, 0, &ev, 8);
	bits_put(p, 0, 64, s->o.big_endian, s->records);
	end_record(s, 8);
	return flush(s, e);
}

static void close_sink(struct sink *sink)
{
	stableout_free((struct stableout *)sink);
}

static const struct sink_ops OPS = {
	.begin = begin,
	.event = event,
	.lost = lost,
	.idle = idle,
	.end = end,
	.close = close_sink,
};

struct stableout *stableout_new(const struct stableout_opts *o)
{
	struct stableout *s = mem_zalloc(sizeof(*s));

	s->sink.ops = &OPS;
	s->o = *o;
	return s;
}

struct sink *stableout_sink(struct stableout *s)
{
	return &s->sink;
}

uint64_t stableout_records(const struct stableout *s)
{
	return s->records;
}

/* Several entries may be for one event: they are adjacent. */
unsigned stableout_events(const struct stableout *s)
{
	const struct export_entry *last = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nentries; i++) {
		const struct export_entry *x = s->entries[i];

		if (!x->n)
			continue;
		n += !last || strcmp(x->name, last->name) || strcmp(x->system, last->system);
		last = x;
	}
	return n;
}

void stableout_free(struct stableout *s)
{
	if (!s)
		return;
	for (unsigned i = 0; i < s->nentries; i++) {
		stable_map_free(s->entries[i]->map);
		desc_fini(&s->entries[i]->desc);
	}
	free(s->entries);
	free(s->of_type);
	free(s->machines);
	free(s->streams);
	free(s->told);
	outbuf_fini(&s->out);
	arena_fini(&s->arena);
	free(s);
}
