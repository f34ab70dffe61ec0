// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packets: reads the packets of one file of a CTF trace, and the events in them.  A packet says in
 * its context how long it is, when it begins and ends, and how many events were lost so far.
 */
#include "base/mem.h"
#include "base/ratio.h"
#include "reader/ctf/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0xc1fc1fc1u
#define NS_A_SECOND 1000000000
#define SOME_BYTES (64u << 10)	     /* of a file that are read at once */
#define MAX_HEAD (64u << 10)	     /* bytes of a packet's header and context */
#define MAX_EVENT (4u << 20)	     /* bytes of an event in its packet */
#define WITHOUT_EVENT_MAX (1u << 14) /* unwanted events before a return to the caller */

/* ---- the file's bytes ---- */

/*
 * Have at least NEED bytes from OFF on in memory, or all up to the file's end.  Returns how many
 * there are; -1 with E.
 */
static int64_t fetch(struct ctf_packets *f, uint64_t off, uint64_t need, const uint8_t **p,
		     struct err *e)
{
	uint64_t left = f->in.size - off;
	ssize_t n;

	if (need > left)
		need = left;
	if (off < f->at || off - f->at > f->len || f->len - (off - f->at) < need) {
		size_t cap = need > SOME_BYTES ? need : SOME_BYTES;

		if (cap > left)
			cap = left;
		if (cap > f->cap || f->cap > 2 * SOME_BYTES) {
			free(f->buf);
			f->buf = mem_alloc(cap + 1);
			f->cap = cap;
		}
		f->at = off;
		f->len = 0;
		n = input_read_some(&f->in, f->buf, cap, off, e);
		if (n < 0)
			return -1;
		f->len = n;
	}
	*p = f->buf + (off - f->at);
	return f->len - (off - f->at);
}

/* Have NEED bytes of the packet, from byte FROM of it on, in f->bits. */
static int show(struct ctf_packets *f, uint64_t from, uint64_t need, struct err *e)
{
	const uint8_t *p;
	int64_t n = fetch(f, f->packet + from, need, &p, e);

	if (n < 0)
		return -1;
	f->bits.p = p;
	f->bits.from = from;
	f->bits.have = n;
	return 0;
}

/* ---- a packet's header ---- */

/* Both parts before the events; HEAD says how they are made.  As ctf_unpack(). */
static int unpack_head(struct ctf_packets *f, const struct ctf_head *head, struct err *e)
{
	int rc = ctf_unpack(&f->bits, &head->packet_header, &f->rec, 0, e);

	return rc ? rc : ctf_unpack(&f->bits, &head->packet_context, &f->rec, 0, e);
}

/* Read it again, with more bytes, until it is whole. */
static int read_head(struct ctf_packets *f, const struct ctf_head *head, struct err *e)
{
	for (uint64_t need = 512;; need *= 2) {
		int rc;

		TRY(show(f, 0, need, e));
		f->bits.pos = 0;
		f->bits.has = 0;
		f->bits.items = CTF_MAX_RECORD;
		f->bits.end = (f->in.size - f->packet) * 8;
		rc = unpack_head(f, head, e);
		if (rc < 0)
			e->off += f->packet;
		if (rc <= 0)
			return rc;
		if (need > MAX_HEAD)
			return err_set(e, ERR_FORMAT, f->packet,
				       "the header of a packet has more than %u bytes", MAX_HEAD);
	}
}

static bool has(const struct ctf_packets *f, enum ctf_role role)
{
	return f->bits.has >> role & 1;
}

