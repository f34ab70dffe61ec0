/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer: encodes a time line in the few bytes that a picture needs.
 */
#include "analysis/timeline/timeline_priv.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define A_LITTLE 0.004F /* of a cell: less is rounding */

struct ask {
	struct timeline *t;
	struct timeline_answer *out;
	uint8_t *name_of; /* by task: its index in names */
};

static int by_run(const void *a, const void *b)
{
	const struct timeline_lane *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? 1 : -1;
	return (x->task > y->task) - (x->task < y->task);
}

static int by_cpu(const void *a, const void *b)
{
	const struct timeline_lane *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* The tasks that ran most have a name in cells. */
static void choose_names(struct ask *a)
{
	const struct tasks *tasks = &a->t->tasks;
	struct timeline_lane *all = mem_zalloc(tasks->n * sizeof(*all));
	uint32_t n = 0;

	for (uint32_t i = TASK_OTHER + 1; i < tasks->n; i++)
		if (tasks->v[i].run)
			all[n++] = (struct timeline_lane){ .task = i, .run = tasks->v[i].run };
	qsort(all, n, sizeof(*all), by_run);
	a->name_of = mem_alloc(tasks->n);
	memset(a->name_of, UINT8_MAX, tasks->n);
	a->name_of[TASK_IDLE] = 0;
	a->out->nnames = 1;
	for (uint32_t i = 0; i < n && a->out->nnames <= TIMELINE_NAMES; i++) {
		a->name_of[all[i].task] = (uint8_t)a->out->nnames;
		a->out->names[a->out->nnames++] = all[i].task;
	}
	free(all);
}

static void choose_lanes(struct ask *a)
{
	const struct timeline *t = a->t;
	struct timeline_answer *o = a->out;
	struct timeline_lane *lanes;

	o->ncpus = t->cpu_cells.nlanes;
	o->ntasks = t->task_cells.nlanes;
	o->lanes = lanes = mem_zalloc((o->ncpus + o->ntasks) * sizeof(*lanes));
	o->mark_lanes = mem_zalloc(o->ncpus * sizeof(*o->mark_lanes));
	for (unsigned i = 0; i < o->ncpus; i++)
		lanes[i] = (struct timeline_lane){ .cpu = t->cpus[i]->number,
						   .source = t->cpus[i]->source,
						   .task = i };
	qsort(lanes, o->ncpus, sizeof(*lanes), by_cpu);
	for (unsigned i = 0; i < o->ncpus; i++)
		o->mark_lanes[lanes[i].task] = (uint16_t)i;
	lanes += o->ncpus;
	for (unsigned i = 0; i < o->ntasks; i++) {
		const struct tl_task *task = &t->tasks.v[t->lane_task[i]];

		lanes[i] = (struct timeline_lane){ .is_task = true,
						   .source = task->source,
						   .task = t->lane_task[i],
						   .run = task->run };
	}
	qsort(lanes, o->ntasks, sizeof(*lanes), by_run);
}

uint8_t timeline_share(float x)
{
	return x >= 1 ? 255 : x < A_LITTLE ? 0 : (uint8_t)((uint32_t)(x * 510 + 1) / 2);
}

/* 16 for each power of two of 1 + N, linear between two of them: 0 to 512, limited to a byte. */
uint8_t timeline_amount(uint32_t n)
{
	uint64_t x = (uint64_t)n + 1;
	unsigned power = 63 - (unsigned)__builtin_clzll(x);
	uint64_t v = 16 * power + (16 * (x - (1ull << power)) >> power);

	return v > UINT8_MAX ? UINT8_MAX : (uint8_t)v;
}

static void pack_cpu(const struct ask *a, const struct cell *c, uint8_t *to)
{
	to[0] = timeline_share(c->part[CPU_BUSY]);
	to[1] = timeline_amount(c->n);
	/* A tiny share must not look idle. */
	if (!to[0] && c->part[CPU_BUSY] > 0)
		to[0] = 1;
	to[2] = c->who == NO_TASK ? 0 : a->name_of[c->who];
	to[3] = (uint8_t)((c->flags & CELL_LOST ? TIMELINE_LOST : 0) |
			  (c->flags & CELL_IRQ ? TIMELINE_IRQ : 0) |
			  (c->part[CPU_UNKNOWN] > A_LITTLE ? TIMELINE_PARTLY : 0) |
			  (c->part[CPU_UNKNOWN] > 0.5F ? TIMELINE_UNKNOWN : 0));
}

static void pack_task(const struct ask *a, const struct cell *c, uint8_t *to)
{
	(void)a;
	for (unsigned i = 0; i < CELL_PARTS; i++)
		to[i] = timeline_share(c->part[i]);
	if (!to[TASK_RUN_SHARE] && c->part[TASK_RUN_SHARE] > 0)
		to[TASK_RUN_SHARE] = 1;
}

/* N cells from V on as one; USED: the fraction of their time that has passed. */
static struct cell merged(const struct cell *v, uint32_t n, float used)
{
	struct cell out = { .who = NO_TASK };

	for (uint32_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < CELL_PARTS; k++)
			out.part[k] += v[i].part[k] / (float)n / used;
		out.n = out.n > UINT32_MAX - v[i].n ? UINT32_MAX : out.n + v[i].n;
		out.flags |= v[i].flags;
		if (v[i].top > out.top) {
			out.top = v[i].top;
			out.who = v[i].who;
		}
	}
	return out;
}

