// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shares: what CPUs and tasks did in any range, from the cells of an index: of CPUs from the level
 * whose cells are a little finer than those that are asked for.
 */
#include "index/index_priv.h"

#include "analysis/timeline/cells.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define COUNTED 1024 /* cells for a count */
#define TASK_WHOLE 65535.0F

/* A level: its cells of CPU 0 begin at item `first`. */
struct level {
	uint64_t first, n, len; /* n cells of len ns of each CPU */
};

/* The coarsest level whose cells are at most LEN ns long, or the finest one. */
static struct level level_for(const struct trace_index *x, uint64_t len)
{
	struct level l = { .n = x->head.ncells, .len = 1ull << x->head.shift };

	for (unsigned i = 1; i < INDEX_LEVELS && l.n > INDEX_FEW && l.len <= len / 4; i++) {
		l.first += l.n * x->head.told.ncpus;
		l.n = (l.n + 3) / 4;
		l.len *= 4;
	}
	return l;
}

/* The cells of a range, [first, first + n). */
struct some_cells {
	struct level level;
	uint64_t base, begin, end; /* ns: of the level, and of the trace */
	uint64_t first, n;
};

static struct some_cells cells_of(const struct trace_index *x, uint64_t from, uint64_t to,
				  uint64_t len)
{
	const struct period *all = &x->head.told.all;
	struct some_cells s = { .level = level_for(x, len), .base = x->head.base };
	uint64_t last;

	if (!period_any(all) || from > all->last || to <= all->first || from >= to || !s.level.n)
		return s;
	s.begin = all->first > s.base ? all->first : s.base;
	s.end = all->last < UINT64_MAX ? all->last + 1 : all->last;
	from = from > s.begin ? from : s.begin;
	to = to < s.end ? to : s.end;
	if (from >= to)
		return s;
	s.first = (from - s.base) / s.level.len;
	last = (to - 1 - s.base) / s.level.len;
	if (last >= s.level.n)
		last = s.level.n - 1;
	s.n = s.first <= last ? last - s.first + 1 : 0;
	return s;
}

/* Where the cell number AT of S, of LEN ns, begins and ends within the trace. */
static void span_of(const struct some_cells *s, uint64_t at, uint64_t len, uint64_t *from,
		    uint64_t *to)
{
	*from = s->base + at * len;
	*to = *from + len < s->end ? *from + len : s->end;
	if (*from < s->begin)
		*from = s->begin;
}

/* The cells that are asked for. */
struct grid {
	uint64_t from, to;
	unsigned n;
};

static uint64_t edge(const struct grid *g, unsigned i)
{
	uint64_t span = g->to - g->from;

	return g->from + span / g->n * i + span % g->n * i / g->n;
}

/* The cell of G that TS, which is in it, belongs to. */
static unsigned cell_of(const struct grid *g, uint64_t ts)
{
	unsigned i = (unsigned)((double)(ts - g->from) / (double)(g->to - g->from) * g->n);

	i = i < g->n ? i : g->n - 1;
	while (i && edge(g, i) > ts)
		i--;
	while (i + 1 < g->n && edge(g, i + 1) <= ts)
		i++;
	return i;
}

/*
 * FROM to TO, clipped to G, falls into cell *I of it (the first time that which FROM is in): how
 * many ns of it; 0: there is no more.
 */
static uint64_t next_part(const struct grid *g, uint64_t *from, uint64_t to, unsigned *i)
{
	uint64_t end, part;

	if (*from < g->from)
		*from = g->from;
	if (to > g->to)
		to = g->to;
	if (*from >= to)
		return 0;
	*i = cell_of(g, *from);
	end = edge(g, *i + 1) < to ? edge(g, *i + 1) : to;
	part = end - *from;
	*from = end;
	return part;
}

static float of_cell(const struct grid *g, unsigned i, uint64_t ns)
{
	uint64_t len = edge(g, i + 1) - edge(g, i);

	return len ? (float)ns / (float)len : 0;
}

/* ---- CPUs ---- */

