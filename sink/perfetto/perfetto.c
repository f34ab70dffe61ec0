// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfetto: the sink.  Events of a CPU are gathered in a bundle, which becomes a packet when it is
 * large enough; the machine, its tasks and the tracks of losses have packets of their own.
 */
#include "sink/perfetto/perfetto.h"

#include "base/io.h"
#include "sink/perfetto/perfetto_priv.h"
#include "sink/perfetto/proto.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* protos/perfetto/trace/trace_packet.proto, ftrace_event_bundle.proto, track_event.proto */
#define TRACE_PACKET 1
#define PACKET_FTRACE 1
#define PACKET_TIMESTAMP 8
#define PACKET_SEQUENCE 10
#define PACKET_TRACK_EVENT 11
#define PACKET_INTERNED 12
#define PACKET_FLAGS 13
#define PACKET_CLEARED 41
#define PACKET_TRACK 60
#define FLAG_CLEARED 1
#define FLAG_NEEDS_STATE 2
#define BUNDLE_CPU 1
#define BUNDLE_EVENT 2
#define EVENT_TIMESTAMP 1
#define EVENT_PID 2
#define INTERNED_SYMBOLS 26
#define INTERNED_ID 1
#define INTERNED_NAME 2
#define TRACK_UUID 1
#define TRACK_NAME 2
#define TRACK_EVENT_TYPE 9
#define TRACK_EVENT_UUID 11
#define TRACK_EVENT_NAME 23
#define SLICE_BEGIN 1
#define SLICE_END 2

/* Numbers of packet sequences: one writer's packets. */
#define SEQUENCE_FTRACE 1
#define SEQUENCE_LOST 2

#define CPU_MAX 1024		       /* the engine refuses a trace with this CPU */
#define BUNDLE_BYTES (32u << 10)       /* a bundle is written out when it has this many ... */
#define OUT_BYTES (512u << 10)	       /* ... and the output is written */
#define TRACK_OF_LOSSES 0x5a6564000000 /* uuids: this plus the numbers of buffer and CPU */

/* What is known of one CPU of one buffer. */
struct perfetto_lane {
	uint64_t last; /* time of its last event */
	bool any, track;
};

struct perfetto {
	struct sink sink;
	struct perfetto_opts o;
	const struct run_info *run;
	struct outbuf out;
	struct outbuf *bundles; /* by CPU */
	unsigned nbundles;
	size_t cap_bundles;
	struct render **plans; /* by index of the type, and for buffers that do not own it */
	size_t nplans;
	struct render **others;
	unsigned *owners; /* the buffer whose events of that type use Perfetto's own message */
	struct symbol_ids symbols;
	struct samples samples;
	struct perfetto_lane **lanes; /* by buffer, then CPU */
	size_t *nlanes;
	unsigned nbuffers;
	bool begun;
	uint64_t left_out; /* events of CPUs that the engine refuses */
	int failed;	   /* errno of a write */
};

static enum verdict flush(struct perfetto *p, size_t most, struct err *e)
{
	size_t len = p->out.len;

	if (len <= most)
		return SINK_MORE;
	p->out.len = 0;
	if (io_write(p->o.fd, p->out.p, len))
		return SINK_MORE;
	p->failed = errno;
	return (enum verdict)err_sys(e, ERR_NO_OFF, "cannot write the output");
}

static uint64_t shown(const struct perfetto *p, uint64_t ts)
{
	return ts > p->run->base ? ts - p->run->base : 0;
}

/* ---- packets ---- */

/* Write the CPU's bundle as a packet. */
static void give_bundle(struct perfetto *p, unsigned cpu)
{
	struct outbuf *b = &p->bundles[cpu], *o = &p->out;
	size_t packet, bundle;

	if (!b->len)
		return;
	packet = proto_begin(o, TRACE_PACKET);
	bundle = proto_begin(o, PACKET_FTRACE);
	proto_uint(o, BUNDLE_CPU, cpu);
	out_bytes(o, b->p, b->len);
	proto_end(o, bundle);
	proto_uint(o, PACKET_SEQUENCE, SEQUENCE_FTRACE);
	proto_uint(o, PACKET_FLAGS, FLAG_NEEDS_STATE);
	proto_end(o, packet);
	b->len = 0;
}

static void interned(void *arg, unsigned id, const char *name)
{
	struct perfetto *p = arg;
	struct outbuf *o = &p->out;
	size_t packet = proto_begin(o, TRACE_PACKET), data, symbol, at;

	data = proto_begin(o, PACKET_INTERNED);
	symbol = proto_begin(o, INTERNED_SYMBOLS);
	proto_uint(o, INTERNED_ID, id);
	at = proto_begin(o, INTERNED_NAME);
	out_str(o, name);
	proto_plain(o, at);
	proto_end(o, at);
	proto_end(o, symbol);
	proto_end(o, data);
	proto_uint(o, PACKET_SEQUENCE, SEQUENCE_FTRACE);
	proto_uint(o, PACKET_FLAGS, FLAG_NEEDS_STATE);
	proto_end(o, packet);
}

