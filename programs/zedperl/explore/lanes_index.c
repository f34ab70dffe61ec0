// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lanes_index: lanes far away, from the index: its cells, its losses, and the tasks that ran most.
 */
#include "programs/zedperl/explore/lanes_index.h"

#include "analysis/timeline/timeline.h"
#include "programs/zedperl/explore/event_row.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 20000		 /* as in lanes.c */
#define CELLS_OF_CPUS (1u << 19) /* of all CPUs together, at most */
#define LOSSES_MOST 20000
#define ENOUGH 256 /* cells of a lane, where more are wanted and the index has no finer ones */
#define UNKNOWN_LITTLE 0.004F /* of a cell: less is rounding */

struct far {
	const struct trace_index *x;
	const struct request *q;
	struct outbuf *o;
	uint64_t base, from, to, width; /* absolute, and ns of a cell */
	uint32_t n;			/* cells of a lane */
	unsigned ncpus;
	uint8_t *cpus, *tasks;			       /* bytes of the cells */
	uint32_t lanes[REQUEST_TASKS + REQUEST_TASKS]; /* tasks of the index */
	uint64_t runs[REQUEST_TASKS + REQUEST_TASKS];
	unsigned nlanes;
	uint32_t people[TIMELINE_NAMES + 1]; /* their tasks by place; [0] is the idle one */
	unsigned npeople;
	uint64_t nlosses, left;
};

const struct trace_index *explore_index(const struct explore *x, const struct cli *c)
{
	struct err e;

	if (x->index || c->run.pump.nsources != 1)
		return x->index;
	/* Only once in a process, which is that of one answer. */
	if (x->index_file >= 0)
		return trace_index_open(x->index_file, c->run.pump.sources[0], &e);
	if (c->run.nindexes)
		return c->run.indexes[0];
	return trace_index_find(c->run.pump.sources[0]);
}

/* ---- which window, which tasks ---- */

static bool choose_window(struct far *f)
{
	const struct trace_index_head *h = trace_index_head(f->x);
	uint64_t length, least, most, finest;
	uint32_t wanted;

	if (!period_any(&h->all))
		return false;
	length = h->all.last - h->all.first;
	f->base = h->all.first;
	f->from = f->base + (f->q->from < length ? f->q->from : length);
	f->to = f->base + (f->q->to < length ? f->q->to : length);
	f->ncpus = h->ncpus;
	f->n = f->q->cells;
	while (f->n > 1 && (uint64_t)f->n * f->ncpus > CELLS_OF_CPUS)
		f->n /= 2;
	finest = (f->to - f->from) / trace_index_finest(f->x);
	wanted = f->n < ENOUGH ? f->n : ENOUGH;
	f->n = f->n < finest ? f->n : (uint32_t)finest;
	if (!f->n || f->n < wanted)
		return false;
	f->width = (f->to - f->from) / f->n + 1;
	trace_index_events(f->x, f->from, f->to, &least, &most);
	return least > NEAR;
}

static void add_lane(struct far *f, uint32_t task, uint64_t run)
{
	for (unsigned i = 0; i < f->nlanes; i++) {
		if (f->lanes[i] != task)
			continue;
		f->runs[i] = run ? run : f->runs[i];
		return;
	}
	f->lanes[f->nlanes] = task;
	f->runs[f->nlanes++] = run;
}

/* Those that are asked for, and those that ran most. */
static void choose_tasks(struct far *f)
{
	struct trace_index_rank most[REQUEST_TASKS];
	unsigned n = f->q->ntasks < REQUEST_TASKS ? f->q->ntasks : REQUEST_TASKS;

	n = trace_index_most(f->x, f->from, f->to, TRACE_INDEX_RUN, n, most);
	for (unsigned i = 0; i < n; i++)
		add_lane(f, most[i].task, most[i].ns);
	for (unsigned i = 0; i < f->q->nlanes; i++) {
		const struct request_task *t = &f->q->tasks[i];
		uint32_t task = t->source || t->pid != (int32_t)t->pid ?
					UINT32_MAX :
					trace_index_task_of(f->x, (int32_t)t->pid);

		if (task != UINT32_MAX)
			add_lane(f, task, 0);
	}
}

/* ---- cells ---- */

/* The place of TASK among the people; those for whom there is none are all one. */
static uint8_t place_of(struct far *f, uint32_t task)
{
	struct trace_index_task t;

	if (task == TRACE_INDEX_NO_TASK || !trace_index_task(f->x, task, &t) || !t.pid)
		return 0;
	for (unsigned i = 1; i < f->npeople; i++)
		if (f->people[i] == task)
			return (uint8_t)i;
	if (f->npeople > TIMELINE_NAMES)
		return UINT8_MAX;
	f->people[f->npeople] = task;
	return (uint8_t)f->npeople++;
}

