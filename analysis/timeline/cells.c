/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cells: what lanes did, in cells of equal length, which become longer as the trace grows.
 */
#include "analysis/timeline/cells.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SHIFT 10 /* a cell is about a microsecond long at first */

void cells_init(struct cells *c, uint32_t cap, uint64_t most, uint64_t base)
{
	*c = (struct cells){ .cap = cap, .most = most, .base = base, .shift = FIRST_SHIFT };
}

void cells_fini(struct cells *c)
{
	for (unsigned i = 0; i < c->nlanes; i++)
		free(c->lanes[i].v);
	free(c->lanes);
}

static struct cell empty(void)
{
	return (struct cell){ .who = NO_TASK };
}

static void clear(struct cell *v, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		v[from] = empty();
}

static struct cell both(const struct cell *a, const struct cell *b)
{
	const struct cell *more = b->top > a->top ? b : a;
	struct cell out = { .who = more->who, .top = more->top / 2, .flags = a->flags | b->flags };

	for (unsigned i = 0; i < CELL_PARTS; i++)
		out.part[i] = (a->part[i] + b->part[i]) / 2;
	if (a->who == b->who)
		out.top = (a->top + b->top) / 2;
	out.n = a->n > UINT32_MAX - b->n ? UINT32_MAX : a->n + b->n;
	return out;
}

static void halve_lane(struct lane *l, uint32_t cap)
{
	for (uint32_t i = 0; i < cap / 2; i++)
		l->v[i] = both(&l->v[2 * i], &l->v[2 * i + 1]);
	clear(l->v, cap / 2, cap);
	/* Of the first half of the new cell only the task with the largest share is known. */
	for (unsigned i = 0; i < l->nnow; i++)
		l->now[i].share /= 2;
	l->at /= 2;
}

void cells_halve(struct cells *c)
{
	for (unsigned i = 0; i < c->nlanes; i++)
		halve_lane(&c->lanes[i], c->cap);
	c->shift++;
}

/* Half as many cells, each twice as long. */
static void shrink(struct cells *c)
{
	cells_halve(c);
	c->cap /= 2;
	for (unsigned i = 0; i < c->nlanes; i++)
		c->lanes[i].v = mem_realloc(c->lanes[i].v, c->cap * sizeof(*c->lanes[i].v));
}

int cells_lane(struct cells *c)
{
	struct lane *l;

	while ((uint64_t)(c->nlanes + 1) * c->cap > c->most && c->cap > CELLS_LEAST)
		shrink(c);
	if ((uint64_t)(c->nlanes + 1) * c->cap > c->most)
		return -1;
	c->lanes = mem_realloc(c->lanes, (c->nlanes + 1) * sizeof(*c->lanes));
	l = &c->lanes[c->nlanes];
	*l = (struct lane){ .v = mem_alloc(c->cap * sizeof(*l->v)) };
	clear(l->v, 0, c->cap);
	return (int)c->nlanes++;
}

void cells_clear(struct cells *c, unsigned lane)
{
	struct lane *l = &c->lanes[lane];

	clear(l->v, 0, c->cap);
	l->nnow = 0;
}

/* Add SHARE of the cell AT to WHO. */
static void note(struct lane *l, uint32_t at, uint32_t who, float share)
{
	struct cell *v = &l->v[at];
	unsigned i, least = 0;

	if (l->at != at) {
		l->at = at;
		l->nnow = 0;
	}
	for (i = 0; i < l->nnow && l->now[i].who != who; i++)
		if (l->now[i].share < l->now[least].share)
			least = i;
	if (i == l->nnow && i < LANE_NOW)
		l->now[l->nnow++] = (typeof(l->now[0])){ .who = who };
	else if (i == l->nnow)
		l->now[i = least] = (typeof(l->now[0])){ .who = who };
	l->now[i].share += share;
	if (l->now[i].share >= v->top) {
		v->top = l->now[i].share;
		v->who = who;
	}
}

void cells_fill(struct cells *c, unsigned lane, unsigned part, uint64_t from, uint64_t to,
		uint32_t who)
{
	struct lane *l = &c->lanes[lane];
	const float unit = 1.0F / (float)(1ull << c->shift);
	uint32_t at, last;

	if (from >= to)
		return;
	from -= c->base;
	to -= c->base;
	at = (uint32_t)(from >> c->shift);
	last = (uint32_t)((to - 1) >> c->shift);
	for (; at <= last; at++) {
		uint64_t end = at == last ? to : (uint64_t)(at + 1) << c->shift;
		float share = (float)(end - from) * unit;

		l->v[at].part[part] += share;
		if (who != NO_TASK)
			note(l, at, who, share);
		from = end;
	}
}

void cells_flag(struct cells *c, unsigned lane, uint64_t from, uint64_t to, uint8_t flags)
{
	uint64_t at = (from - c->base) >> c->shift, last = (to - c->base) >> c->shift;

	for (; at <= last; at++)
		c->lanes[lane].v[at].flags |= flags;
}