/* The first packet of a sequence: anything interned before is void. */
static void begin_sequence(struct perfetto *p, unsigned sequence)
{
	size_t packet = proto_begin(&p->out, TRACE_PACKET);

	proto_uint(&p->out, PACKET_SEQUENCE, sequence);
	proto_uint(&p->out, PACKET_FLAGS, FLAG_CLEARED);
	proto_uint(&p->out, PACKET_CLEARED, 1);
	proto_end(&p->out, packet);
}

/* ---- losses ---- */

static uint64_t track_of(const struct event *ev)
{
	return TRACK_OF_LOSSES + ((uint64_t)ev->from->buffer << 17) + (unsigned)ev->cpu;
}

static void track_event(struct perfetto *p, const struct event *ev, uint64_t ts, unsigned type)
{
	struct outbuf *o = &p->out;
	size_t packet = proto_begin(o, TRACE_PACKET), in, at;

	proto_uint(o, PACKET_TIMESTAMP, shown(p, ts));
	in = proto_begin(o, PACKET_TRACK_EVENT);
	proto_uint(o, TRACK_EVENT_TYPE, type);
	proto_uint(o, TRACK_EVENT_UUID, track_of(ev));
	if (type == SLICE_BEGIN) {
		at = proto_begin(o, TRACK_EVENT_NAME);
		out_str(o, "LOST ");
		if (ev->lost == LOST_UNKNOWN)
			out_str(o, "some");
		else
			out_u64(o, ev->lost);
		proto_end(o, at);
	}
	proto_end(o, in);
	proto_uint(o, PACKET_SEQUENCE, SEQUENCE_LOST);
	proto_end(o, packet);
}

static void name_track(struct perfetto *p, const struct event *ev)
{
	struct outbuf *o = &p->out;
	size_t packet = proto_begin(o, TRACE_PACKET), track = proto_begin(o, PACKET_TRACK), at;

	proto_uint(o, TRACK_UUID, track_of(ev));
	at = proto_begin(o, TRACK_NAME);
	out_str(o, "LOST cpu ");
	out_u64(o, (unsigned)ev->cpu);
	if (*ev->from->instance) {
		out_char(o, ' ');
		out_str(o, ev->from->instance);
		proto_plain(o, at);
	}
	proto_end(o, at);
	proto_end(o, track);
	proto_uint(o, PACKET_SEQUENCE, SEQUENCE_LOST);
	proto_end(o, packet);
}

static struct perfetto_lane *lane_of(struct perfetto *p, const struct event *ev)
{
	unsigned b = ev->from->buffer;

	if (b >= p->nbuffers || ev->cpu < 0)
		return NULL;
	if ((size_t)ev->cpu >= p->nlanes[b])
		p->lanes[b] = mem_grow_zeroed(p->lanes[b], &p->nlanes[b], (size_t)ev->cpu + 1,
					      sizeof(**p->lanes));
	return &p->lanes[b][ev->cpu];
}

/* The gap is a slice: from the CPU's last event, if there is one, to this one. */
static void tell_lost(struct perfetto *p, const struct event *ev, struct perfetto_lane *l)
{
	uint64_t from = l->any && l->last < ev->ts ? l->last : ev->ts;

	if (!l->track)
		name_track(p, ev);
	l->track = true;
	track_event(p, ev, from, SLICE_BEGIN);
	track_event(p, ev, ev->ts, SLICE_END);
	l->last = ev->ts;
	l->any = true;
}

/* ---- events ---- */

static void begin_trace(struct perfetto *p, const struct event *ev)
{
	p->begun = true;
	begin_sequence(p, SEQUENCE_FTRACE);
	begin_sequence(p, SEQUENCE_LOST);
	perfetto_machine(&p->out, p->run, shown(p, ev->ts));
}

/*
 * The plan for EV.  Perfetto has one scheduler and one set of CPUs: if several buffers or inputs
 * have a type, the first one's events use its own message, the others are generic.
 */
static struct render *plan_of(struct perfetto *p, const struct event *ev)
{
	const struct etype *t = ev->type;
	unsigned i = t->idx;

	if (i >= p->nplans) {
		size_t n = p->nplans, was = n, more = n;

		p->plans = mem_grow_zeroed(p->plans, &n, (size_t)i + 1, sizeof(*p->plans));
		p->others = mem_grow_zeroed(p->others, &was, (size_t)i + 1, sizeof(*p->others));
		p->owners = mem_grow_zeroed(p->owners, &more, (size_t)i + 1, sizeof(*p->owners));
		p->nplans = n;
	}
	if (!p->plans[i]) {
		p->plans[i] = render_new(t, ev->from->source == 0);
		p->owners[i] = ev->from->buffer;
	}
	if (p->owners[i] == ev->from->buffer)
		return p->plans[i];
	if (!p->others[i])
		p->others[i] = render_new(t, false);
	return p->others[i];
}

