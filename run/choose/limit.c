// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limit: passes on the events of the first records, or of the last ones.  The last ones
 * are kept in a queue of copies, whose memory is reused from event to event.
 */
#include "run/choose/limit.h"

#include "base/mem.h"
#include "trace/event_sample.h"
#include "trace/machine.h"
#include "trace/ring_place.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A copy of an event, or of the losses before one that the filter rejected. */
struct kept {
	struct event ev; /* what it points to is in mem: see keep() */
	uint64_t stamp;	 /* of its place, whose page is gone: only this remains */
	const struct page_layout *layout;
	uint8_t *mem;
	size_t cap;
	bool only_lost;
	bool first; /* it counts, as the first event of its record */
};

struct limit {
	struct stage stage; /* must be first */
	struct stage *from;
	struct notes *notes;
	uint64_t head, tail;
	bool met;	/* an event of the current record was met */
	uint64_t given; /* head: records whose events were passed on */
	struct kept *q; /* a ring of cap entries, a power of two; n of them from at on */
	size_t cap, at, n;
	uint64_t records; /* of the n, those that are the first of a record */
	size_t bytes;	  /* all memory */
	bool short_of;	  /* it was too little, which has been reported */
	bool dropped;	  /* a record was dropped */
	uint64_t begin;	  /* limit_begin() */
	/* The queue is given once FROM has ended.  LAST: how it ended. */
	bool ended;
	enum next last;
	enum run_end end;
	struct err err;
	struct ring_place place;  /* of the event given last */
	struct machine *replayed; /* and where its task's name and cgroup are; NULL: none */
};

static struct kept *nth(const struct limit *l, size_t i)
{
	return &l->q[(l->at + i) & (l->cap - 1)];
}

static void pop(struct limit *l)
{
	if (nth(l, 0)->first) {
		l->records--;
		l->dropped = true;
	}
	l->at = (l->at + 1) & (l->cap - 1);
	l->n--;
}

/*
 * If records were dropped, what precedes the first one kept belongs to these: losses among them,
 * and events made from the last one.
 */
static void trim(struct limit *l)
{
	while (l->records > l->tail || (l->dropped && l->records && !nth(l, 0)->first))
		pop(l);
}

static void drop_mem(struct limit *l, struct kept *k)
{
	l->bytes -= k->cap;
	free(k->mem);
	k->mem = NULL;
	k->cap = 0;
}

/* There is too little memory for all: drop the oldest. */
static void give_way(struct limit *l)
{
	if (!l->short_of)
		note_say(l->notes, NOTE_WARN,
			 "--tail: the last %" PRIu64 " events take over %u MiB: only the last of "
			 "them are shown",
			 l->tail, LIMIT_BYTES >> 20);
	l->short_of = true;
	drop_mem(l, nth(l, 0));
	pop(l);
}

/*
 * Room for one more.  By realloc, which moves a large block without a copy: the queue never exists
 * twice.
 */
static void grow(struct limit *l)
{
	size_t cap = l->cap ? 2 * l->cap : 64;

	if (l->bytes + (cap - l->cap) * sizeof(*l->q) > LIMIT_BYTES) {
		give_way(l);
		return;
	}
	l->q = mem_realloc(l->q, cap * sizeof(*l->q));
	/* What had wrapped continues after the rest. */
	memcpy(l->q + l->cap, l->q, l->at * sizeof(*l->q));
	memset(l->q, 0, l->at * sizeof(*l->q));
	memset(l->q + l->cap + l->at, 0, (cap - l->cap - l->at) * sizeof(*l->q));
	l->bytes += (cap - l->cap) * sizeof(*l->q);
	l->cap = cap;
}

/* Room for LEN bytes in K.  If there is too little for all, drop the oldest. */
static void reserve(struct limit *l, struct kept *k, size_t len)
{
	if (len <= k->cap)
		return;
	drop_mem(l, k);
	while (l->bytes + len > LIMIT_BYTES && l->n > 1)
		give_way(l);
	k->mem = mem_alloc(len);
	k->cap = len;
	l->bytes += len;
}

/* Copy LEN bytes of FROM, if any, to *TO, which is advanced.  Returns where they are. */
static void *put(uint8_t **to, const void *from, size_t len)
{
	uint8_t *at = *to;

	if (len)
		memcpy(at, from, len);
	*to += len;
	return at;
}

/*
 * EV and what it points to, all in one piece of memory: what needs alignment first, the name of the
 * task and its cgroup last ("": it is asked for when the event is given).
 */
static void copy(struct limit *l, struct kept *k, const struct event *ev, bool only_lost)
{
	const struct event_sample *s = only_lost ? NULL : ev->sample;
	size_t chain = only_lost || !ev->chain ? 0 : ev->nchain * sizeof(*ev->chain);
	size_t count = s && s->count ? sizeof(*s->count) : 0;
	size_t size = only_lost ? 0 : ev->size;
	struct machine *m = ev->type->machine;
	const char *comm = comms_name(m->comms, ev->pid);
	const char *cgroup = cgroups_are_read(m->cgroups) ? machine_cgroup(m, ev->ts, ev->pid) : "";
	size_t len = strlen(comm) + 1, cgroup_len = strlen(cgroup) + 1;
	struct event_sample *mine;
	uint8_t *to;

	reserve(l, k, (s ? sizeof(*s) + count + s->size : 0) + chain + size + len + cgroup_len);
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
	put(&to, cgroup, cgroup_len);
	k->ev.trail = NULL; /* the current one */
	k->stamp = ev->place ? ev->place->stamp : 0;
	k->layout = ev->place ? ev->place->layout : NULL;
}