typedef void pack_cell(const struct ask *a, const struct cell *c, uint8_t *to);

/* The cells of all lanes, in the order of LANES, which LANE_OF finds. */
static uint8_t *pack(const struct ask *a, const struct cells *c, const unsigned *order,
		     unsigned nlanes, unsigned halvings, uint32_t *ncells, pack_cell *how)
{
	uint32_t used = (uint32_t)((a->t->last - c->base) >> c->shift) + 1, group = 1u << halvings;
	uint32_t n = (used + group - 1) >> halvings;
	double width = (double)((uint64_t)group << c->shift);
	uint8_t *out = mem_alloc((size_t)n * nlanes * 4 + 1), *to = out;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t first = i << halvings,
			 have = c->cap - first < group ? c->cap - first : group;
		double part = i + 1 < n ? 1 :
					  ((double)(a->t->last - c->base) - i * width + 1) / width;

		for (unsigned k = 0; k < nlanes; k++, to += 4) {
			struct cell cell = merged(&c->lanes[order[k]].v[first], have,
						  part > 1 ? 1 : (float)part);

			how(a, &cell, to);
		}
	}
	*ncells = n;
	return out;
}

static unsigned most_halvings(const struct cells *c, unsigned asked)
{
	unsigned most = 0;

	while (most < asked && c->cap >> (most + 1) >= CELLS_LEAST)
		most++;
	return most;
}

static void pack_all(struct ask *a, unsigned halvings)
{
	struct timeline *t = a->t;
	struct timeline_answer *o = a->out;
	unsigned *order = mem_alloc((o->ncpus + o->ntasks + 1) * sizeof(*order));
	unsigned of_cpus = most_halvings(&t->cpu_cells, halvings),
		 of_tasks = most_halvings(&t->task_cells, halvings);

	for (unsigned i = 0; i < o->ncpus; i++)
		order[o->mark_lanes[i]] = i;
	for (unsigned i = 0; i < o->ntasks; i++)
		order[o->ncpus + i] = (unsigned)t->tasks.v[o->lanes[o->ncpus + i].task].lane;
	o->cpus = pack(a, &t->cpu_cells, order, o->ncpus, of_cpus, &o->cpu_cells, pack_cpu);
	o->tasks = pack(a, &t->task_cells, order + o->ncpus, o->ntasks, of_tasks, &o->task_cells,
			pack_task);
	o->cpu_width = 1ull << (t->cpu_cells.shift + of_cpus);
	o->task_width = 1ull << (t->task_cells.shift + of_tasks);
	free(order);
}

bool timeline_ask(struct timeline *t, size_t marks, unsigned halvings, struct timeline_answer *out)
{
	struct ask a = { .t = t, .out = out };

	memset(out, 0, sizeof(*out));
	if (!t->begun || t->part.from > t->part.to)
		return false;
	timeline_settle(t);
	out->start = t->first;
	out->end = t->last;
	out->has_switches = t->has_switches;
	out->left = t->left;
	choose_names(&a);
	choose_lanes(&a);
	pack_all(&a, halvings);
	marks_choose(&t->marks, marks, &out->marks);
	free(a.name_of);
	return true;
}

void timeline_answer_fini(struct timeline_answer *a)
{
	free(a->lanes);
	free(a->cpus);
	free(a->tasks);
	free(a->mark_lanes);
	marks_answer_fini(&a->marks);
}
