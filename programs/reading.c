// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reading: the options of programs that read traces: which inputs, which of their events and times,
 * and how they are shown.
 */
#include "programs/reading.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "programs/kallsyms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int set_input(struct cli *c, const char *value, struct err *e)
{
	cli_input(c, value);
	c->ninputs_i = c->ninputs;
	return 0;
}

static int read_expr(struct cli *c, const char *value, struct err *e)
{
	return filter_expr(c->filter, value, e);
}

static int read_pids(struct cli *c, const char *value, struct err *e)
{
	return filter_pids(c->filter, value, e);
}

static int read_cpus(struct cli *c, const char *value, struct err *e)
{
	return filter_cpus(c->filter, value, e);
}

const struct cli_chooser READING_CHOOSER = { read_expr, read_pids, read_cpus };

static int set_event(struct cli *c, const char *value, struct err *e)
{
	if (!c->events)
		c->events = words_new();
	return words_add(c->events, value, e);
}

static int set_synthetic(struct cli *c, const char *value, struct err *e)
{
	c->defined = mem_grow(c->defined, &c->cap_defined, c->ndefined + 1, sizeof(*c->defined));
	c->defined[c->ndefined++] = value;
	return 0;
}

static int set_stable(struct cli *c, const char *value, struct err *e)
{
	c->stable_paths = mem_grow(c->stable_paths, &c->cap_stable, c->nstable + 1,
				   sizeof(*c->stable_paths));
	c->stable_paths[c->nstable++] = value;
	return 0;
}

/* Which of these is asked is known when all options have been read. */
static int keep_choice(struct cli *c, const char *value, enum cli_choice_kind kind)
{
	c->choices = mem_grow(c->choices, &c->cap_choices, c->nchoices + 1, sizeof(*c->choices));
	c->choices[c->nchoices++] = (struct cli_choice){ kind, value };
	return 0;
}

static int set_expr(struct cli *c, const char *value, struct err *e)
{
	return keep_choice(c, value, CHOICE_FILTER);
}

static int set_pids(struct cli *c, const char *value, struct err *e)
{
	return keep_choice(c, value, CHOICE_PIDS);
}

static int set_cpus(struct cli *c, const char *value, struct err *e)
{
	return keep_choice(c, value, CHOICE_CPUS);
}

static int set_comms(struct cli *c, const char *value, struct err *e)
{
	return filter_comms(c->filter, value, e);
}

static int set_instance(struct cli *c, const char *value, struct err *e)
{
	value = strcmp(value, ".") ? value : ""; /* no instance can be called so */
	c->instances = mem_grow(c->instances, &c->cap_instances, c->ninstances + 1,
				sizeof(*c->instances));
	c->instances[c->ninstances++] = value;
	return filter_instance(c->filter, value, e);
}

static int set_start(struct cli *c, const char *value, struct err *e)
{
	return times_word(value, &c->from, e);
}

static int set_end(struct cli *c, const char *value, struct err *e)
{
	return times_word(value, &c->to, e);
}

static int set_around(struct cli *c, const char *value, struct err *e)
{
	return times_around(value, &c->around, &c->around_span, e);
}

/* A number of events, from 1 to MOST. */
static int count_of(const char *value, uint64_t most, uint64_t *n, struct err *e)
{
	char *end;

	errno = 0;
	*n = ascii_digit(*value) ? strtoull(value, &end, 10) : 0;
	if (!*n || errno || *end)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no number of events: write 100",
			       value);
	if (*n <= most)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "%s: at most %" PRIu64
		       " events are kept: choose a time instead, --start -1s",
		       value, most);
}

static int set_head(struct cli *c, const char *value, struct err *e)
{
	return count_of(value, UINT64_MAX, &c->head, e);
}

static int set_tail(struct cli *c, const char *value, struct err *e)
{
	return count_of(value, LIMIT_EVENTS, &c->tail, e);
}

static int set_meta(struct cli *c, const char *value, struct err *e)
{
	c->source.meta = value;
	return 0;
}