static struct outbuf *bundle_of(struct perfetto *p, unsigned cpu)
{
	if (cpu >= p->cap_bundles)
		p->bundles = mem_grow_zeroed(p->bundles, &p->cap_bundles, (size_t)cpu + 1,
					     sizeof(*p->bundles));
	if (cpu >= p->nbundles)
		p->nbundles = cpu + 1;
	return &p->bundles[cpu];
}

static enum verdict event(struct sink *s, const struct event *ev, struct err *e)
{
	struct perfetto *p = (struct perfetto *)s;
	const struct render_env env = { &p->symbols, interned, p };
	struct perfetto_lane *l = lane_of(p, ev);
	struct outbuf *b;
	size_t at;

	if (!l || ev->cpu >= CPU_MAX) {
		p->left_out++;
		return SINK_MORE;
	}
	if (!p->begun)
		begin_trace(p, ev);
	if (ev->lost)
		tell_lost(p, ev, l);
	l->last = ev->ts;
	l->any = true;
	b = bundle_of(p, (unsigned)ev->cpu);
	at = proto_begin(b, BUNDLE_EVENT);
	proto_uint(b, EVENT_TIMESTAMP, shown(p, ev->ts));
	proto_uint(b, EVENT_PID, ev->pid < 0 ? 0 : (uint64_t)ev->pid);
	render_event(plan_of(p, ev), ev, b, &env);
	proto_end(b, at);
	if (b->len >= BUNDLE_BYTES)
		give_bundle(p, (unsigned)ev->cpu);
	if (samples_has(ev))
		samples_put(&p->samples, ev, shown(p, ev->ts), &p->out);
	return flush(p, OUT_BYTES, e);
}

static enum verdict lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct perfetto *p = (struct perfetto *)s;
	struct perfetto_lane *l = lane_of(p, ev);

	if (!l)
		return SINK_MORE;
	if (!p->begun)
		begin_trace(p, ev);
	tell_lost(p, ev, l);
	return flush(p, OUT_BYTES, e);
}

static void give_all(struct perfetto *p)
{
	for (unsigned i = 0; i < p->nbundles; i++)
		give_bundle(p, i);
}

static enum verdict begin(struct sink *s, const struct run_info *run, struct err *e)
{
	struct perfetto *p = (struct perfetto *)s;

	p->run = run;
	for (unsigned i = 0; i < run->nsources; i++)
		p->nbuffers += run->sources[i]->nbuffers;
	p->lanes = mem_zalloc((p->nbuffers + 1) * sizeof(*p->lanes));
	p->nlanes = mem_zalloc((p->nbuffers + 1) * sizeof(*p->nlanes));
	return SINK_MORE;
}

/* Live: write what there is, for the reader at the other end. */
static enum verdict idle(struct sink *s, struct err *e)
{
	struct perfetto *p = (struct perfetto *)s;

	give_all(p);
	return flush(p, 0, e);
}

static enum verdict end(struct sink *s, struct err *e)
{
	struct perfetto *p = (struct perfetto *)s;

	if (p->failed)
		return SINK_MORE;
	give_all(p);
	/* Names that came while events were read. */
	if (p->begun)
		perfetto_tasks(&p->out, p->run);
	if (p->left_out)
		note_say(p->o.notes, NOTE_WARN,
			 "-f perfetto: %" PRIu64 " event%s of CPUs from %u on left out: Perfetto's "
			 "engine refuses a trace with such a CPU (--cpu chooses others)",
			 p->left_out, plural(p->left_out), CPU_MAX);
	return flush(p, 0, e);
}

static void close_sink(struct sink *s)
{
	struct perfetto *p = (struct perfetto *)s;

	for (size_t i = 0; i < p->nplans; i++) {
		render_free(p->plans[i]);
		render_free(p->others[i]);
	}
	for (size_t i = 0; i < p->cap_bundles; i++)
		outbuf_fini(&p->bundles[i]);
	for (unsigned i = 0; p->lanes && i < p->nbuffers; i++)
		free(p->lanes[i]);
	free(p->plans);
	free(p->others);
	free(p->owners);
	free(p->bundles);
	free(p->lanes);
	free(p->nlanes);
	symbol_ids_fini(&p->symbols);
	samples_fini(&p->samples);
	outbuf_fini(&p->out);
	free(p);
}

static const struct sink_ops OPS = {
	.begin = begin,
	.event = event,
	.lost = lost,
	.idle = idle,
	.end = end,
	.close = close_sink,
};

struct sink *perfetto_new(const struct perfetto_opts *o)
{
	struct perfetto *p = mem_zalloc(sizeof(*p));

	p->sink.ops = &OPS;
	p->o = *o;
	return &p->sink;
}
