// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task_shares: what each task did in each cell of time in which it did something.  When there are
 * too many cells, they become twice as long: so memory does not grow with the trace.
 */
#include "index/index_priv.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 10 /* a cell is about a microsecond long at first */
#define WHOLE 65535    /* the share of a cell that is all of it */
#define PARTS 3

struct shares_lane {
	struct index_task_cell *v;
	size_t cap;
	uint32_t n;
	uint32_t at;	   /* the cell that is open ... */
	float open[PARTS]; /* ... and its shares so far */
	uint64_t sum[PARTS];
};

struct task_shares {
	uint64_t base;
	unsigned shift;
	uint64_t n, most; /* cells of all */
	struct shares_lane *lanes;
	size_t cap;
};

struct task_shares *task_shares_new(uint64_t base, uint64_t most)
{
	struct task_shares *t = mem_zalloc(sizeof(*t));

	t->base = base;
	t->shift = FIRST_SHIFT;
	t->most = most;
	return t;
}

void task_shares_free(struct task_shares *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->cap; i++)
		free(t->lanes[i].v);
	free(t->lanes);
	free(t);
}

uint32_t task_shares_shift(const struct task_shares *t)
{
	return t->shift;
}

/* A share is not 0, however small: it would look as if there was none. */
static uint16_t whole_share(float x)
{
	uint32_t v = (uint32_t)(x * WHOLE + 0.5F);

	return v > WHOLE ? WHOLE : x > 0 && !v ? 1 : v;
}

static void close_cell(struct task_shares *t, struct shares_lane *l)
{
	struct index_task_cell c = { .at = l->at };
	bool any = false;

	for (unsigned i = 0; i < PARTS; i++) {
		c.share[i] = whole_share(l->open[i]);
		any |= c.share[i] != 0;
		l->open[i] = 0;
	}
	if (!any)
		return;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = c;
	t->n++;
}

/* Of cells twice as long, A and perhaps its other half B. */
static struct index_task_cell joined(const struct index_task_cell *a,
				     const struct index_task_cell *b)
{
	struct index_task_cell out = { .at = a->at / 2 };

	for (unsigned i = 0; i < PARTS; i++)
		out.share[i] = (uint16_t)((a->share[i] + (b ? b->share[i] : 0) + 1) / 2);
	return out;
}

static void halve_lane(struct shares_lane *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; n++) {
		bool pair = i + 1 < l->n && l->v[i].at / 2 == l->v[i + 1].at / 2;

		l->v[n] = joined(&l->v[i], pair ? &l->v[i + 1] : NULL);
		i += pair ? 2 : 1;
	}
	l->n = n;
	l->at /= 2;
	for (unsigned i = 0; i < PARTS; i++)
		l->open[i] /= 2;
	/* The first half of the open cell was closed. */
	if (l->n && l->v[l->n - 1].at == l->at) {
		l->n--;
		for (unsigned i = 0; i < PARTS; i++)
			l->open[i] += (float)l->v[l->n].share[i] / WHOLE;
	}
}

static void halve(struct task_shares *t)
{
	t->n = 0;
	t->shift++;
	for (size_t i = 0; i < t->cap; i++) {
		halve_lane(&t->lanes[i]);
		t->n += t->lanes[i].n;
	}
}

void task_shares_add(struct task_shares *t, uint32_t task, unsigned part, uint64_t from,
		     uint64_t to)
{
	struct shares_lane *l;

	if (from < t->base || from >= to)
		return;
	while (t->shift < 63 && (t->n + ((to - from) >> t->shift) >= t->most ||
				 (to - t->base) >> t->shift >= UINT32_MAX))
		halve(t);
	if (task >= t->cap)
		t->lanes = mem_grow_zeroed(t->lanes, &t->cap, (size_t)task + 1, sizeof(*t->lanes));
	l = &t->lanes[task];
	l->sum[part] += to - from;
	from -= t->base;
	to -= t->base;
	while (from < to) {
		uint32_t at = (uint32_t)(from >> t->shift);
		uint64_t end = ((uint64_t)at + 1) << t->shift;

		if (at != l->at) {
			close_cell(t, l);
			l->at = at;
		}
		/* The last cell may end at 2^64, which is 0. */
		if (end > to || end <= from)
			end = to;
		l->open[part] += (float)(end - from) / (float)(1ull << t->shift);
		from = end;
	}
}

const struct index_task_cell *task_shares_of(struct task_shares *t, uint32_t task, uint32_t *n,
					     uint64_t sum[3])
{
	struct shares_lane *l;

	*n = 0;
	memset(sum, 0, PARTS * sizeof(*sum));
	if (task >= t->cap)
		return NULL;
	l = &t->lanes[task];
	close_cell(t, l);
	*n = l->n;
	memcpy(sum, l->sum, sizeof(l->sum));
	return l->v;
}
