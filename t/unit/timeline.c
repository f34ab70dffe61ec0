// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cells and the kept events of a time line, and a part of a trace.  Without it a picture shows
 * time that did not pass, grows with the trace, or draws for 100 ms what was before them.
 *
 * of: analysis/timeline
 */
#include "stable/catalogue.h"
#include "analysis/timeline/cells.h"
#include "analysis/timeline/timeline.h"
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
	cells_fill(&c, (unsigned)lane, 1, 91500, 101000, NO_TASK);
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

/* ---- a part of a trace ---- */

enum { SWITCH, WAKING, OTHER };

#define PID(what, at) \
	{ \
		.name = what, .type = "int", .off = at, .size = 4, .elem = 4, .kind = FIELD_INT, \
		.is_signed = true \
	}

static const struct field switch_fields[] = { PID("prev_pid", 0), PID("next_pid", 4) },
			  waking_fields[] = { PID("pid", 0) };
static const struct etype types[] = {
	[SWITCH] = { .system = "sched",
		     .name = "switch",
		     .fields = switch_fields,
		     .nfields = 2,
		     .fixed = 8,
		     .idx = SWITCH,
		     .known = true,
		     .resolved = true },
	[WAKING] = { .system = "sched",
		     .name = "waking",
		     .fields = waking_fields,
		     .nfields = 1,
		     .fixed = 8,
		     .idx = WAKING,
		     .known = true,
		     .resolved = true },
	[OTHER] = { .system = "x", .name = "other", .idx = OTHER, .known = true, .resolved = true },
};

/* CPU's event of TYPE by task PID (a switch: to NEXT; a waking: of NEXT) at TS us. */
static void give(struct timeline *t, bool chosen, uint64_t ts, int cpu, unsigned type, int32_t pid,
		 int32_t next, uint32_t lost)
{
	static const struct origin from = { .path = "x", .instance = "" };
	int32_t data[2] = { type == WAKING ? next : pid, next };
	struct event ev = { .ts = ts * 1000,
			    .type = &types[type],
			    .data = (const uint8_t *)data,
			    .size = sizeof(data),
			    .pid = pid,
			    .cpu = cpu,
			    .lost = lost,
			    .from = &from };

	if (chosen)
		timeline_event(t, &ev);
	else
		timeline_beyond(t, &ev);
}

/* The us that lane I of CPUs was busy, that lane I of tasks was at PART. */
static double busy(const struct timeline_answer *a, unsigned i)
{
	double all = 0;

	for (uint32_t k = 0; k < a->cpu_cells; k++)
		all += a->cpus[((size_t)k * a->ncpus + i) * 4] / 255.0;
	return all * (double)a->cpu_width / 1000;
}

static double at(const struct timeline_answer *a, unsigned i, unsigned part)
{
	double all = 0;

	for (uint32_t k = 0; k < a->task_cells; k++)
		all += a->tasks[((size_t)k * a->ntasks + i) * 4 + part] / 255.0;
	return all * (double)a->task_width / 1000;
}

static bool about(double a, double b)
{
	return a > b - 4 && a < b + 4;
}

static uint8_t flags(const struct timeline_answer *a)
{
	uint8_t all = 0;

	for (uint32_t k = 0; k < a->cpu_cells * a->ncpus; k++)
		all |= a->cpus[k * 4 + 3];
	return all;
}

static struct timeline *part_of(const struct timeline_part *part, struct stable *stable)
{
	struct timeline *t = timeline_new(NULL, stable, NULL, part);

	/* 20 runs on CPU 0 from 500 to 1500, wakes 30 at 1200, which runs on CPU 1 from 1600 on. */
	give(t, false, 400, 0, SWITCH, 10, 0, 3);
	give(t, false, 450, 1, SWITCH, 40, 0, 0);
	give(t, false, 500, 0, SWITCH, 0, 20, 0);
	if (timeline_follows(t, &types[SWITCH]) && timeline_follows(t, &types[WAKING]))
		give(t, false, 600, 0, WAKING, 20, 50, 0);
	give(t, true, 1200, 0, WAKING, 20, 30, 0);
	give(t, true, 1300, 0, OTHER, 20, 0, 0);
	give(t, true, 1500, 0, SWITCH, 20, 0, 0);
	give(t, true, 1600, 1, SWITCH, 0, 30, 0);
	give(t, false, 3000, 1, SWITCH, 30, 0, 0);
	give(t, false, 3100, 1, SWITCH, 0, 50, 9);
	return t;
}

static bool only_1(const void *arg, int number)
{
	(void)arg;
	return number == 1;
}

static bool only_30(const void *arg, int32_t number, const char *comm)
{
	(void)arg;
	(void)comm;
	return number == 30;
}

static void test_part(void)
{
	struct stable *stable = stable_new();
	struct timeline_part part = { .from = 1000000, .to = 2000000 };
	struct timeline *t = part_of(&part, stable);
	struct timeline_answer a;

	ok(timeline_ask(t, 100, 0, &a) && a.start == part.from && a.end == part.to,
	   "a part is as long as was asked for (else: 100 ms are drawn as six seconds)");
	ok(a.ncpus == 2 && about(busy(&a, 0), 500) && about(busy(&a, 1), 400),
	   "who ran when it began is known from what was before, up to its end");
	ok(a.has_switches && a.marks.n == 4 && a.marks.ranges[0].from == 1200000 &&
		   a.marks.ranges[0].to == 1600000,
	   "single events are those inside");
	ok(!(flags(&a) & TIMELINE_LOST), "what was lost outside is not drawn");
	ok(a.lanes[a.ncpus].run == 500000 && timeline_task(t, a.lanes[a.ncpus].task)->pid == 20,
	   "a task's time is that inside");
	ok(!timeline_follows(t, &types[SWITCH]) && !timeline_follows(t, &types[OTHER]),
	   "after the end nothing is needed (else: all of a long trace is read for its first ms)");
	timeline_answer_fini(&a);
	timeline_free(t);
	part.takes_cpu = only_1;
	t = part_of(&part, stable);
	ok(timeline_ask(t, 100, 0, &a) && a.ncpus == 1 && a.lanes[0].cpu == 1 &&
		   about(busy(&a, 0), 400) && a.marks.n == 1,
	   "a CPU that was not asked for has no lane");
	for (unsigned i = 0; i < a.ntasks; i++)
		if (timeline_task(t, a.lanes[a.ncpus + i].task)->pid == 30)
			ok(about(at(&a, i, TASK_READY_SHARE), 400) &&
				   about(at(&a, i, TASK_RUN_SHARE), 400),
			   "but who was woken from there, and when, is known");
	timeline_answer_fini(&a);
	timeline_free(t);
	part.takes_cpu = NULL;
	part.takes_task = only_30;
	t = part_of(&part, stable);
	ok(timeline_ask(t, 100, 0, &a) && a.ncpus == 2 && a.ntasks == 1 &&
		   timeline_task(t, a.lanes[2].task)->pid == 30,
	   "of tasks only those that were asked for have lanes, and all CPUs");
	timeline_answer_fini(&a);
	timeline_free(t);
	part = (struct timeline_part){ .from = 5000000, .to = 4000000 };
	t = part_of(&part, stable);
	ok(!timeline_ask(t, 100, 0, &a), "a part outside of the trace has no picture");
	timeline_free(t);
	stable_free(stable);
}

int main(void)
{
	test_part();
	test_cells();
	test_most();
	test_marks();
	return tap_done();
}
