// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limit: the first events, or the last ones, of those that come.  The last ones are kept in a queue
 * of copies, whose memory is used again from event to event.
 */
#include "reader/choose/limit.h"

#include "base/mem.h"
#include "reader/model/forward.h"
#include "reader/model/machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A copy of an event, or of the losses before one that the filter rejected. */
struct kept {
	struct event ev; /* what it points to is in mem: see keep() */
	uint64_t stamp;	 /* of its place, of which the page is gone: this is all that is left */
	const struct page_layout *layout;
	uint8_t *mem;
	size_t cap;
	bool only_lost;
};

struct limit {
	struct forward out; /* must be first */
	struct notes *notes;
	uint64_t head, tail;
	uint64_t given; /* head: events that came through */
	struct kept *q; /* a ring of cap entries, a power of two; n of them from at on */
	size_t cap, at, n;
	uint64_t events; /* of the n, those that are no mere losses */
	size_t bytes;	 /* all memory */
	bool short_of;	 /* it was too little, which has been said */
	bool dropped;	 /* an event was */
};

static struct kept *nth(const struct limit *l, size_t i)
{
	return &l->q[(l->at + i) & (l->cap - 1)];
}

static void pop(struct limit *l)
{
	if (!nth(l, 0)->only_lost) {
		l->events--;
		l->dropped = true;
	}
	l->at = (l->at + 1) & (l->cap - 1);
	l->n--;
}

/* Where events were dropped, losses before the first that is kept were among those. */
static void trim(struct limit *l)
{
	while (l->events > l->tail || (l->dropped && l->events && nth(l, 0)->only_lost))
		pop(l);
}

/* By realloc, which moves a large block without a copy: the queue is never there twice. */
static void grow(struct limit *l)
{
	size_t cap = l->cap ? 2 * l->cap : 64;

	l->q = mem_realloc(l->q, cap * sizeof(*l->q));
	/* What had wrapped goes on behind the rest. */
	memcpy(l->q + l->cap, l->q, l->at * sizeof(*l->q));
	memset(l->q, 0, l->at * sizeof(*l->q));
	memset(l->q + l->cap + l->at, 0, (cap - l->cap - l->at) * sizeof(*l->q));
	l->bytes += (cap - l->cap) * sizeof(*l->q);
	l->cap = cap;
}

static void drop_mem(struct limit *l, struct kept *k)
{
	l->bytes -= k->cap;
	free(k->mem);
	k->mem = NULL;
	k->cap = 0;
}

/* Room for LEN bytes in K.  Where there is too little for all, the oldest give way. */
static void reserve(struct limit *l, struct kept *k, size_t len)
{
	if (len <= k->cap)
		return;
	drop_mem(l, k);
	while (l->bytes + len > LIMIT_BYTES && l->n > 1) {
		if (!l->short_of)
			note_say(l->notes, NOTE_WARN,
				 "--tail: the last %" PRIu64 " events take over %u MiB: only the "
				 "last of them are shown",
				 l->tail, LIMIT_BYTES >> 20);
		l->short_of = true;
		drop_mem(l, nth(l, 0));
		pop(l);
	}
	k->mem = mem_alloc(len);
	k->cap = len;
	l->bytes += len;
}

/* LEN bytes of FROM, if any, to *TO, which moves on.  Returns where they are. */
static void *put(uint8_t **to, const void *from, size_t len)
{
	uint8_t *at = *to;

	if (len)
		memcpy(at, from, len);
	*to += len;
	return at;
}

/*
 * EV and what it points to, all in one piece of memory: what needs its alignment first, the name of
 * the task last.
 */
static void copy(struct limit *l, struct kept *k, const struct event *ev, bool only_lost)
{
	const struct event_sample *s = only_lost ? NULL : ev->sample;
	size_t chain = only_lost || !ev->chain ? 0 : ev->nchain * sizeof(*ev->chain);
	size_t count = s && s->count ? sizeof(*s->count) : 0;
	size_t size = only_lost ? 0 : ev->size;
	const char *comm = machine_comm(ev->type->machine, ev->pid);
	size_t len = strlen(comm) + 1;
	struct event_sample *mine;
	uint8_t *to;

	reserve(l, k, (s ? sizeof(*s) + count + s->size : 0) + chain + size + len);
	to = k->mem;
	k->ev = *ev;
	mine = put(&to, s, s ? sizeof(*s) : 0);
	if (count)
		mine->count = put(&to, s->count, count);
	k->ev.sample = s ? mine : NULL;
	k->ev.nchain = chain ? ev->nchain : 0;
	k->ev.chain = put(&to, ev->chain, chain);
	k->ev.chain = chain ? k->ev.chain : NULL;
	if (s)
		mine->record = put(&to, s->record, s->size);
	k->ev.data = put(&to, ev->data, size);
	k->ev.size = size;
	put(&to, comm, len);
	k->ev.trail = NULL; /* that of now */
	k->stamp = ev->place ? ev->place->stamp : 0;
	k->layout = ev->place ? ev->place->layout : NULL;
}

