// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * carrier_file: the pieces of a carrier that is a file.  Their places are indexed once for each
 * stream, so that each reads its own: all sources are known before the first event, and events are
 * merged whatever the order of arrival.
 */
#include "reader/zedstream/carrier_priv.h"

#include "reader/zedstream/format.h"

#include <string.h>

#define PIECE_HEAD (FRAMES_FRAME_LEN + 4) /* header bytes before the stream's */

void lane_index(struct carrier_lane *l, const struct frame *fr)
{
	uint64_t off = fr->off + PIECE_HEAD;
	uint32_t len = fr->len - 4;

	if (!len)
		return;
	/* Other streams may have sent more than a 32-bit number can skip. */
	while (l->at < off || len) {
		uint64_t skip = off - l->at;
		struct piece p = { .skip = UINT32_MAX };

		if (skip <= UINT32_MAX)
			p = (struct piece){ .skip = (uint32_t)skip, .len = len };
		l->pieces = mem_grow(l->pieces, &l->cap_pieces, l->npieces + 1, sizeof(p));
		l->pieces[l->npieces++] = p;
		l->at += (uint64_t)p.skip + p.len;
		if (p.len)
			break;
	}
}

void lane_trim(struct carrier_lane *l)
{
	struct input_fed *q = &l->fed;

	if (q->cap <= CARRIER_KEEP)
		return;
	q->have -= q->at;
	if (q->have)
		memmove(q->p, q->p + q->at, q->have);
	q->at = 0;
	q->cap = q->have + 1;
	q->p = mem_realloc(q->p, q->cap);
}

bool lane_refill(struct input_fed *q)
{
	struct carrier_lane *l = (struct carrier_lane *)q;
	struct carrier *c = l->of;
	struct err e;

	lane_make_room(l, CARRIER_KEEP);
	if (!l->next)
		l->at = 0;
	while (l->next < l->npieces) {
		const struct piece *p = &l->pieces[l->next++];

		l->at += p->skip;
		if (!p->len)
			continue;
		if (input_read(&c->base.in, lane_room(l, p->len), p->len, l->at, &e) < 0) {
			err_path(&e, l->name);
			note_err(c->opts.notes, NOTE_DAMAGE, &e);
			l->next = l->npieces;
			break;
		}
		l->at += p->len;
		lane_add(l, p->len);
		return true;
	}
	if (q->ended)
		return false;
	lane_end(l);
	return true;
}