static void add_cell(const struct grid *g, const struct some_cells *s, uint64_t at,
		     const struct index_cpu_cell *c, struct trace_index_cpu_cell *out, float *tops,
		     double *events)
{
	uint64_t from, to, len, part;
	unsigned i;

	span_of(s, at, s->level.len, &from, &to);
	len = to > from ? to - from : 1;
	while ((part = next_part(g, &from, to, &i))) {
		/* Shares are of a whole cell, and all of them is within the trace. */
		float ns = (float)part / (float)len * (float)s->level.len / 255.0F;
		float whole = of_cell(g, i, 1);

		out[i].busy += (float)c->busy * ns * whole;
		out[i].unknown += ((float)c->unknown * ns - (float)part) * whole;
		events[i] += (double)c->n * (double)part / (double)len;
		out[i].lost |= c->flags & CELL_LOST;
		out[i].irq |= c->flags & CELL_IRQ;
		if (c->who != TRACE_INDEX_NO_TASK && (float)c->top * ns > tops[i]) {
			tops[i] = (float)c->top * ns;
			out[i].who = c->who;
		}
	}
}

static float share(float x)
{
	return x < 0.001F ? 0 : x > 1 ? 1 : x;
}

void trace_index_cpu_cells(const struct trace_index *x, unsigned i, uint64_t from, uint64_t to,
			   unsigned n, struct trace_index_cpu_cell *out)
{
	struct grid g = { from, to, n };
	struct some_cells s;
	struct index_cpu_cell *v;
	float *tops;
	double *events;

	for (unsigned k = 0; k < n; k++)
		out[k] = (struct trace_index_cpu_cell){ .unknown = 1, .who = TRACE_INDEX_NO_TASK };
	if (!n || from >= to || i >= x->head.told.ncpus)
		return;
	s = cells_of(x, from, to, (to - from) / n / 2);
	v = mem_alloc((s.n + 1) * sizeof(*v));
	tops = mem_zalloc(n * sizeof(*tops));
	events = mem_zalloc(n * sizeof(*events));
	if (index_items(x, INDEX_CPU_CELLS, s.level.first + s.level.n * i + s.first, s.n, v))
		for (uint64_t k = 0; k < s.n; k++)
			add_cell(&g, &s, s.first + k, &v[k], out, tops, events);
	for (unsigned k = 0; k < n; k++) {
		out[k].busy = share(out[k].busy);
		out[k].unknown = share(out[k].unknown);
		out[k].events = events[k] < UINT32_MAX ? (uint32_t)(events[k] + 0.5) : UINT32_MAX;
	}
	free(events);
	free(tops);
	free(v);
}

uint64_t trace_index_finest(const struct trace_index *x)
{
	return 1ull << x->head.shift;
}

void trace_index_events(const struct trace_index *x, uint64_t from, uint64_t to, uint64_t *least,
			uint64_t *most)
{
	const struct period *all = &x->head.told.all;
	struct some_cells s;
	struct index_cpu_cell *v;

	*least = *most = 0;
	if (from <= all->first && to >= all->last) {
		*least = *most = x->head.told.events;
		return;
	}
	if (to < UINT64_MAX)
		to++;
	s = cells_of(x, from, to, from < to ? (to - from) / COUNTED : 0);
	v = mem_alloc((s.n + 1) * sizeof(*v));
	for (unsigned i = 0; s.n && i < x->head.told.ncpus; i++) {
		if (!index_items(x, INDEX_CPU_CELLS, s.level.first + s.level.n * i + s.first, s.n,
				 v))
			break;
		for (uint64_t k = 0; k < s.n; k++) {
			uint64_t begins, ends;

			span_of(&s, s.first + k, s.level.len, &begins, &ends);
			*most += v[k].n;
			*least += begins >= from && ends <= to ? v[k].n : 0;
		}
	}
	free(v);
}

/* ---- tasks ---- */

/* All cells of a task, *N of them, to be freed; NULL: it has none. */
static struct index_task_cell *task_cells(const struct trace_index *x, const struct index_task *t)
{
	struct index_task_cell *v;

	if (!t->n || t->n > checked_count(x->file, INDEX_TASK_CELLS, sizeof(*v)))
		return NULL;
	v = mem_alloc(t->n * sizeof(*v));
	if (index_items(x, INDEX_TASK_CELLS, t->first, t->n, v))
		return v;
	free(v);
	return NULL;
}

/* The trace, in cells of tasks. */
static struct some_cells task_grid(const struct trace_index *x)
{
	const struct period *all = &x->head.told.all;

	return (struct some_cells){ .level.len = 1ull << x->head.task_shift,
				    .base = x->head.base,
				    .begin = all->first,
				    .end = all->last < UINT64_MAX ? all->last + 1 : all->last };
}