static void fill_cpu(struct far *f, unsigned cpu, struct trace_index_cpu_cell *cells)
{
	trace_index_cpu_cells(f->x, cpu, f->from, f->from + f->width * f->n, f->n, cells);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct trace_index_cpu_cell *c = &cells[i];
		uint8_t *to = &f->cpus[((size_t)i * f->ncpus + cpu) * 4];

		to[0] = timeline_share(c->busy);
		to[1] = timeline_amount(c->events);
		to[2] = place_of(f, c->who);
		to[3] = (uint8_t)((c->lost ? TIMELINE_LOST : 0) | (c->irq ? TIMELINE_IRQ : 0) |
				  (c->unknown > UNKNOWN_LITTLE ? TIMELINE_PARTLY : 0) |
				  (c->unknown > 0.5F ? TIMELINE_UNKNOWN : 0));
	}
}

static void fill_task(struct far *f, unsigned lane, struct trace_index_task_cell *cells)
{
	trace_index_task_cells(f->x, f->lanes[lane], f->from, f->from + f->width * f->n, f->n,
			       cells);
	for (uint32_t i = 0; i < f->n; i++) {
		uint8_t *to = &f->tasks[((size_t)i * f->nlanes + lane) * 4];

		to[TASK_RUN_SHARE] = timeline_share(cells[i].run);
		to[TASK_READY_SHARE] = timeline_share(cells[i].ready);
		to[TASK_BLOCKED_SHARE] = timeline_share(cells[i].blocked);
		to[TASK_UNKNOWN_SHARE] = timeline_share(cells[i].unknown);
	}
}

static void fill(struct far *f)
{
	void *cells = mem_alloc(f->n * (sizeof(struct trace_index_cpu_cell) +
					sizeof(struct trace_index_task_cell)));

	f->npeople = 1;
	f->cpus = mem_alloc((size_t)f->n * f->ncpus * 4 + 1);
	f->tasks = mem_alloc((size_t)f->n * f->nlanes * 4 + 1);
	for (unsigned i = 0; i < f->ncpus; i++)
		fill_cpu(f, i, cells);
	for (unsigned i = 0; i < f->nlanes; i++)
		fill_task(f, i, cells);
	free(cells);
}

/* ---- the answer ---- */

static void put_task(struct far *f, uint32_t task)
{
	struct trace_index_task t = { .comm = "<...>" };

	trace_index_task(f->x, task, &t);
	out_char(f->o, '[');
	out_json_name(f->o, t.comm);
	out_printf(f->o, ",%d", t.pid);
}

static void put_cpus(struct far *f)
{
	struct trace_index_cpu c;

	out_str(f->o, ",\"cpus\":[");
	for (unsigned i = 0; i < f->ncpus && trace_index_cpu(f->x, i, &c); i++)
		out_printf(f->o, "%s[%d,0]", i ? "," : "", c.cpu);
	out_char(f->o, ']');
}

static void put_tasks(struct far *f)
{
	out_str(f->o, ",\"tasks\":[");
	for (unsigned i = 0; i < f->nlanes; i++) {
		out_str(f->o, i ? "," : "");
		put_task(f, f->lanes[i]);
		out_printf(f->o, ",%" PRIu64 ",0]", f->runs[i]);
	}
	out_char(f->o, ']');
}

static void put_people(struct far *f)
{
	out_str(f->o, ",\"people\":[[\"<idle>\",0]");
	for (unsigned i = 1; i < f->npeople; i++) {
		out_char(f->o, ',');
		put_task(f, f->people[i]);
		out_char(f->o, ']');
	}
	out_char(f->o, ']');
}

static bool put_loss(void *arg, const struct trace_index_loss *l)
{
	struct far *f = arg;
	uint64_t from = l->from == TS_UNKNOWN || l->from < f->from ? f->from : l->from;
	struct trace_index_cpu c;

	for (unsigned i = 0; i < f->ncpus && trace_index_cpu(f->x, i, &c); i++) {
		if (c.cpu != l->cpu && !l->anywhere)
			continue;
		if (f->nlosses == LOSSES_MOST) {
			f->left++;
			continue;
		}
		out_printf(f->o, "%s[%u,%" PRIu64 ",%" PRIu64, f->nlosses++ ? "," : "", i,
			   from - f->base, (l->to < f->to ? l->to : f->to) - f->base);
		if (l->lost == LOST_UNKNOWN)
			out_str(f->o, ",null]");
		else
			out_printf(f->o, ",%u]", l->lost);
	}
	return true;
}

