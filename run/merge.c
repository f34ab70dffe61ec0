// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge: the streams of all CPUs as one, ordered by time.  A heap whose top is replaced: one sift
 * per event, none when the same stream continues.  A stream that has nothing now holds back events
 * later than its watermark, and is asked again only when the top of the heap has reached that.
 */
#include "run/merge.h"

#include "base/mem.h"

#include <stdlib.h>

struct node {
	uint64_t ts;
	struct stream *s;
};

/*
 * A stream without an event: waiting, not begun, or just failed.  Events before `watermark` may be
 * given: it is one more than the watermark that the stream reported, 0 while it has reported none.
 */
struct idle {
	struct stream *s;
	uint64_t watermark;
};

struct merge {
	struct node *heap; /* streams with an event, the earliest on top */
	unsigned n;
	struct idle *idle;
	unsigned nidle;
	unsigned turn;	    /* the idle one at which the current round of asking is */
	uint64_t watermark; /* the least of all idle ones, but for those set aside */
	size_t heap_cap, idle_cap;
	bool out; /* the top's event has been handed out */
	const struct stream *failed;
	uint64_t last;
	uint64_t late;
};

struct merge *merge_new(void)
{
	return mem_zalloc(sizeof(struct merge));
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	free(m->heap);
	free(m->idle);
	free(m);
}

void merge_add(struct merge *m, struct stream *s)
{
	m->idle = mem_grow(m->idle, &m->idle_cap, m->nidle + m->n + 1, sizeof(*m->idle));
	m->idle[m->nidle++] = (struct idle){ .s = s };
	m->watermark = 0;
	m->heap = mem_grow(m->heap, &m->heap_cap, m->nidle + m->n, sizeof(*m->heap));
}

uint64_t merge_late(const struct merge *m)
{
	return m->late;
}

uint64_t merge_last(const struct merge *m)
{
	return m->out || m->last ? m->last : UINT64_MAX;
}

uint64_t merge_held(const struct merge *m)
{
	uint64_t held = m->n && !m->out ? m->heap[0].ts : UINT64_MAX;

	for (unsigned i = 0; i < m->nidle; i++)
		if (m->idle[i].s->held && m->idle[i].s->held < held)
			held = m->idle[i].s->held;
	return held;
}

uint64_t merge_over(const struct merge *m)
{
	uint64_t next = m->n && !m->out ? m->heap[0].ts : UINT64_MAX;

	for (unsigned i = 0; i < m->nidle; i++)
		if (m->idle[i].watermark < next)
			next = m->idle[i].watermark;
	return next ? next - 1 : 0;
}

void merge_waits_for(const struct merge *m,
		     void (*each)(void *arg, const struct stream *s, uint64_t watermark), void *arg)
{
	uint64_t top = m->n && !m->out ? m->heap[0].ts + 1 : 0, most = 0, second = 0;
	const struct stream *of = NULL; /* it holds back the latest event itself */

	for (unsigned i = 0; i < m->nidle; i++) {
		const struct stream *s = m->idle[i].s;

		if (s->held > most) {
			second = most;
			most = s->held;
			of = s;
		} else if (s->held > second) {
			second = s->held;
		}
	}
	for (unsigned i = 0; i < m->nidle; i++) {
		const struct idle *k = &m->idle[i];
		uint64_t others = k->s == of ? second : most;

		if (!k->s->aside && (top > k->watermark || others > k->watermark))
			each(arg, k->s, k->watermark);
	}
}

static inline bool before(const struct node *a, const struct node *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->s->seq < b->s->seq);
}

/*
 * Members are copied one by one: a load of both would wait for the two stores that wrote them a
 * moment ago.
 */
static inline void sift_down(struct merge *m)
{
	struct node *heap = m->heap, top = heap[0];
	unsigned i = 0, k, n = m->n;

	for (k = 1; k < n; k = 2 * i + 1) {
		if (k + 1 < n && before(&heap[k + 1], &heap[k]))
			k++;
		if (!before(&heap[k], &top))
			break;
		heap[i].ts = heap[k].ts;
		heap[i].s = heap[k].s;
		i = k;
	}
	if (i) {
		heap[i].ts = top.ts;
		heap[i].s = top.s;
	}
}

