// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cells and the kept events of a time line.  Without it a picture shows time that nobody had,
 * or grows with the trace.
 *
 * of: reader/timeline/cells.c reader/timeline/marks.c
 */
#include "reader/timeline/cells.h"
#include "reader/timeline/marks.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* ns that LANE has of PART, over all its cells. */
static double sum(const struct cells *c, unsigned lane, unsigned part)
{
	double all = 0;

	for (uint32_t i = 0; i < c->cap; i++)
		all += c->lanes[lane].v[i].part[part];
	return all * (double)(1ull << c->shift);
}

static bool near(double a, double b)
{
	return a > b * 0.999 - 1 && a < b * 1.001 + 1;
}

static void test_cells(void)
{
	struct cells c;
	int lane;

	cells_init(&c, 1024, 1u << 20, 1000);
	lane = cells_lane(&c);
	cells_reach(&c, 1000 + 100000);
	cells_fill(&c, (unsigned)lane, 0, 1500, 91500, 7);
	cells_fill(&c, (unsigned)lane, 1, 91500, 101000, NOBODY);
	ok(near(sum(&c, (unsigned)lane, 0), 90000),
	   "a slice has its length (else: CPUs look busier)");
	ok(cells_at(&c, (unsigned)lane, 50000)->who == 7, "and its task");
	ok(cells_at(&c, (unsigned)lane, 50000)->part[0] > 0.999F, "a cell inside is full");
	cells_flag(&c, (unsigned)lane, 95000, 96000, CELL_LOST);
	cells_at(&c, (unsigned)lane, 2000)->n = 5;
	cells_reach(&c, 1000ull + 1000000000);
	ok(c.cap == 1024 && near(sum(&c, (unsigned)lane, 0), 90000) &&
		   near(sum(&c, (unsigned)lane, 1), 9500),
	   "cells that were joined keep the sum (else: the first second of a long trace fades)");
	ok(cells_at(&c, (unsigned)lane, 96000)->flags == CELL_LOST, "and what was lost");
	ok(cells_at(&c, (unsigned)lane, 1000)->n == 5, "and how many events there were");
	while (c.cap > 512)
		cells_lane(&c);
	ok(near(sum(&c, (unsigned)lane, 0), 90000), "so do those that make room for lanes");
	while (cells_lane(&c) >= 0)
		;
	ok((uint64_t)c.nlanes * c.cap <= c.most && c.cap == CELLS_LEAST,
	   "there is a last lane (else: a file chooses our memory)");
	cells_fini(&c);
}

/* Who has most of a cell: the sum counts, not the longest slice. */
static void test_most(void)
{
	struct cells c;
	int lane;

	cells_init(&c, 256, 4096, 0);
	lane = cells_lane(&c);
	cells_fill(&c, (unsigned)lane, 0, 0, 300, 1);
	for (unsigned i = 0; i < 6; i++)
		cells_fill(&c, (unsigned)lane, 0, 300 + i * 100, 400 + i * 100, i % 2 ? 2 : 3 + i);
	ok(c.lanes[lane].v[0].who == 2 || c.lanes[lane].v[0].who == 1,
	   "three short slices weigh as much as a long one");
	cells_fill(&c, (unsigned)lane, 0, 900, 1000, 2);
	ok(c.lanes[lane].v[0].who == 2,
	   "and a fourth decides (else: the colour is another task's)");
	cells_fini(&c);
}

static void add(struct marks *m, uint64_t ts)
{
	*marks_add(m) = (struct mark){ .ts = ts };
}

static bool in_order(const struct marks_answer *a)
{
	size_t at = 0;

	for (size_t i = 0; i < a->nranges; i++) {
		const struct marks_range *r = &a->ranges[i];

		if (r->first != at || a->v[at]->ts != r->from || a->v[at + r->n - 1]->ts != r->to)
			return false;
		for (size_t k = 1; k < r->n; k++)
			if (a->v[at + k]->ts != a->v[at + k - 1]->ts + 1000)
				return false;
		at += r->n;
	}
	return at == a->n;
}

static void test_marks(void)
{
	struct marks m = { .n = 0 };
	struct marks_answer a;
	uint64_t i;

	for (i = 0; i < 5000; i++)
		add(&m, i * 1000);
	marks_choose(&m, 10000, &a);
	ok(a.n == 5000 && a.nranges == 1 && in_order(&a), "of a short trace every event is there");
	marks_answer_fini(&a);
	marks_keep(&m, 1000000, 1200000, 5);
	for (; i < 2000000; i++) {
		add(&m, i * 1000);
		if (i % 20000 == 0)
			marks_keep(&m, i * 1000 - 50000, i * 1000, i);
	}
	ok(m.n <= MARKS_CHUNKS, "memory is bounded");
	marks_choose(&m, 60000, &a);
	ok(a.n > 0 && a.n <= 60000 && in_order(&a),
	   "of a long one those of windows, without a gap in one");
	ok(a.nranges > 5 && a.ranges[a.nranges - 1].to > 1980000000ull,
	   "the greatest weights, up to the last");
	marks_answer_fini(&a);
	for (; i < 6000000; i++) {
		add(&m, i * 1000);
		if (i % 1000 == 0)
			marks_keep(&m, 0, i * 1000, i);
	}
	ok(m.n <= MARKS_CHUNKS,
	   "also where windows are as long as the trace (else: a file chooses our memory)");
	marks_choose(&m, 60000, &a);
	ok(a.n <= 60000 && a.n > 0 && in_order(&a), "of which the end is kept");
	marks_answer_fini(&a);
	marks_fini(&m);
}

int main(void)
{
	test_cells();
	test_most();
	test_marks();
	return tap_done();
}
