// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * jumps: what a run needs to begin and end within the input, from its index (run/jump.h).
 */
#include "index/index_priv.h"

#include <string.h>

_Static_assert(sizeof(((struct index_place *)0)->v) == offsetof(struct stream_place, trail),
	       "a place has the numbers of a stream_place");

static void place_of(const struct index_place *p, struct stream_place *out)
{
	memcpy(out, p->v, sizeof(p->v));
	out->trail = (struct trail){
		.pid = p->pid, .before_pid = p->before_pid, .since = p->since, .before = p->before
	};
	out->any = p->any;
	out->follows = p->follows;
}

struct index_place index_place_of(const struct stream_place *at)
{
	struct index_place p = { .since = at->trail.since,
				 .before = at->trail.before,
				 .pid = at->trail.pid,
				 .before_pid = at->trail.before_pid,
				 .any = at->any,
				 .follows = at->follows };

	memcpy(p.v, at, sizeof(p.v));
	return p;
}

static const struct index_stream *stream_of(const struct trace_index *x, unsigned i)
{
	uint64_t n;
	const struct index_stream *v = index_section(x, INDEX_STREAMS, &n);

	return i < n ? &v[i] : NULL;
}

static bool place_before(void *arg, unsigned stream, uint64_t ts, struct stream_place *out)
{
	const struct trace_index *x = arg;
	const struct index_stream *s = stream_of(x, stream);
	uint64_t n, low = 0, high;
	const struct index_place *v = index_section(x, INDEX_PLACES, &n);

	if (!s || s->first > n || s->n > n - s->first)
		return false;
	v += s->first;
	/* Records of the time of a place may also be before it. */
	for (high = s->n; low < high;) {
		uint64_t mid = low + (high - low) / 2;

		if (v[mid].v[2] < ts)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	place_of(&v[low - 1], out);
	return true;
}

static bool place_last(void *arg, unsigned stream, struct stream_place *out)
{
	const struct index_stream *s = stream_of(arg, stream);

	if (s)
		place_of(&s->last, out);
	return s;
}

static bool stream_ends(void *arg, unsigned stream, struct period *out)
{
	const struct index_stream *s = stream_of(arg, stream);

	if (s)
		*out = s->ends;
	return s;
}

static bool name_nth(void *arg, uint64_t *at, struct jump_name *out)
{
	uint64_t n;
	const struct index_name *v = index_section(arg, INDEX_NAMES, &n);

	if (*at >= n)
		return false;
	v += (*at)++;
	*out = (struct jump_name){
		.ts = v->ts,
		.stream = v->stream,
		.kind = v->kind,
		.pid = v->pid,
		.name = v->name,
		.len = strnlen(v->name, v->len < sizeof(v->name) ? v->len : sizeof(v->name))
	};
	return true;
}

static uint64_t name_from(void *arg, uint64_t ts)
{
	uint64_t n, low = 0, high;
	const struct index_name *v = index_section(arg, INDEX_NAMES, &n);

	for (high = n; low < high;) {
		uint64_t mid = low + (high - low) / 2;

		if (v[mid].ts < ts)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void index_jumps_init(struct trace_index *x)
{
	x->jumps = (struct jumps){ .before = place_before,
				   .last = place_last,
				   .ends = stream_ends,
				   .name = name_nth,
				   .name_at = name_from,
				   .arg = x };
}

const struct jumps *trace_index_jumps(const struct trace_index *x)
{
	uint64_t streams, places, names;

	index_section(x, INDEX_STREAMS, &streams);
	index_section(x, INDEX_PLACES, &places);
	index_section(x, INDEX_NAMES, &names);
	/* A damaged section is as empty as one that has nothing. */
	return x->head.jumps && streams == x->head.told.nstreams && streams && places &&
			       names == x->head.nnames ?
		       &x->jumps :
		       NULL;
}
