// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace_index: what an index answers is what a run over the same file counts: events, types, CPUs,
 * losses, and the time that each task ran, from its switches.  Without it a picture, or a count, of
 * explore differs from the answer of the command line.
 *
 * of: index analysis/timeline/detail.c
 */
#include "index/index_priv.h"
#include "run/drain.h"
#include "t/lib/c/tap.h"
#include "trace/field.h"

#include <sys/mman.h>

#define CPUS 64
#define TYPES 2000
#define TASKS 5000
#define SWITCHES 100000

struct count {
	struct sink sink;
	uint64_t all, types[TYPES], cpus[CPUS];
	struct period ends[CPUS], whole;
	uint64_t losses;
	/* By switches: who runs on a CPU since when, and how long tasks ran. */
	bool switches;
	int32_t on[CPUS];
	uint64_t since[CPUS];
	uint64_t ran[CPUS], busy;
	struct {
		uint64_t ts;
		int cpu;
		int32_t next;
	} v[SWITCHES];
	unsigned nswitches;
	int32_t pids[TASKS];
	uint64_t run[TASKS];
	unsigned ntasks;
};

static uint64_t *run_of(struct count *c, int32_t pid)
{
	unsigned i;

	for (i = 0; i < c->ntasks; i++)
		if (c->pids[i] == pid)
			return &c->run[i];
	c->pids[c->ntasks] = pid;
	return &c->run[c->ntasks++];
}

static void leave(struct count *c, int cpu, uint64_t ts)
{
	if (c->on[cpu] <= 0)
		return;
	*run_of(c, c->on[cpu]) += ts - c->since[cpu];
	c->ran[cpu] += ts - c->since[cpu];
}

static enum verdict count_event(struct sink *s, const struct event *ev, struct err *e)
{
	struct count *c = (struct count *)s;
	const struct field *next;

	c->all++;
	c->types[ev->type->idx]++;
	c->losses += ev->lost != 0;
	if (!c->cpus[ev->cpu]++) {
		c->ends[ev->cpu] = (struct period){ ev->ts, ev->ts };
		c->on[ev->cpu] = ev->pid;
		c->since[ev->cpu] = ev->ts;
	}
	c->ends[ev->cpu].last = ev->ts;
	c->whole.first = ev->ts < c->whole.first ? ev->ts : c->whole.first;
	c->whole.last = ev->ts;
	if (strcmp(ev->type->name, "sched_switch") != 0)
		return SINK_MORE;
	next = field_find(ev->type, "next_pid");
	leave(c, ev->cpu, ev->ts);
	c->switches = true;
	c->on[ev->cpu] = (int32_t)field_scalar(next, ev);
	c->since[ev->cpu] = ev->ts;
	if (c->nswitches < SWITCHES) {
		c->v[c->nswitches].ts = ev->ts;
		c->v[c->nswitches].cpu = ev->cpu;
		c->v[c->nswitches++].next = c->on[ev->cpu];
	}
	return SINK_MORE;
}

static const struct sink_ops COUNT_OPS = { .event = count_event };

static bool is_near(double a, double b, double within)
{
	return a - b <= within && b - a <= within;
}

/* Each answer about the whole. */
static void test_counts(const struct trace_index *x, const struct count *c, const struct pump *p)
{
	const struct trace_index_head *h = trace_index_head(x);
	struct trace_index_type type;
	struct trace_index_cpu cpu;
	uint64_t sum = 0, least, most;
	bool same = true;
	unsigned i;

	ok(h->events == c->all && h->all.first == c->whole.first && h->all.last == c->whole.last,
	   "events, and the first and the last time");
	for (i = 0; trace_index_type(x, i, &type); i++) {
		const struct etype *t = catalog_find(p->catalog, type.system, type.name, 0);

		same &= t && c->types[t->idx] == type.events;
		sum += type.events;
	}
	ok(same && i == h->ntypes && sum == c->all, "events of each type");
	same = true;
	for (i = 0, sum = 0; trace_index_cpu(x, i, &cpu); i++) {
		same &= cpu.cpu < CPUS && cpu.events == c->cpus[cpu.cpu] &&
			cpu.ends.first == c->ends[cpu.cpu].first &&
			cpu.ends.last == c->ends[cpu.cpu].last;
		sum += cpu.events;
	}
	ok(same && i == h->ncpus && sum == c->all, "events of each CPU, and their times");
	ok(h->losses.places == c->losses, "places where events were lost");
	trace_index_events(x, h->all.first, h->all.last, &least, &most);
	ok(least == c->all && most == c->all, "all events are in the whole time");
	trace_index_events(x, h->all.first, h->all.first + (h->all.last - h->all.first) / 3, &least,
			   &most);
	ok(least <= most && most < c->all && most > 0, "and fewer in a part of it");
	ok(trace_index_check(x), "it is as it was written");
}