static void keep(struct limit *l, const struct event *ev, bool only_lost)
{
	struct kept *k;

	/* Further losses of a CPU before the next event add up: there are no more than CPUs. */
	for (size_t i = l->n; only_lost && i && nth(l, i - 1)->only_lost; i--) {
		k = nth(l, i - 1);
		if (k->ev.from != ev->from || k->ev.cpu != ev->cpu)
			continue;
		if (ev->lost == LOST_UNKNOWN || k->ev.lost == LOST_UNKNOWN ||
		    k->ev.lost >= LOST_UNKNOWN - 1 - ev->lost)
			k->ev.lost = LOST_UNKNOWN;
		else
			k->ev.lost += ev->lost;
		return;
	}
	if (l->n == l->cap)
		grow(l);
	k = nth(l, l->n++);
	l->events += !only_lost;
	copy(l, k, ev, only_lost);
	k->only_lost = only_lost;
	trim(l);
}

enum verdict limit_flush(struct limit *l, struct err *e)
{
	enum verdict v = SINK_MORE;

	while (l->n && v == SINK_MORE) {
		struct kept *k = nth(l, 0);
		struct machine *m = k->ev.type->machine;
		const struct ring_place place = { .stamp = k->stamp, .layout = k->layout };

		k->ev.place = k->layout ? &place : NULL;
		/* What is popped stays whole: nothing is kept any more. */
		pop(l);
		machine_replay_comm(m, k->ev.pid, (const char *)k->ev.data + k->ev.size);
		if (!k->only_lost)
			v = l->out.to->ops->event(l->out.to, &k->ev, e);
		else
			v = forward_lost(&l->out.sink, &k->ev, e);
		machine_replay_comm(m, 0, NULL);
	}
	return v;
}

bool limit_is_full(const struct limit *l)
{
	return l->head && l->given >= l->head;
}

/* ---- the sink ---- */

static enum verdict event(struct sink *s, const struct event *ev, struct err *e)
{
	struct limit *l = (struct limit *)s;
	enum verdict v;

	if (l->tail) {
		keep(l, ev, false);
		return SINK_MORE;
	}
	if (limit_is_full(l))
		return SINK_STOP;
	l->given++;
	v = l->out.to->ops->event(l->out.to, ev, e);
	/* At once: of a live trace the next event may be long in coming. */
	return v == SINK_MORE && limit_is_full(l) ? SINK_STOP : v;
}

static enum verdict lost(struct sink *s, const struct event *ev, struct err *e)
{
	struct limit *l = (struct limit *)s;

	if (l->tail) {
		keep(l, ev, true);
		return SINK_MORE;
	}
	return forward_lost(s, ev, e);
}

/* With a tail, what comes next is long past: nothing can follow states. */
static enum verdict beyond(struct sink *s, const struct event *ev, bool follow, bool counts,
			   struct err *e)
{
	struct limit *l = (struct limit *)s;

	if (!l->tail)
		return forward_beyond(s, ev, follow, counts, e);
	if (ev->lost && counts)
		keep(l, ev, true);
	return SINK_MORE;
}

static enum verdict end(struct sink *s, struct err *e)
{
	struct limit *l = (struct limit *)s;
	struct err late;
	enum verdict v = limit_flush(l, e);

	if (v == SINK_ERR) {
		forward_end(s, &late);
		return v;
	}
	return forward_end(s, e);
}

static void close_sink(struct sink *s)
{
	limit_free((struct limit *)s);
}

static const struct sink_ops OPS = {
	.begin = forward_begin,
	.event = event,
	.lost = lost,
	.beyond = beyond,
	.idle = forward_idle,
	.more = forward_more,
	.end = end,
	.close = close_sink,
};

struct limit *limit_new(uint64_t head, uint64_t tail, struct notes *n)
{
	struct limit *l = mem_zalloc(sizeof(*l));

	l->out.sink.ops = &OPS;
	l->head = head;
	l->tail = tail;
	l->notes = n;
	return l;
}

void limit_free(struct limit *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->cap; i++)
		free(l->q[i].mem);
	free(l->q);
	free(l);
}

struct sink *limit_sink(struct limit *l, struct sink *to)
{
	l->out.to = to;
	return &l->out.sink;
}
