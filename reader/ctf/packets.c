// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packets: reads the packets of one file of a CTF trace, one after another, and the events in them.
 */
#include "base/mem.h"
#include "base/ratio.h"
#include "reader/ctf/packet_head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NS_A_SECOND 1000000000
#define MAX_EVENT (4u << 20)	     /* bytes of an event in its packet */
#define WITHOUT_EVENT_MAX (1u << 14) /* unwanted events before a return to the caller */

/* ---- where a packet begins ---- */

static struct ctf_mark mark_here(const struct ctf_packets *f)
{
	return (struct ctf_mark){ .packet = f->packet,
				  .discarded = f->discarded,
				  .number = f->number,
				  .finish = f->finish,
				  .clock = f->bits.clock,
				  .numbered = f->numbered };
}

void ctf_packets_go(struct ctf_packets *f, const struct ctf_mark *m)
{
	f->open = false;
	f->mark = *m;
	f->packet = m->packet;
	f->discarded = m->discarded;
	f->number = m->number;
	f->finish = m->finish;
	f->bits.clock = m->clock;
	f->numbered = m->numbered;
}

/* ---- packets ---- */

static void leave_packet(struct ctf_packets *f)
{
	f->open = false;
	f->packet += f->size;
	f->lost += f->later;
	f->t->done += f->size;
}

static void count_skipped(struct ctf_packets *f, int64_t bytes)
{
	if (bytes)
		f->t->cpus[0]->base.skipped += (uint64_t)bytes;
}

/* The packet is of another time than what is asked for. */
static void pass_over(struct ctf_packets *f)
{
	leave_packet(f);
	if (f->bits.clock < f->finish)
		f->bits.clock = f->finish;
	f->passed = f->size;
	count_skipped(f, (int64_t)f->size);
}

/*
 * Open the packet at f->packet, or at what follows those that the index says are of other times, if
 * that is true.
 */
static int open_next(struct ctf_packets *f, struct err *e)
{
	int rc;

	f->mark = mark_here(f);
	ctf_window_jump(f);
	ctf_packets_go(f, &f->mark);
	rc = ctf_open_packet(f, e);
	if (!ctf_window_holds(f, rc == 0)) {
		ctf_packets_go(f, &f->sure);
		f->lost_some = false;
		rc = ctf_open_packet(f, e);
	}
	f->t->done += f->jumped;
	count_skipped(f, (int64_t)f->jumped);
	return rc;
}

/*
 * Something is missing after the packet at PASSED, which was passed over: that is needed, as the
 * time of its last event is when the loss began.
 */
static int go_back(struct ctf_packets *f, const struct ctf_mark *passed, struct err *e)
{
	f->t->done -= f->passed;
	count_skipped(f, -(int64_t)f->passed);
	ctf_packets_go(f, passed);
	f->lost_some = false;
	f->whole = true;
	f->passed = 0;
	return ctf_open_packet(f, e);
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
		if (off + sizeof(magic) > f->in.size ||
		    ctf_fetch(f, off, sizeof(magic), CTF_SOME_BYTES, &p, &e) < 4) {
			off = f->in.size;
			break;
		}
		memcpy(&magic, p, sizeof(magic));
	} while (magic != CTF_MAGIC && __builtin_bswap32(magic) != CTF_MAGIC);
	f->packet = off;
	f->t->done += off - from;
	f->lost_some = true;
}

/* PULL_OK: a packet is open.  PULL_ERR with E: what was here is left out. */
static enum pull next_packet(struct ctf_packets *f, struct err *e)
{
	const struct ctf_mark before = f->mark;
	int rc;

	if (f->packet >= f->in.size)
		return PULL_EOF;
	f->whole = false;
	rc = open_next(f, e);
	if (f->passed && !f->jumped && (rc < 0 || f->lost_some))
		rc = go_back(f, &before, e);
	f->passed = 0;
	if (rc == 0)
		return PULL_OK;
	err_path(e, f->in.path);
	find_packet(f);
	return PULL_ERR;
}

enum pull ctf_packets_head(struct ctf_packets *f, struct err *e)
{
	if (f->open)
		leave_packet(f);
	return next_packet(f, e);
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
		return add(cycles, k->shift);
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
	id = ctf_has(f, ROLE_EVENT_CLASS) ? f->bits.roles[ROLE_EVENT_CLASS] : 0;
	f->known = ctf_has(f, ROLE_EVENT_CLASS) || f->types->n != 1 ?
			   ctf_types_event(f->types, id) :
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

/* How much is read at once: no other packet, where these may be passed over. */
static uint64_t some_bytes(const struct ctf_packets *f, uint64_t from)
{
	if (!f->t->cpus[0]->base.may_skip || f->size - from > CTF_SOME_BYTES)
		return CTF_SOME_BYTES;
	return f->size - from;
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
		TRY(ctf_show(f, b.pos / 8, need, some_bytes(f, b.pos / 8), e));
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
	return !f->known->type->demand->skip || f->known->says || f->lost || f->lost_some || f->all;
}

/* The file has ended: what was lost after its last event is still to be said. */
static enum pull last_losses(struct ctf_packets *f)
{
	f->lost_some |= f->cut;
	f->cut = false;
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
		if (f->fresh && ctf_window_passes(f)) {
			pass_over(f);
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

void ctf_packets_rest(struct ctf_packets *f)
{
	static const uint8_t none;

	ctf_files_close(f);
	free(f->buf);
	f->buf = NULL;
	f->cap = f->len = 0;
	f->bits.p = &none;
	f->bits.from = f->bits.pos / 8;
	f->bits.have = 0;
}

void ctf_packets_free(struct ctf_packets *f)
{
	ctf_files_close(f);
	input_close(&f->in);
	ctf_index_free(f->index);
	free(f->buf);
	free(f->rec.data);
	free(f);
}