static void test_tasks(const struct trace_index *x, struct count *c)
{
	const struct trace_index_head *h = trace_index_head(x);
	struct trace_index_rank best[4], parts[2][TASKS];
	struct trace_index_task task;
	uint64_t middle = h->all.first + (h->all.last - h->all.first) / 2;
	unsigned n, had[2];
	bool same = true;

	for (int cpu = 0; cpu < CPUS; cpu++)
		if (c->cpus[cpu])
			leave(c, cpu, h->all.last);
	for (unsigned i = 0; i < c->ntasks; i++) {
		uint32_t number = trace_index_task_of(x, c->pids[i]);

		if (!trace_index_task(x, number, &task) || task.run != c->run[i]) {
			diag("%d: %" PRIu64 ", not %" PRIu64, c->pids[i], task.run, c->run[i]);
			same = false;
		}
	}
	ok(same && c->ntasks, "how long each task ran");
	n = trace_index_most(x, 0, UINT64_MAX, TRACE_INDEX_RUN, 4, best);
	for (unsigned i = 0; i < c->ntasks; i++)
		same &= c->run[i] <= best[0].ns;
	ok(n && same, "the one that ran longest");
	for (unsigned i = 1; i < n; i++)
		same &= best[i].ns <= best[i - 1].ns;
	ok(same, "and after it the others in order");
	had[0] = trace_index_most(x, 0, middle - 1, TRACE_INDEX_RUN, TASKS, parts[0]);
	had[1] = trace_index_most(x, middle, UINT64_MAX, TRACE_INDEX_RUN, TASKS, parts[1]);
	for (unsigned k = 0; k < n; k++) {
		double sum = 0;

		for (unsigned half = 0; half < 2; half++)
			for (unsigned i = 0; i < had[half]; i++)
				if (parts[half][i].task == best[k].task)
					sum += (double)parts[half][i].ns;
		same &= is_near(sum, (double)best[k].ns, (double)best[k].ns / 50 + 2000);
	}
	ok(same, "two halves are the whole");
}

#define CELLS 100

static void test_cells(const struct trace_index *x, const struct count *c)
{
	const struct trace_index_head *h = trace_index_head(x);
	double len = (double)(h->all.last + 1 - h->all.first);
	struct trace_index_cpu_cell v[CELLS];
	struct trace_index_task_cell w[CELLS];
	struct trace_index_rank best;
	struct trace_index_cpu cpu;
	double sum = 0, ran = 0;
	bool same = true, sane = true;

	for (unsigned i = 0; trace_index_cpu(x, i, &cpu); i++) {
		double busy = 0, events = 0;

		trace_index_cpu_cells(x, i, h->all.first, h->all.last + 1, CELLS, v);
		for (unsigned k = 0; k < CELLS; k++) {
			busy += (double)v[k].busy / CELLS;
			events += v[k].events;
			sane &= v[k].busy + v[k].unknown < 1.1F;
		}
		same &= is_near(events, (double)cpu.events, CELLS);
		if (!is_near(busy, (double)c->ran[cpu.cpu] / len, 0.02)) {
			diag("CPU %d: busy %f, not %f", cpu.cpu, busy,
			     (double)c->ran[cpu.cpu] / len);
			same = false;
		}
	}
	ok(same, "cells of CPUs: busy as long as their tasks ran, with all events");
	ok(sane, "no more than all of a cell");
	if (trace_index_most(x, 0, UINT64_MAX, TRACE_INDEX_RUN, 1, &best)) {
		trace_index_task_cells(x, best.task, h->all.first, h->all.last + 1, CELLS, w);
		for (unsigned k = 0; k < CELLS; k++)
			sum += (double)w[k].run / CELLS;
		ran = (double)best.ns / len;
	}
	ok(is_near(sum, ran, 0.02), "cells of a task: it ran as long as in all (%f, %f)", sum, ran);
	trace_index_cpu_cells(x, 0, h->all.last + 10, h->all.last + 20, 5, v);
	ok(v[0].unknown == 1 && v[4].unknown == 1 && !v[0].events, "after the end all is unknown");
	trace_index_cpu_cells(x, 0, 0, UINT64_MAX, CELLS, v);
	trace_index_cpu_cells(x, 0, h->all.first, h->all.first + 3, CELLS, v);
	trace_index_cpu_cells(x, h->ncpus, 0, UINT64_MAX, CELLS, v);
	trace_index_task_cells(x, h->ntasks, 0, UINT64_MAX, CELLS, w);
	trace_index_task_cells(x, UINT32_MAX, 5, 5, CELLS, w);
	ok(w[0].unknown == 1, "any range, CPU and task may be asked for");
}