/* The packet's sizes, which are in its context: what is left out is that of the whole file. */
static int take_sizes(struct ctf_packets *f, struct err *e)
{
	uint64_t left = f->in.size - f->packet;
	uint64_t size = has(f, ROLE_PACKET_SIZE) ? f->bits.roles[ROLE_PACKET_SIZE] : left * 8;
	uint64_t content = has(f, ROLE_CONTENT_SIZE) ? f->bits.roles[ROLE_CONTENT_SIZE] : size;

	if (size % 8 || content > size || content < f->bits.pos)
		return err_set(e, ERR_FORMAT, f->packet,
			       "a packet states %" PRIu64 " bits, %" PRIu64
			       " of them in use, and its header has %" PRIu64,
			       size, content, f->bits.pos);
	f->size = size / 8;
	if (f->size > left) {
		note_say(f->t->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64
			 ": the file ends here, within the packet that begins at "
			 "0x%" PRIx64 ": what is whole of it is read",
			 f->in.path, f->in.size, f->packet);
		f->t->base.missing.bytes += f->size - left;
		f->size = left;
	}
	f->bits.end = content < f->size * 8 ? content : f->size * 8;
	return 0;
}

/*
 * Events that were lost: by missing packets, before this one; and by a count that goes on from
 * packet to packet, after its last event, as a tracer that has no room for an event can end the
 * packet only once there is room again.
 */
static void take_losses(struct ctf_packets *f)
{
	uint64_t count = f->bits.roles[ROLE_DISCARDED], number = f->bits.roles[ROLE_PACKET_NUMBER];

	if (has(f, ROLE_PACKET_NUMBER)) {
		f->lost_some |= f->numbered && number > f->number + 1;
		f->number = number;
		f->numbered = true;
	}
	f->later = 0;
	if (!has(f, ROLE_DISCARDED))
		return;
	/* A counter of 32 bits begins again. */
	if (count < f->discarded && f->discarded <= UINT32_MAX)
		f->later = ((uint64_t)1 << 32) - f->discarded + count;
	else if (count > f->discarded)
		f->later = count - f->discarded;
	f->discarded = count;
}

static void say_overlap(struct ctf_packets *f)
{
	if (f->trace->overlapping++)
		return;
	note_say(f->t->notes, NOTE_WARN,
		 "%s: offset 0x%" PRIx64
		 ": a packet begins before the one before it ends: events of "
		 "the two, and of others like them, may be out of order",
		 f->in.path, f->packet);
}

static void take_times(struct ctf_packets *f)
{
	if (has(f, ROLE_PACKET_BEGIN)) {
		f->bits.clock = f->bits.roles[ROLE_PACKET_BEGIN];
		if (f->to && f->finish > f->bits.clock)
			say_overlap(f);
	}
	f->finish = has(f, ROLE_PACKET_END) ? f->bits.roles[ROLE_PACKET_END] : 0;
}

static int cpu_of(const struct ctf_packets *f)
{
	if (has(f, ROLE_CPU) && f->bits.roles[ROLE_CPU] < CTF_MAX_CPUS)
		return (int)f->bits.roles[ROLE_CPU];
	return f->cpu >= 0 ? f->cpu : 0;
}

/* The head that is right for the stream of the packet. */
static const struct ctf_head *find_types(struct ctf_packets *f, struct err *e)
{
	const struct ctf_trace *trace = f->trace;
	uint64_t id;

	if (read_head(f, &trace->head, e) < 0)
		return NULL;
	if (has(f, ROLE_MAGIC) && f->bits.roles[ROLE_MAGIC] != MAGIC) {
		err_set(e, ERR_FORMAT, f->packet, "no packet begins here");
		return NULL;
	}
	id = has(f, ROLE_STREAM_CLASS) ? f->bits.roles[ROLE_STREAM_CLASS] : 0;
	f->types = has(f, ROLE_STREAM_CLASS) || trace->ntypes != 1 ? ctf_types_of(trace, id) :
								     &trace->types[0];
	if (!f->types) {
		err_set(e, ERR_FORMAT, f->packet,
			"a packet is of stream %" PRIu64 ", which the metadata do not describe",
			id);
		return NULL;
	}
	return &f->types->head;
}