static void put(struct far *f)
{
	struct outbuf *o = f->o;

	out_printf(o, "{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"exact\":false,\"timeline\":{",
		   f->from - f->base, f->to - f->base);
	out_printf(o,
		   "\"start\":%" PRIu64 ",\"end\":%" PRIu64 ",\"cpu_width\":%" PRIu64
		   ",\"task_width\":%" PRIu64 ",\"nmarks\":0,\"ranges\":[],\"types\":[],"
		   "\"running\":[],\"states\":[],\"has_switches\":%d,\"left\":0,\"sources\":1",
		   f->from - f->base, f->to - f->base, f->width, f->width,
		   trace_index_head(f->x)->has_switches);
	put_cpus(f);
	put_tasks(f);
	put_people(f);
	out_str(o, "},\"cells-cpu\":");
	out_base64(o, f->cpus, (size_t)f->n * f->ncpus * 4);
	out_str(o, ",\"cells-task\":");
	out_base64(o, f->tasks, (size_t)f->n * f->nlanes * 4);
	out_str(o, ",\"marks\":\"\",\"irqs\":[],\"losses\":[");
	trace_index_losses(f->x, f->from, f->to, put_loss, f);
	out_printf(o, "],\"losses_left\":%" PRIu64 "}", f->left);
}

bool lanes_from_index(const struct trace_index *x, const struct request *q, struct outbuf *o)
{
	struct far f = { .x = x, .q = q, .o = o };

	if (!choose_window(&f))
		return false;
	choose_tasks(&f);
	fill(&f);
	put(&f);
	free(f.cpus);
	free(f.tasks);
	return true;
}

/* ---- near: the states at a checkpoint ---- */

struct checkpoint {
	const struct trace_index *x;
	struct timeline *timeline;
	struct comms *names;
	bool *runs; /* by CPU of the index: a task runs there */
};

/* The index has only the last name of a task. */
static const char *name_of(const struct checkpoint *p, const struct trace_index_task *t)
{
	const char *name = comms_name(p->names, t->pid);

	return strcmp(name, "<...>") != 0 ? name : t->comm;
}

static void assume(void *arg, const struct trace_index_state *s)
{
	struct checkpoint *p = arg;
	struct trace_index_task task;
	struct trace_index_cpu c;

	if (!trace_index_task(p->x, s->task, &task))
		return;
	for (unsigned i = 0; s->state == 'r' && trace_index_cpu(p->x, i, &c); i++)
		p->runs[i] |= c.cpu == s->cpu;
	timeline_assume(p->timeline,
			&(struct timeline_assumed){ .cpu = s->cpu,
						    .pid = task.pid,
						    .comm = name_of(p, &task),
						    .state = s->state == 'r' ? TASK_RUNS :
							     s->state == 'w' ? TASK_READY :
									       TASK_BLOCKED,
						    .letter = s->state });
}

/* A CPU on which no task runs is idle, unless what it does is not known then. */
static void assume_idle(struct checkpoint *p, uint64_t at)
{
	uint64_t finest = trace_index_finest(p->x);
	struct trace_index_cpu_cell cell;
	struct trace_index_cpu c;

	for (unsigned i = 0; trace_index_cpu(p->x, i, &c); i++) {
		if (p->runs[i] || at < c.ends.first || at > c.ends.last)
			continue;
		trace_index_cpu_cells(p->x, i, at, at + finest, 1, &cell);
		if (cell.unknown < UNKNOWN_LITTLE)
			timeline_assume(p->timeline,
					&(struct timeline_assumed){
						.cpu = c.cpu, .comm = "", .state = TASK_RUNS });
	}
}

static void assume_none(void *arg, const struct trace_index_state *s)
{
}

uint64_t lanes_checkpoint(const struct trace_index *x, uint64_t ts)
{
	uint64_t at;

	if (!trace_index_jumps(x) || !trace_index_head(x)->has_switches)
		return 0;
	return trace_index_states(x, ts, &at, assume_none, NULL) ? at : 0;
}

void lanes_assume(const struct trace_index *x, uint64_t checkpoint, struct timeline *t,
		  struct comms *names)
{
	struct checkpoint p = { .x = x, .timeline = t, .names = names };
	uint64_t at;

	p.runs = mem_zalloc(trace_index_head(x)->ncpus + 1);
	if (trace_index_states(x, checkpoint, &at, assume, &p))
		assume_idle(&p, at);
	free(p.runs);
}
