// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * packet_head: the bytes of a file of packets, and what a packet says before its events: in its
 * context how long it is, when it begins and ends, and how many events were lost so far.
 */
#include "base/mem.h"
#include "reader/ctf/packet_head.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_HEAD (64u << 10) /* bytes of a packet's header and context */

/* ---- the file's bytes ---- */

int64_t ctf_fetch(struct ctf_packets *f, uint64_t off, uint64_t need, uint64_t some,
		  const uint8_t **p, struct err *e)
{
	uint64_t left = f->in.size - off;
	ssize_t n;

	if (need > left)
		need = left;
	if (off < f->at || off - f->at > f->len || f->len - (off - f->at) < need) {
		size_t cap = need > some ? need : some;

		if (cap > left)
			cap = left;
		if (cap > f->cap || f->cap > 2 * CTF_SOME_BYTES) {
			free(f->buf);
			f->buf = mem_alloc(cap + 1);
			f->cap = cap;
		}
		f->at = off;
		f->len = 0;
		TRY(ctf_files_open(f, e));
		n = input_read_some(&f->in, f->buf, cap, off, e);
		if (n < 0)
			return -1;
		f->len = n;
	}
	*p = f->buf + (off - f->at);
	return f->len - (off - f->at);
}

int ctf_show(struct ctf_packets *f, uint64_t from, uint64_t need, uint64_t some, struct err *e)
{
	const uint8_t *p;
	int64_t n = ctf_fetch(f, f->packet + from, need, some, &p, e);

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
	/* The rest of a packet that is passed over is not needed. */
	const uint64_t some = f->t->cpus[0] && f->t->cpus[0]->base.may_skip ? 512 : CTF_SOME_BYTES;

	for (uint64_t need = 512;; need *= 2) {
		int rc;

		TRY(ctf_show(f, 0, need, some, e));
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

/* The packet's sizes, which are in its context: what is left out is that of the whole file. */
static int take_sizes(struct ctf_packets *f, struct err *e)
{
	uint64_t left = f->in.size - f->packet;
	uint64_t size = ctf_has(f, ROLE_PACKET_SIZE) ? f->bits.roles[ROLE_PACKET_SIZE] : left * 8;
	uint64_t content = ctf_has(f, ROLE_CONTENT_SIZE) ? f->bits.roles[ROLE_CONTENT_SIZE] : size;

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

	if (ctf_has(f, ROLE_PACKET_NUMBER)) {
		f->lost_some |= f->numbered && number > f->number + 1;
		f->begin = f->numbered ? f->begin : number;
		f->number = number;
		f->numbered = true;
	}
	f->later = 0;
	if (!ctf_has(f, ROLE_DISCARDED))
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
	if (ctf_has(f, ROLE_PACKET_BEGIN)) {
		f->bits.clock = f->bits.roles[ROLE_PACKET_BEGIN];
		if (f->to && f->finish > f->bits.clock)
			say_overlap(f);
	}
	f->finish = ctf_has(f, ROLE_PACKET_END) ? f->bits.roles[ROLE_PACKET_END] : 0;
}

static int cpu_of(const struct ctf_packets *f)
{
	if (ctf_has(f, ROLE_CPU) && f->bits.roles[ROLE_CPU] < CTF_MAX_CPUS)
		return (int)f->bits.roles[ROLE_CPU];
	return f->cpu >= 0 ? f->cpu : 0;
}

/* The head that is right for the stream of the packet. */
static const struct ctf_head *find_types(struct ctf_packets *f, struct err *e)
{
	const struct ctf_trace *trace = f->trace;
	const struct ctf_types *types;
	uint64_t id;

	if (read_head(f, &trace->head, e) < 0)
		return NULL;
	if (ctf_has(f, ROLE_MAGIC) && f->bits.roles[ROLE_MAGIC] != CTF_MAGIC) {
		err_set(e, ERR_FORMAT, f->packet, "no packet begins here");
		return NULL;
	}
	id = ctf_has(f, ROLE_STREAM_CLASS) ? f->bits.roles[ROLE_STREAM_CLASS] : 0;
	types = ctf_has(f, ROLE_STREAM_CLASS) || trace->ntypes != 1 ? ctf_types_of(trace, id) :
								      &trace->types[0];
	if (!types) {
		err_set(e, ERR_FORMAT, f->packet,
			"a packet is of stream %" PRIu64 ", which the metadata do not describe",
			id);
		return NULL;
	}
	f->types = types;
	return &types->head;
}

int ctf_open_packet(struct ctf_packets *f, struct err *e)
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