struct states {
	const struct trace_index *x;
	const struct count *c;
	uint64_t at;
	unsigned n, running, wrong;
};

static void see_state(void *arg, const struct trace_index_state *s)
{
	struct states *k = arg;
	struct trace_index_task task = { .pid = 0 };
	int32_t on = -1;

	k->n++;
	if (s->cpu < 0)
		return;
	for (unsigned i = 0; i < k->c->nswitches && k->c->v[i].ts < k->at; i++)
		if (k->c->v[i].cpu == s->cpu)
			on = k->c->v[i].next;
	if (on < 0)
		return;
	k->running++;
	if (s->task != TRACE_INDEX_NO_TASK && !trace_index_task(k->x, s->task, &task))
		k->wrong++;
	k->wrong += task.pid != on || s->since > k->at;
}

static void test_states(const struct trace_index *x, const struct count *c)
{
	const struct period *all = &trace_index_head(x)->all;
	struct states k = { .x = x, .c = c };
	unsigned times = 0;
	uint64_t last = 0;

	for (unsigned i = 1; i <= 20; i++) {
		uint64_t ts = all->first + (all->last - all->first) / 20 * i;

		if (!trace_index_states(x, ts, &k.at, see_state, &k))
			continue;
		/* What is seen is that of the time before this. */
		times++;
		k.wrong += k.at > ts || k.at < last;
		last = k.at;
	}
	ok(!k.wrong && (!times || k.running), "at %u times the CPUs run what they were switched to",
	   times);
}

static bool count_loss(void *arg, const struct trace_index_loss *l)
{
	unsigned *n = arg;

	(*n)++;
	return true;
}

static void test_file(const char *path, bool lossy)
{
	struct trace_index_opts o = { .stop = NULL };
	struct count *c = calloc(1, sizeof(*c));
	struct pump_opts po = { .strict = false };
	int fd = memfd_create("index", 0);
	struct trace_index *x = NULL;
	unsigned n = 0;
	struct pump p;
	uint64_t at;
	struct err e;

	c->sink.ops = &COUNT_OPS;
	c->whole = PERIOD_NONE;
	pump_init(&p, &po);
	if (!ok(trace_index_write(path, fd, &o, &e) == 0 && pump_open(&p, path, &e) == 0 &&
			run_into(&p, &p.stage, &c->sink, &e) == RUN_DONE &&
			(x = trace_index_open(fd, p.sources[0], &e)),
		"%s has an index", path)) {
		diag("%s", e.msg);
		free(c);
		return;
	}
	test_counts(x, c, &p);
	trace_index_losses(x, 0, UINT64_MAX, count_loss, &n);
	ok(n == c->losses, "each loss is listed");
	if (!lossy && c->switches) {
		test_tasks(x, c);
		test_cells(x, c);
		test_states(x, c);
	}
	ok(!trace_index_states(x, 0, &at, see_state, &(struct states){ .x = x, .c = c }),
	   "nothing is known before all");
	ok(lossy || trace_index_jumps(x), "a window need not read the whole");
	trace_index_close(x);
	pump_fini(&p);
	free(c);
}

/* Pages of a hostile trace: one stamp near 0, one near 2^64. */
static void test_ends_of_time(void)
{
	const uint64_t first = 0x1000, last = 0xffffffffff000000, ends[] = { last, UINT64_MAX };

	for (unsigned i = 0; i < 2; i++) {
		struct task_shares *t = task_shares_new(first, 1000);
		uint64_t sum[3];
		uint32_t n;

		task_shares_add(t, 0, 0, first, ends[i]);
		ok(task_shares_of(t, 0, &n, sum) && n < 1000 && sum[0] == ends[i] - first,
		   "shares of all of time end (else: endless, in all memory)");
		task_shares_free(t);
		t = task_shares_new(0, 0);
		task_shares_add(t, 0, 0, 0, ends[i]);
		task_shares_of(t, 0, &n, sum);
		ok(n <= 2 && sum[0] == ends[i], "and where not one cell may be");
		task_shares_free(t);
	}
}

int main(void)
{
	test_ends_of_time();
	test_file("t/data/demo.dat", false);
	test_file("t/data/small_v7_none.dat", false);
	test_file("t/data/small_v7_zstd.dat", false);
	test_file("t/data/lost.dat", true);
	return tap_done();
}
