// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * opened_unmet: which of zed.open()'s arguments no event met.  An empty answer may be a mistake in
 * the question.
 */
#include "interp/python/base/opened_unmet.h"

#include "interp/python/base/opened.h"
#include "run/period.h"

#include <inttypes.h>

#define MAX_SAID 5 /* pids, and names, that are reported one by one */

static bool asks_for(const struct opened *o, const struct period *p)
{
	return o->start <= p->last && o->end >= p->first;
}

/* When the inputs have events; of a pipe, only those that were looked at.  False: not known. */
static bool find_period(struct opened *o, struct period *p)
{
	struct err e;

	if (period_all(&o->pump, p, &e) == 0)
		return period_any(p);
	*p = PERIOD_NONE;
	return filter_met(o->pump.filter, &p->first, &p->last);
}

/* start or end that leaves nothing.  True: said. */
static bool say_times(struct opened *o)
{
	char from[48], to[48], asked[48];
	struct period all;
	bool after;

	if ((!o->start && o->end == UINT64_MAX) || !find_period(o, &all) || asks_for(o, &all))
		return false;
	after = o->start > all.last;
	times_text(&o->pump, all.first, from, sizeof(from));
	times_text(&o->pump, all.last, to, sizeof(to));
	times_text(&o->pump, after ? o->start : o->end, asked, sizeof(asked));
	opened_say(o, "open: %s %s is %s of the trace: its events are from %s to %s",
		   after ? "start" : "end", asked, after ? "after the end" : "before the beginning",
		   from, to);
	return true;
}

static void say_pids(struct opened *o)
{
	unsigned said = 0;
	size_t i = 0;
	int32_t pid;

	while (said++ < MAX_SAID && filter_unmet_pid(o->pump.filter, &i, &pid))
		opened_say(o, "open: pids: no event of the task %" PRId32 " was read", pid);
}

static void say_tasks(struct opened *o)
{
	unsigned said = 0;
	const char *name;
	size_t i = 0;

	while (said++ < MAX_SAID && (name = filter_unmet_comm(o->pump.filter, &i)))
		opened_say(o, "open: tasks: no event of a task called '%s' was read", name);
}

/* Has an input a CPU that is asked for? */
static bool has_cpu(const struct opened *o)
{
	const struct pump *p = &o->pump;

	for (unsigned i = 0; i < p->nsources; i++)
		for (unsigned k = 0; k < p->sources[i]->nstreams; k++) {
			int cpu = p->sources[i]->streams[k]->from->cpu;

			/* One stream may be of all CPUs. */
			if (cpu < 0 || filter_takes_cpu(p->filter, cpu))
				return true;
		}
	return false;
}

/* Nothing passed: which argument was it? */
static const char *find_reason(const struct opened *o)
{
	const struct filter *f = o->pump.filter;
	int32_t pid;

	if (filter_has_cpus(f) && !has_cpu(o))
		return "cpus: the trace has no event of these CPUs";
	if (filter_has_expr(f))
		return "where: no event matched";
	if (o->events)
		return "events: none of these occurred";
	if (filter_has_comms(f) && filter_pid(f, 0, &pid))
		return "pids, tasks: no event of a task that matches both";
	if (filter_has_cpus(f))
		return "cpus: no event of these CPUs";
	return o->start || o->end != UINT64_MAX ? "start, end: no event between these times" : NULL;
}

void opened_say_unmet(struct opened *o)
{
	const struct pump_stats *st = pump_count(&o->pump);
	size_t pids = 0, tasks = 0;
	const char *reason;
	int32_t pid;

	if (say_times(o))
		return;
	/* Who has no event in a short time may have run, or waited, through all of it. */
	if (st->followed && (o->start || o->end != UINT64_MAX))
		return;
	say_pids(o);
	say_tasks(o);
	if (st->passed || st->early || filter_unmet_pid(o->pump.filter, &pids, &pid) ||
	    filter_unmet_comm(o->pump.filter, &tasks))
		return;
	reason = find_reason(o);
	if (reason)
		opened_say(o, "open: %s", reason);
}