static int open_packet(struct ctf_packets *f, struct err *e)
{
	const struct ctf_head *head = find_types(f, e);

	if (!head)
		return -1;
	TRY(read_head(f, head, e));
	TRY(take_sizes(f, e));
	take_times(f);
	if (!f->to)
		f->to = ctf_cpu(f->t, f->trace, cpu_of(f));
	take_losses(f);
	f->open = f->fresh = true;
	return 0;
}

/* ---- packets ---- */

static void leave_packet(struct ctf_packets *f)
{
	f->open = false;
	f->packet += f->size;
	f->lost += f->later;
	f->t->done += f->size;
}

/*
 * The packet at f->packet cannot be read: go to the next place, at a multiple of 4096 bytes from
 * its begin, where one may begin.
 */
static void find_packet(struct ctf_packets *f)
{
	uint64_t off = f->packet, from = off;
	const uint8_t *p;
	struct err e;
	uint32_t magic;

	do {
		off += 4096;
		if (off + sizeof(magic) > f->in.size || fetch(f, off, sizeof(magic), &p, &e) < 4) {
			off = f->in.size;
			break;
		}
		memcpy(&magic, p, sizeof(magic));
	} while (magic != MAGIC && __builtin_bswap32(magic) != MAGIC);
	f->packet = off;
	f->t->done += off - from;
	f->lost_some = true;
}

/* PULL_OK: a packet is open.  PULL_ERR with E: what was here is left out. */
static enum pull next_packet(struct ctf_packets *f, struct err *e)
{
	if (f->packet >= f->in.size)
		return PULL_EOF;
	if (open_packet(f, e) == 0)
		return PULL_OK;
	err_path(e, f->in.path);
	find_packet(f);
	return PULL_ERR;
}

/* ---- events ---- */

/* N and MORE, at least 0, at most INT64_MAX. */
static uint64_t add(uint64_t n, int64_t more)
{
	uint64_t size = more < 0 ? -(uint64_t)more : (uint64_t)more;

	if (more < 0)
		return n > size ? n - size : 0;
	return n > INT64_MAX - size ? INT64_MAX : n + size;
}

uint64_t ctf_time(const struct ctf *t, const struct ctf_types *types, uint64_t cycles)
{
	const struct ctf_clock *k = types->clock;
	int64_t ns;

	if (!k || t->raw)
		return cycles;
	if (t->wall)
		cycles = add(cycles, k->offset);
	if (k->freq != NS_A_SECOND)
		cycles = ratio(cycles, NS_A_SECOND, k->freq, false);
	if (!t->wall)
		return cycles;
	if (__builtin_mul_overflow(k->offset_s, (int64_t)NS_A_SECOND, &ns))
		ns = k->offset_s < 0 ? INT64_MIN : INT64_MAX;
	return add(cycles, ns);
}

/* What is read of an event before more bytes are needed is forgotten. */
struct event_start {
	uint64_t pos, clock;
};

/* The event at f->bits.pos: as ctf_unpack(). */
static int unpack_event(struct ctf_packets *f, struct err *e)
{
	const struct ctf_layout *l;
	uint64_t id;
	int rc;

	f->bits.has = 0;
	f->bits.items = CTF_MAX_RECORD;
	rc = ctf_unpack(&f->bits, &f->types->head.event_header, &f->rec, 0, e);
	if (rc)
		return rc;
	id = has(f, ROLE_EVENT_CLASS) ? f->bits.roles[ROLE_EVENT_CLASS] : 0;
	f->known = has(f, ROLE_EVENT_CLASS) || f->types->n != 1 ? ctf_types_event(f->types, id) :
								  &f->types->known[0];
	if (!f->known)
		return err_set(e, ERR_FORMAT, f->bits.pos / 8,
			       "an event has number %" PRIu64
			       ", which the metadata do not describe",
			       id);
	l = &f->known->layout;
	ctf_record_begin(&f->rec, l->fixed);
	rc = ctf_unpack(&f->bits, &l->common, &f->rec, 0, e);
	if (!rc)
		rc = ctf_unpack(&f->bits, &l->context, &f->rec, 0, e);
	return rc ? rc : ctf_unpack(&f->bits, &l->payload, &f->rec, 0, e);
}

