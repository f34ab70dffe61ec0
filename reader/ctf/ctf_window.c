// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_window: passes over packets of other times than those that are asked for.
 *
 * A packet is passed over by its head, or, with several of them, by the index of the file.  An
 * index may be damaged, or that of another file: so the packets next to the window are always
 * judged by their own heads, and where one says something else than the index, this is dropped and
 * all that was passed over by it is looked at again.  Losses are reported where they would be
 * without a window: with the first event after them, which says when the last one before them was.
 */
#include "reader/ctf/packet_head.h"

#include <string.h>

enum side { WITHIN, BEFORE, AFTER };

static const struct stream *window_of(const struct ctf_packets *f)
{
	return &f->t->cpus[0]->base;
}

/*
 * The first packets are read before there are streams.  Those of a live session are here already,
 * and nothing leads back to one that was passed over.
 */
static bool may_skip(const struct ctf_packets *f)
{
	return !f->live && f->types && f->t->cpus[0] && window_of(f)->may_skip && !f->whole;
}

/* Where the cycles from BEGIN to END are. */
static enum side side_of(const struct ctf_packets *f, uint64_t begin, uint64_t end)
{
	const struct stream *w = window_of(f);

	if (ctf_time(f->t, f->types, end) < w->start)
		return BEFORE;
	return ctf_time(f->t, f->types, begin) > w->end ? AFTER : WITHIN;
}

/* Has the stream events that matter there: they tell who runs, or are asked for at any time? */
static bool has_others(const struct ctf_packets *f, enum side side)
{
	for (unsigned i = 0; i < f->types->n; i++) {
		const struct ctf_known *k = &f->types->known[i];

		if (k->type->demand->asked == WANT_BEYOND)
			return true;
		if (side == BEFORE && (k->says != SAYS_NOTHING || k->type->demand->beyond))
			return true;
	}
	return false;
}

bool ctf_window_may_skip_head(const struct ctf_packets *f)
{
	return f->types && !has_others(f, BEFORE);
}

bool ctf_window_passes(struct ctf_packets *f)
{
	enum side side;

	if (!may_skip(f) || !ctf_has(f, ROLE_PACKET_BEGIN) || !ctf_has(f, ROLE_PACKET_END) ||
	    f->bits.roles[ROLE_PACKET_END] < f->bits.roles[ROLE_PACKET_BEGIN])
		return false;
	side = side_of(f, f->bits.roles[ROLE_PACKET_BEGIN], f->bits.roles[ROLE_PACKET_END]);
	f->past |= side == AFTER;
	return side != WITHIN && !f->lost && !f->lost_some && !f->later && !has_others(f, side);
}

/* ---- the index ---- */

/* The entry of the packet at f->packet, or NULL. */
static const struct ctf_index_entry *entry_here(struct ctf_packets *f)
{
	const struct ctf_index *x = f->index;

	while (x && f->entry < x->n && x->v[f->entry].offset < f->mark.packet)
		f->entry++;
	return x && f->entry < x->n && x->v[f->entry].offset == f->mark.packet ? &x->v[f->entry] :
										 NULL;
}

/* May the packet of X, after which another one follows, be passed over? */
static bool jumps(const struct ctf_packets *f, const struct ctf_index_entry *x)
{
	const struct ctf_index_entry *next = x + 1;
	enum side side, then;

	if (f->entry + 1 >= f->index->n || f->lost || f->lost_some || !f->types->class ||
	    x->stream != f->types->class->id || next->stream != x->stream ||
	    x->discarded != f->mark.discarded)
		return false;
	if (f->mark.numbered && (!f->index->numbered || x->number != f->mark.number + 1 ||
				 next->number != x->number + 1))
		return false;
	side = side_of(f, x->begin, x->end);
	then = side_of(f, next->begin, next->end);
	return side == then && (side == BEFORE || (side == AFTER && f->past)) &&
	       !has_others(f, side);
}

void ctf_window_jump(struct ctf_packets *f)
{
	const struct ctf_index_entry *x;

	f->jumped = 0;
	if (!may_skip(f))
		return;
	if (!f->indexed)
		f->index = ctf_index_read(f->t, f->trace, &f->in);
	f->indexed = true;
	f->sure = f->mark;
	while ((x = entry_here(f)) && jumps(f, x)) {
		f->mark.packet += x->size;
		f->mark.number = x->number;
		f->mark.finish = x->end;
		f->mark.clock = x->end;
		f->jumped += x->size;
	}
}

bool ctf_window_agrees(const struct ctf_packets *f, const struct ctf_index_entry *x)
{
	const uint64_t *roles = f->bits.roles;

	return f->size == x->size && roles[ROLE_PACKET_BEGIN] == x->begin &&
	       roles[ROLE_PACKET_END] == x->end &&
	       (!ctf_has(f, ROLE_DISCARDED) || roles[ROLE_DISCARDED] == x->discarded) &&
	       (!ctf_has(f, ROLE_PACKET_NUMBER) || roles[ROLE_PACKET_NUMBER] == x->number);
}

bool ctf_window_holds(struct ctf_packets *f, bool opened)
{
	const struct ctf_index_entry *x;

	if (!f->jumped)
		return true;
	x = entry_here(f);
	if (opened && x && ctf_window_agrees(f, x))
		return true;
	ctf_index_doubt(f->t->notes, &f->in);
	ctf_index_free(f->index);
	f->index = NULL;
	f->jumped = 0;
	return false;
}