/* What is known of a task: since it was met, up to the end of the trace. */
static void take_known(const struct grid *g, const struct some_cells *s, uint64_t known,
		       struct trace_index_task_cell *out)
{
	uint64_t part;
	unsigned i;

	while ((part = next_part(g, &known, s->end, &i)))
		out[i].unknown -= of_cell(g, i, part);
}

void trace_index_task_cells(const struct trace_index *x, uint32_t task, uint64_t from, uint64_t to,
			    unsigned n, struct trace_index_task_cell *out)
{
	struct grid g = { from, to, n };
	struct some_cells s = task_grid(x);
	struct index_task_cell *v;
	uint64_t ntasks;
	const struct index_task *t = index_section(x, INDEX_TASKS, &ntasks);

	for (unsigned k = 0; k < n; k++)
		out[k] = (struct trace_index_task_cell){ .unknown = 1 };
	if (!n || from >= to || task >= ntasks)
		return;
	take_known(&g, &s, t[task].known, out);
	v = task_cells(x, &t[task]);
	for (uint32_t k = 0; v && k < t[task].n; k++) {
		uint64_t begins, ends, len, part;
		unsigned i;

		span_of(&s, v[k].at, s.level.len, &begins, &ends);
		len = ends > begins ? ends - begins : 1;
		while ((part = next_part(&g, &begins, ends, &i))) {
			float ns = (float)part / (float)len * (float)s.level.len / TASK_WHOLE;
			float whole = of_cell(&g, i, 1);

			out[i].run += (float)v[k].share[0] * ns * whole;
			out[i].ready += (float)v[k].share[1] * ns * whole;
			out[i].blocked += (float)v[k].share[2] * ns * whole;
		}
	}
	free(v);
	for (unsigned k = 0; k < n; k++)
		out[k] = (struct trace_index_task_cell){ share(out[k].run), share(out[k].ready),
							 share(out[k].blocked),
							 share(out[k].unknown) };
}

/* ns of part BY of T from FROM to TO. */
static uint64_t sum_of(const struct trace_index *x, const struct index_task *t,
		       const struct grid *g, enum trace_index_measure by)
{
	struct some_cells s = task_grid(x);
	struct index_task_cell *v = task_cells(x, t);
	double sum = 0;

	for (uint32_t k = 0; v && k < t->n; k++) {
		uint64_t begins, ends, len, part;
		unsigned i;

		span_of(&s, v[k].at, s.level.len, &begins, &ends);
		len = ends > begins ? ends - begins : 1;
		part = next_part(g, &begins, ends, &i);
		sum += (double)v[k].share[by] / (double)TASK_WHOLE * (double)s.level.len *
		       (double)part / (double)len;
	}
	free(v);
	return sum < 0x1p64 ? (uint64_t)(sum + 0.5) : UINT64_MAX;
}

/* Keep the N with the most in OUT, of which *HAVE are there. */
static void rank(struct trace_index_rank *out, unsigned n, unsigned *have, uint32_t task,
		 uint64_t ns)
{
	unsigned i;

	if (!ns || (*have == n && (!n || out[n - 1].ns >= ns)))
		return;
	i = *have < n ? (*have)++ : n - 1;
	for (; i && out[i - 1].ns < ns; i--)
		out[i] = out[i - 1];
	out[i] = (struct trace_index_rank){ task, ns };
}

unsigned trace_index_most(const struct trace_index *x, uint64_t from, uint64_t to,
			  enum trace_index_measure by, unsigned n, struct trace_index_rank *out)
{
	const struct period *all = &x->head.told.all;
	bool whole = from <= all->first && to >= all->last;
	struct grid g = { from, to < UINT64_MAX ? to + 1 : to, 1 };
	uint64_t ntasks;
	const struct index_task *t = index_section(x, INDEX_TASKS, &ntasks);
	unsigned have = 0;

	for (uint32_t i = 0; i < ntasks && from <= to; i++) {
		uint64_t in_all = by == TRACE_INDEX_RUN	  ? t[i].run :
				  by == TRACE_INDEX_READY ? t[i].ready :
							    t[i].blocked;

		if (in_all)
			rank(out, n, &have, i, whole ? in_all : sum_of(x, &t[i], &g, by));
	}
	return have;
}