static int read_event(struct ctf_packets *f, struct err *e)
{
	const struct event_start b = { f->bits.pos, f->bits.clock };
	uint64_t need = 256;
	int rc;

	while ((rc = unpack_event(f, e)) > 0) {
		need *= 4;
		if (need > MAX_EVENT)
			return err_set(e, ERR_FORMAT, b.pos / 8, "an event has more than %u bytes",
				       MAX_EVENT);
		TRY(show(f, b.pos / 8, need, e));
		f->bits.pos = b.pos;
		f->bits.clock = b.clock;
	}
	if (rc == 0 && f->bits.pos == b.pos)
		return err_set(e, ERR_FORMAT, b.pos / 8, "an event has no bits");
	if (rc == 0) {
		f->ts = ctf_time(f->t, f->types, f->bits.clock);
		f->off = f->packet + b.pos / 8;
	}
	return rc;
}

static bool is_wanted(const struct ctf_packets *f)
{
	return !f->known->type->demand->skip || f->known->says || f->lost || f->lost_some;
}

/* The file has ended: what was lost after its last event is still to be said. */
static enum pull last_losses(struct ctf_packets *f)
{
	if (!f->to || (!f->lost && !f->lost_some))
		return PULL_EOF;
	f->known = NULL;
	if (f->finish && ctf_time(f->t, f->types, f->finish) > f->ts)
		f->ts = ctf_time(f->t, f->types, f->finish);
	return PULL_OK;
}

/* The rest of the packet cannot be read. */
static enum pull give_up(struct ctf_packets *f, struct err *e)
{
	if (f->known)
		err_within(e, "event %s::%s", f->known->type->system, f->known->type->name);
	if (e->kind == ERR_FORMAT)
		e->off += f->packet;
	err_path(e, f->in.path);
	leave_packet(f);
	f->lost_some = true;
	return PULL_ERR;
}

enum pull ctf_packets_next(struct ctf_packets *f, struct err *e)
{
	for (unsigned i = 0; i < WITHOUT_EVENT_MAX; i++) {
		enum pull rc;

		if (f->open && f->bits.pos >= f->bits.end)
			leave_packet(f);
		if (!f->open) {
			rc = next_packet(f, e);
			if (rc == PULL_EOF)
				return f->fed ? PULL_WAIT : last_losses(f);
			if (rc != PULL_OK)
				return rc;
			continue;
		}
		f->known = NULL;
		if (read_event(f, e) < 0)
			return give_up(f, e);
		f->first = f->fresh;
		f->fresh = false;
		if (is_wanted(f))
			return PULL_OK;
		f->to->counts->seen++;
		f->to->seq++;
		f->to->last = f->ts;
	}
	return PULL_AGAIN;
}

/* ---- the file ---- */

struct ctf_packets *ctf_packets_new(struct ctf *t, struct ctf_trace *trace, const struct input *in,
				    int cpu)
{
	struct ctf_packets *f = mem_zalloc(sizeof(*f));

	f->t = t;
	f->trace = trace;
	f->in = *in;
	f->cpu = cpu;
	ctf_record_begin(&f->rec, 0);
	return f;
}

void ctf_packets_feed(struct ctf_packets *f, uint8_t *p, size_t len)
{
	free(f->buf);
	f->buf = p;
	f->cap = f->len = f->in.size = len;
	f->at = f->packet = f->size = 0;
	f->open = false;
}

bool ctf_packets_begin(struct ctf_packets *f)
{
	struct err e;
	enum pull rc;

	while ((rc = next_packet(f, &e)) == PULL_ERR)
		note_err(f->t->notes, NOTE_DAMAGE, &e);
	return rc == PULL_OK;
}

void ctf_packets_free(struct ctf_packets *f)
{
	input_close(&f->in);
	free(f->buf);
	free(f->rec.data);
	free(f);
}