static void push(struct merge *m, struct stream *s)
{
	struct node new = { s->ev.ts, s };
	unsigned i = m->n++;

	while (i && before(&new, &m->heap[(i - 1) / 2])) {
		m->heap[i] = m->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	m->heap[i] = new;
}

static void pop(struct merge *m)
{
	m->heap[0] = m->heap[--m->n];
	if (m->n)
		sift_down(m);
}

const struct stream *merge_failed(const struct merge *m)
{
	return m->failed;
}

static enum pull failed(struct merge *m, struct stream *s, struct err *e)
{
	const struct origin *o = s->from;

	s->damaged++;
	m->failed = s;
	if (!s->multiplexed) {
		err_within(e, "cpu %d", o->cpu);
		if (o->instance[0])
			err_within(e, "buffer \"%s\"", o->instance);
	}
	err_path(e, o->path);
	return PULL_ERR;
}

static uint64_t watermark_of(const struct stream *s)
{
	return s->watermark && s->watermark < UINT64_MAX ? s->watermark + 1 : s->watermark;
}

/* Events from this time on wait for I. */
static uint64_t limit_of(const struct idle *i)
{
	return i->s->aside ? UINT64_MAX : i->watermark;
}

/* S has returned RC instead of an event: it has to be asked again. */
static void set_idle(struct merge *m, struct stream *s, enum pull rc)
{
	struct idle i = { .s = s, .watermark = rc == PULL_ERR ? 0 : watermark_of(s) };

	if (!m->nidle || limit_of(&i) < m->watermark)
		m->watermark = limit_of(&i);
	m->idle[m->nidle++] = i;
}

/* Is there an event on top that no earlier one can still precede? */
static inline bool is_ready(const struct merge *m)
{
	return m->n && (!m->nidle || m->heap[0].ts < m->watermark);
}

static void set_watermark(struct merge *m)
{
	m->watermark = UINT64_MAX;
	for (unsigned i = 0; i < m->nidle; i++)
		if (limit_of(&m->idle[i]) < m->watermark)
			m->watermark = limit_of(&m->idle[i]);
}

void merge_set_aside(struct merge *m, struct stream *s, bool aside)
{
	s->aside = aside;
	set_watermark(m);
}

/*
 * One round: ask each idle stream that holds the top back (all, if there is no top) once.  An error
 * ends it, and the next call continues after that stream.  *MOVED: some gave an event, ended or
 * raised their watermarks.  PULL_AGAIN: some need to be asked again at once, and all have had their
 * turn; else PULL_OK.
 */
static enum pull ask_idle(struct merge *m, bool *moved, struct err *e)
{
	enum pull all = PULL_OK;

	*moved |= m->turn != 0; /* those before it have not been asked since */
	while (m->turn < m->nidle) {
		struct idle *i = &m->idle[m->turn];
		struct stream *s = i->s;
		enum pull rc;

		if (m->n && m->heap[0].ts < i->watermark) {
			m->turn++;
			continue;
		}
		rc = stream_next(s, e);
		switch (rc) {
		case PULL_OK:
			push(m, s);
			/* fall through */
		case PULL_EOF:
			*i = m->idle[--m->nidle];
			*moved = true;
			break;
		case PULL_ERR:
			m->turn++;
			return failed(m, s, e);
		case PULL_AGAIN:
			all = PULL_AGAIN;
			/* fall through */
		case PULL_WAIT:
			*moved |= watermark_of(s) > i->watermark;
			i->watermark = watermark_of(s);
			m->turn++;
			break;
		}
	}
	m->turn = 0;
	set_watermark(m);
	return all;
}

/*
 * Get an event to the top that may be given.  PULL_OK: there is one; else what merge_next()
 * returns.
 */
static __attribute__((noinline)) enum pull settle(struct merge *m, struct err *e)
{
	bool moved = false;
	enum pull rc;

	rc = ask_idle(m, &moved, e);
	/* What advanced one stream may have produced something for another. */
	if (rc == PULL_OK && moved && m->nidle && !is_ready(m))
		rc = ask_idle(m, &moved, e);
	if (rc == PULL_ERR || is_ready(m))
		return rc == PULL_ERR ? rc : PULL_OK;
	if (rc == PULL_AGAIN)
		return rc;
	return m->nidle ? PULL_WAIT : PULL_EOF;
}

/* The stream on top has returned RC instead of an event.  PULL_OK: continue without it. */
static __attribute__((noinline)) enum pull leave_top(struct merge *m, enum pull rc, struct err *e)
{
	struct stream *s = m->heap[0].s;

	pop(m);
	if (rc != PULL_EOF)
		set_idle(m, s, rc);
	return rc == PULL_ERR ? failed(m, s, e) : PULL_OK;
}

enum pull merge_next(struct merge *m, const struct event **out, struct err *e)
{
	enum pull rc;
	uint64_t ts;

	if (m->out) {
		struct stream *s = m->heap[0].s;

		m->out = false;
		rc = stream_next(s, e);
		if (__builtin_expect(rc == PULL_OK, 1)) {
			m->heap[0].ts = s->ev.ts;
			sift_down(m);
		} else {
			rc = leave_top(m, rc, e);
			if (rc != PULL_OK)
				return rc;
		}
	}
	if (__builtin_expect(m->turn || !is_ready(m), 0)) {
		rc = settle(m, e);
		if (rc != PULL_OK)
			return rc;
	}
	ts = m->heap[0].ts;
	if (__builtin_expect(ts < m->last, 0))
		m->late++;
	else
		m->last = ts;
	m->out = true;
	*out = &m->heap[0].s->ev;
	return PULL_OK;
}

const struct event *merge_ahead(const struct merge *m, unsigned i)
{
	return i < m->n ? &m->heap[i].s->ev : NULL;
}

bool merge_has(const struct merge *m, const struct stream *s)
{
	for (unsigned i = 0; i < m->n; i++)
		if (m->heap[i].s == s)
			return true;
	for (unsigned i = 0; i < m->nidle; i++)
		if (m->idle[i].s == s)
			return true;
	return false;
}