/* Is this event the first of its record? */
static bool meet(struct limit *l)
{
	bool first = !l->met;

	l->met = true;
	return first;
}

static void keep(struct limit *l, const struct event *ev, bool only_lost)
{
	struct kept *k;

	/*
	 * Further losses of a CPU before the next event are added up: there is at most one per CPU.
	 */
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
	copy(l, k, ev, only_lost);
	k->only_lost = only_lost;
	k->first = !only_lost && meet(l);
	l->records += k->first;
	trim(l);
}

/* ---- the stage ---- */

/* The consumer has done with the event that was given last. */
static void let_go(struct limit *l)
{
	if (l->replayed) {
		comms_replay(l->replayed->comms, 0, NULL);
		cgroups_replay(l->replayed->cgroups, 0, NULL);
	}
	l->replayed = NULL;
}

/* Its task is called, and is where it was, when K was stored. */
static void replay(struct limit *l, const struct kept *k)
{
	const char *comm = (const char *)k->ev.data + k->ev.size;
	const char *cgroup = comm + strlen(comm) + 1;

	l->replayed = k->ev.type->machine;
	comms_replay(l->replayed->comms, k->ev.pid, comm);
	cgroups_replay(l->replayed->cgroups, k->ev.pid, *cgroup ? cgroup : NULL);
}

static enum next give_first(struct limit *l, struct item *it)
{
	struct kept *k = nth(l, 0);

	l->place = (struct ring_place){ .stamp = k->stamp, .layout = k->layout };
	k->ev.place = k->layout ? &l->place : NULL;
	if (!k->only_lost && l->begin == UINT64_MAX)
		l->begin = k->ev.ts;
	/* What is popped stays intact: nothing more is added to the queue. */
	pop(l);
	replay(l, k);
	it->ev = &k->ev;
	return k->only_lost ? NEXT_LOST : NEXT_EVENT;
}

/*
 * Keep IT, which came as GOT.  Events that only follow states are left out, as those given later
 * are long past; so is NEXT_DUE, as nothing before it has been given.  False: it goes to the
 * consumer at once.
 */
static bool take(struct limit *l, enum next got, const struct item *it, const struct err *e)
{
	switch (got) {
	case NEXT_EVENT:
		keep(l, it->ev, false);
		return true;
	case NEXT_LOST:
		keep(l, it->ev, true);
		return true;
	case NEXT_BEYOND:
		if (it->counts)
			keep(l, it->ev, true);
		return true;
	case NEXT_DUE:
		return true;
	case NEXT_END:
		l->end = it->end;
		break;
	case NEXT_FAILED:
		l->err = *e;
		break;
	default:
		return false;
	}
	l->ended = true;
	l->last = got;
	return true;
}

static enum next next_record(struct limit *l, struct item *it, struct err *e)
{
	l->met = false;
	return stage_next(l->from, it, e);
}

static enum next next_last(struct limit *l, struct item *it, struct err *e)
{
	let_go(l);
	while (!l->ended) {
		enum next got;

		if (!stage_rest(l->from, it, &got))
			got = next_record(l, it, e);
		if (!take(l, got, it, e))
			return got;
	}
	if (l->n)
		return give_first(l, it);
	it->end = l->end;
	if (l->last == NEXT_FAILED)
		*e = l->err;
	return l->last;
}

static enum next next_first(struct limit *l, struct item *it, struct err *e)
{
	enum next got;

	if (!stage_rest(l->from, it, &got)) {
		/* Without asking for more: in a live trace the next event may take long. */
		if (l->given >= l->head) {
			it->end = RUN_STOPPED;
			return NEXT_END;
		}
		got = next_record(l, it, e);
	}
	if (got == NEXT_EVENT)
		l->given += meet(l);
	return got;
}

static enum next limit_next(struct stage *s, struct item *it, struct err *e)
{
	struct limit *l = (struct limit *)s;

	return l->tail ? next_last(l, it, e) : next_first(l, it, e);
}

static void limit_leave(struct stage *s)
{
	struct limit *l = (struct limit *)s;

	let_go(l);
	stage_leave(l->from);
}

struct limit *limit_new(uint64_t head, uint64_t tail, struct stage *from, struct notes *n)
{
	struct limit *l = mem_zalloc(sizeof(*l));

	l->stage.next = limit_next;
	l->stage.leave = limit_leave;
	l->from = from;
	l->head = head;
	l->tail = tail;
	l->notes = n;
	l->begin = UINT64_MAX;
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

struct stage *limit_stage(struct limit *l)
{
	return &l->stage;
}

uint64_t limit_begin(const struct limit *l)
{
	return l ? l->begin : UINT64_MAX;
}
