// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * merge: turns many streams, each in its own order, into one by time.  A heap whose top is
 * replaced: one sift per event, none when the same stream goes on.
 */
#include "merge.h"
#include "mem.h"

#include <stdlib.h>

struct node {
	uint64_t ts;
	unsigned seq;
	struct stream *s;
};

struct merge {
	struct node *heap;		/* streams with an event, the earliest on top */
	unsigned n;
	struct stream **idle;		/* to be asked: not begun, failed once, or waiting */
	unsigned nidle;
	size_t heap_cap, idle_cap;
	bool out;			/* the top's event has been handed out */
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
	m->idle = mem_grow(m->idle, &m->idle_cap, m->nidle + 1, sizeof(*m->idle));
	m->idle[m->nidle++] = s;
	m->heap = mem_grow(m->heap, &m->heap_cap, m->nidle + m->n, sizeof(*m->heap));
}

uint64_t merge_late(const struct merge *m)
{
	return m->late;
}

static inline bool before(const struct node *a, const struct node *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

static void sift_down(struct merge *m)
{
	struct node top = m->heap[0];
	unsigned i = 0;

	for (;;) {
		unsigned k = 2 * i + 1;

		if (k >= m->n)
			break;
		if (k + 1 < m->n && before(&m->heap[k + 1], &m->heap[k]))
			k++;
		if (!before(&m->heap[k], &top))
			break;
		m->heap[i] = m->heap[k];
		i = k;
	}
	m->heap[i] = top;
}

static void push(struct merge *m, struct stream *s)
{
	struct node new = { s->ev.ts, s->seq, s };
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
	err_within(e, "cpu %d", o->cpu);
	if (o->instance[0])
		err_within(e, "buffer \"%s\"", o->instance);
	err_path(e, o->path);
	return PULL_ERR;
}

/*
 * Ask the streams that have no event.  *FLOOR is lowered to the least floor of those that wait; an
 * error is passed on, and the next call takes up behind it.
 */
static enum pull ask_idle(struct merge *m, uint64_t *floor, struct err *e)
{
	for (unsigned i = 0; i < m->nidle; ) {
		struct stream *s = m->idle[i];

		switch (stream_next(s, e)) {
		case PULL_OK:
			push(m, s);
			m->idle[i] = m->idle[--m->nidle];
			break;
		case PULL_EOF:
			m->idle[i] = m->idle[--m->nidle];
			break;
		case PULL_WAIT:
			if (s->floor < *floor)
				*floor = s->floor;
			i++;
			break;
		case PULL_ERR:
			return failed(m, s, e);
		case PULL_AGAIN:
			return PULL_AGAIN;
		}
	}
	return PULL_OK;
}

enum pull merge_next(struct merge *m, const struct event **out, struct err *e)
{
	uint64_t floor = UINT64_MAX;

	if (m->out) {
		struct stream *s = m->heap[0].s;
		enum pull rc = stream_next(s, e);

		m->out = false;
		if (rc == PULL_OK) {
			m->heap[0].ts = s->ev.ts;
			sift_down(m);
		} else {
			pop(m);
			if (rc != PULL_EOF)
				m->idle[m->nidle++] = s;
			if (rc == PULL_ERR)
				return failed(m, s, e);
			if (rc == PULL_AGAIN)
				return PULL_AGAIN;
		}
	}
	if (m->nidle) {
		enum pull rc = ask_idle(m, &floor, e);

		if (rc != PULL_OK)
			return rc;
	}
	if (!m->n)
		return m->nidle ? PULL_WAIT : PULL_EOF;
	if (m->nidle && m->heap[0].ts > floor)
		return PULL_WAIT;
	if (m->heap[0].ts < m->last)
		m->late++;
	else
		m->last = m->heap[0].ts;
	m->out = true;
	*out = &m->heap[0].s->ev;
	return PULL_OK;
}
