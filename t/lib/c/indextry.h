/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INDEXTRY_H
#define ZED_INDEXTRY_H

/*
 * Indexes of a recording whose hashes are right and whose numbers are not, all questions to one,
 * and a run that jumps by it: for t/bad/index_wild.c and t/fuzz/index_fuzz.c.
 */
#include "index/index_priv.h"
#include "run/drain.h"
#include "run/period.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATH "t/data/demo.dat"

/* The next number to decide by: the includer's. */
static uint64_t chance(void);

/* What a number becomes: another bit, or one of those that are wrong most often. */
static void spoil(uint8_t *p, size_t len)
{
	static const uint8_t bytes[] = { 0, 0xff, 0x7f, 0x80, 1 };
	size_t at = chance() % len;

	if (chance() % 2)
		p[at] ^= (uint8_t)(1u << chance() % 8);
	else
		for (size_t i = at; i < len && i < at + 8; i++)
			p[i] = bytes[chance() % sizeof(bytes)];
}

static const uint32_t SIZES[INDEX_SECTIONS] = {
	sizeof(struct index_head),	sizeof(char),
	sizeof(struct index_stream),	sizeof(struct index_place),
	sizeof(struct index_name),	sizeof(struct index_loss),
	sizeof(struct index_cpu),	sizeof(struct index_type),
	sizeof(struct index_task),	sizeof(struct index_cpu_cell),
	sizeof(struct index_task_cell), sizeof(struct index_check),
	sizeof(struct index_state),
};

/* The index in FROM with some numbers spoilt, in a file of its own. */
static int spoilt(struct checked_file *from)
{
	int fd = memfd_create("wild", 0);
	struct checked_file *to = checked_create(fd);
	struct err e;

	for (unsigned s = 0; s < INDEX_SECTIONS; s++) {
		uint64_t n = checked_count(from, s, SIZES[s]);
		size_t keep = s == INDEX_HEAD ? sizeof(struct index_key) : 0, len = n * SIZES[s];
		uint8_t *p = malloc(len + 1);

		if (!checked_read(from, s, SIZES[s], 0, n, p))
			abort();
		for (unsigned i = chance() % (s == INDEX_HEAD ? 2 : 4); i && len > keep; i--)
			spoil(p + keep, len - keep);
		checked_begin(to, s, SIZES[s]);
		checked_put(to, p, chance() % 100 ? n : n / 2);
		free(p);
	}
	if (checked_finish(to, &e) < 0)
		abort();
	return fd;
}

static bool see_loss(void *arg, const struct trace_index_loss *l)
{
	volatile uint32_t seen = l->lost;

	(void)seen;
	return true;
}

static void see_state(void *arg, const struct trace_index_state *s)
{
	struct trace_index_task task;

	trace_index_task(arg, s->task, &task);
}

static void ask_all(const struct trace_index *x)
{
	uint64_t times[] = { 0,
			     trace_index_head(x)->all.first,
			     trace_index_head(x)->all.last,
			     7300000000,
			     UINT64_MAX,
			     chance() << 20 };
	struct trace_index_cpu_cell cells[70];
	struct trace_index_task_cell shares[70];
	struct trace_index_rank rank[9];
	struct trace_index_task task;
	struct trace_index_type type;
	struct trace_index_cpu cpu;
	uint64_t at, least, most;

	for (unsigned i = 0; i < 40; i++) {
		if (trace_index_type(x, i, &type))
			(void)(strlen(type.system) + strlen(type.name));
		trace_index_cpu(x, i, &cpu);
		if (trace_index_task(x, i, &task))
			(void)strlen(task.comm);
	}
	for (unsigned i = 0; i < 36; i++) {
		uint64_t from = times[i / 6], to = times[i % 6];

		trace_index_events(x, from, to, &least, &most);
		trace_index_cpu_cells(x, i % 3, from, to, 70, cells);
		trace_index_task_cells(x, i, from, to, 70, shares);
		trace_index_most(x, from, to, i % 3, 9, rank);
		trace_index_losses(x, from, to, see_loss, NULL);
		trace_index_states(x, from, &at, see_state, (void *)x);
	}
	trace_index_task_of(x, 5);
}

static enum verdict see_event(struct sink *s, const struct event *ev, struct err *e)
{
	return SINK_MORE;
}

/* A run of a part of the trace, which X knows. */
static bool run_part(const struct trace_index *x)
{
	static const struct sink_ops ops = { .event = see_event };
	struct pump_opts o = { .strict = false };
	struct sink to = { .ops = &ops };
	struct period all;
	struct pump p;
	bool ended = false;
	struct err e;

	pump_init(&p, &o);
	if (pump_open(&p, PATH, &e) == 0) {
		if (trace_index_jumps(x))
			pump_jumps(&p, 0, trace_index_jumps(x));
		period_all(&p, &all, &e);
		filter_times(p.filter, 7300000000 + (chance() << 4), 7600000000);
		ended = run_into(&p, &p.stage, &to, &e) == RUN_DONE;
	}
	pump_fini(&p);
	return ended;
}

#endif
