// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring_jump: sub-buffers at which the walk can begin without those before them, with what it
 * would know of these; and the end of a window, after which the rest need not be read.
 */
#include "ring/ring_priv.h"

void places_tell(struct ring *r)
{
	struct stream *s = &r->base;
	struct stream_place at = {
		.ts = ring_time(r, r->place.stamp),
		.number = r->place.number - 1,
		.last = r->last,
		.seq = r->seq,
		.seen = s->seen,
		.lost = s->lost,
		.lost_places = s->lost_places,
		.lost_unknown = s->lost_unknown,
		.trail = r->trail,
		.any = r->any,
		.follows = r->follows,
	};

	/* Its stamp may be before the last record: its first record has another one. */
	if (at.ts < r->reached)
		return;
	r->reached = at.ts;
	if (!r->pending && r->feed->ops->tell && r->feed->ops->tell(r->feed, &at))
		s->place(s->place_arg, s, &at);
}

void places_check(struct ring *r)
{
	uint64_t ts = ring_time(r, r->place.stamp);

	if (ts < r->reached)
		r->base.disordered = true;
	r->reached = ts;
}

bool places_jump(struct stream *s, const struct stream_place *from, const struct stream_place *last)
{
	struct ring *r = (struct ring *)s;

	if (r->place.number ||
	    (from && (!r->feed->ops->seek || !r->feed->ops->seek(r->feed, from))))
		return false;
	r->ends = true;
	r->rest = *last;
	if (!from)
		return true;
	r->place.number = from->number;
	r->last = from->last;
	r->seq = from->seq;
	r->trail = from->trail;
	r->any = from->any;
	r->follows = from->follows;
	s->seen = r->counted = from->seen;
	s->lost = from->lost;
	s->lost_places = from->lost_places;
	s->lost_unknown = from->lost_unknown;
	s->bytes_done = r->feed->done;
	return true;
}

bool places_end(struct ring *r, uint64_t stamp)
{
	struct stream *s = &r->base;

	if (r->pending || ring_time(r, stamp) <= s->end)
		return false;
	s->seen = r->rest.seen;
	s->lost = r->rest.lost;
	s->lost_places = r->rest.lost_places;
	s->lost_unknown = r->rest.lost_unknown;
	s->timeless = r->rest.timeless;
	s->bytes_done = s->bytes_total;
	r->used_up = true;
	return true;
}