static int set_kallsyms(struct cli *c, const char *value, struct err *e)
{
	struct symbols *t;

	TRY(kallsyms_read(value, &c->notes, &t, e));
	symbols_free(c->symbols);
	c->source.symbols = c->symbols = t;
	return 0;
}

const struct cli_opt CHOOSING[] = {
	{ "filter", 'F', "'SYS[:EVENT]: EXPR'",
	  "of these events, only those for which EXPR is true (others are\n"
	  "not affected): 'sched: prio < 100 and comm ~ \"kw*\"'",
	  CLI_SET(set_expr) },
	{ "pid", 'P', "LIST", "only events of these tasks: 12,34", CLI_SET(set_pids) },
	{ "cpu", 0, "LIST", "only these CPUs: 0,2-5", CLI_SET(set_cpus) },
	{ .name = NULL },
};

const struct cli_opt READING[] = {
	{ "comm", 0, "LIST", "only events of tasks of these names, at that time: sh,'kworker*'",
	  CLI_SET(set_comms) },
	{ "input", 'i', "FILE", "read FILE ('-': standard input); repeated: merge them by time",
	  CLI_SET(set_input) },
	{ "event", 0, "LIST",
	  "only these events, 'sched,block:*_rq_*', or stable ones,\n"
	  "sched:switch; may be repeated",
	  CLI_SET(set_event) },
	{ "synthetic", 0, "'NAME start=... end=...'",
	  "events made of two: 'wait:cpu start=sched:sched_waking\n"
	  "end=sched:switch match=\"start.pid == end.next_pid\"\n"
	  "delay=\"end.ts - start.ts\"'",
	  CLI_SET(set_synthetic) },
	{ "stable", 0, "PATH", "add stable events: those of a file, or a directory's *.stable",
	  CLI_SET(set_stable) },
	{ "instance", 0, "NAME", "only this buffer (\"\": the top one); may be repeated",
	  CLI_SET(set_instance) },
	{ "start", 0, "TIME",
	  "only from this time on: 12.5 (seconds), 125000ns, -1s (from the end),\n"
	  "+250ms (from the start), '2026-11-22 04:38:58' (if it has a date)",
	  CLI_SET(set_start) },
	{ "end", 0, "TIME", "only up to this time", CLI_SET(set_end) },
	{ "around", 0, "TIME,SPAN", "only from SPAN before TIME to SPAN after it: 12.5,10ms",
	  CLI_SET(set_around) },
	{ "head", 0, "N", "of what the other options choose, only the first N events",
	  CLI_SET(set_head) },
	{ "tail", 0, "N", "only the last N", CLI_SET(set_tail) },
	{ "common-window", 0, NULL, "only while all CPUs have data", CLI_FLAG(common_window) },
	{ "relative", 0, NULL, "count time from the trace's first record", CLI_FLAG(relative) },
	{ "ns", 0, NULL, "show nanoseconds", CLI_FLAG(ns) },
	{ "raw-ts", 0, NULL, "times as they were recorded, without the file's corrections",
	  CLI_FLAG(source.raw_ts) },
	{ "wall", 0, NULL, "LTT, perf.data: wall-clock times instead of the clock's",
	  CLI_FLAG(source.wall) },
	{ "meta", 0, "FILE", "the trace.dat that has the formats for raw per-CPU files",
	  CLI_SET(set_meta) },
	{ "kallsyms", 0, "FILE", "names of the kernel's addresses from a copy of /proc/kallsyms",
	  CLI_SET(set_kallsyms) },
	{ "force-merge", 0, NULL, "merge inputs even if their clocks differ",
	  CLI_FLAG(force_merge) },
	{ "strict", 0, NULL, "stop at the first damage instead of reading on after it",
	  CLI_FLAG(strict) },
	{ "stats", 0, NULL, "at the end, say how many records were read and how fast",
	  CLI_FLAG(stats) },
	{ .name = NULL },
};
