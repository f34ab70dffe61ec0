// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reading: the options of programs that read traces: which inputs, which of their events and times,
 * and how they are shown.
 */
#include "programs/reading.h"

#include "programs/kallsyms.h"

#include <stdlib.h>
#include <string.h>

static int set_input(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	cli_input(c, value);
	c->words.ninputs_i = c->words.inputs.n;
	return 0;
}

static int read_expr(struct cli *c, const char *value, struct err *e)
{
	return filter_expr(c->choice.filter, value, e);
}

static int read_pids(struct cli *c, const char *value, struct err *e)
{
	return filter_pids(c->choice.filter, value, e);
}

static int read_cpus(struct cli *c, const char *value, struct err *e)
{
	return filter_cpus(c->choice.filter, value, e);
}

const struct cli_chooser READING_CHOOSER = {
	{ [CLI_FILTER] = read_expr, [CLI_PIDS] = read_pids, [CLI_CPUS] = read_cpus }
};

static int set_event(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	if (!c->choice.events)
		c->choice.events = words_new();
	return words_add(c->choice.events, value, e);
}

static int set_comms(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return filter_comms(c->choice.filter, value, e);
}

static int set_cgroup(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return filter_cgroup(c->choice.filter, value, e);
}

static int set_instance(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	value = strcmp(value, ".") ? value : ""; /* not a valid name of an instance */
	texts_add(&c->words.instances, value);
	return filter_instance(c->choice.filter, value, e);
}

static int set_around(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return times_around(value, &c->words.times.around, &c->words.times.span, e);
}

static int set_kallsyms(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	struct symbols *t;

	TRY(kallsyms_read(value, &c->run.notes, &t, e));
	symbols_free(c->run.symbols);
	c->words.source.symbols = c->run.symbols = t;
	return 0;
}

/* A server is told which programs were recorded: none is asked without this option. */
static int set_debuginfod(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	c->words.debuginfod = value ? value : getenv("DEBUGINFOD_URLS");
	if (c->words.debuginfod && *c->words.debuginfod)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "DEBUGINFOD_URLS is not set: name a server, --debuginfod=URL");
}

const struct cli_opt CHOOSING[] = {
	{ "filter", 'F', "'SYS[:EVENT]: EXPR'",
	  "of these events, only those for which EXPR is true (others are\n"
	  "not affected): 'sched: prio < 100 and comm ~ \"kw*\"'",
	  OPT_LATER(CLI_FILTER), .traits = CLI_CHOOSES },
	{ "pid", 'P', "LIST", "only events of these tasks: 12,34", OPT_LATER(CLI_PIDS),
	  .traits = CLI_CHOOSES },
	{ "cpu", 0, "LIST", "only these CPUs: 0,2-5", OPT_LATER(CLI_CPUS), .traits = CLI_CHOOSES },
	{ .name = NULL },
};

#define WAIT_LEAST 400000000 /* ns: longer than a client that records nothing is silent */

#define CHOOSES .traits = CLI_CHOOSES | CLI_APART

const struct cli_opt READING[] = {
	{ "comm", 0, "LIST", "only events of tasks of these names, at that time: sh,'kworker*'",
	  OPT_CALL(set_comms), CHOOSES },
	{ "cgroup", 0, "PATH", "only events of tasks in it or below it, at that time: /user.slice",
	  OPT_CALL(set_cgroup), CHOOSES },
	{ "input", 'i', "FILE", "read FILE ('-': standard input); repeated: merge them by time",
	  OPT_CALL(set_input) },
	{ "event", 0, "LIST",
	  "only these events, 'sched,block:*_rq_*', or stable ones,\n"
	  "sched:switch; may be repeated",
	  OPT_CALL(set_event), CHOOSES },
	{ "synthetic", 0, "'NAME start=... end=...'",
	  "events made of two: 'wait:cpu start=sched:sched_waking\n"
	  "end=sched:switch match=\"start.pid == end.next_pid\"\n"
	  "delay=\"end.ts - start.ts\"'",
	  OPT_TEXTS(cli, words.synthetic), CHOOSES },
	{ "stable", 0, "PATH", "add stable events: those of a file, or a directory's *.stable",
	  OPT_TEXTS(cli, words.stable), CHOOSES },
	{ "instance", 0, "NAME", "only this buffer (\"\": the top one); may be repeated",
	  OPT_CALL(set_instance), CHOOSES },
	{ "start", 0, "TIME",
	  "only from this time on: 12.5 (seconds), 125000ns, -1s (from the end),\n"
	  "+250ms (from the start), '2026-11-22 04:38:58' (if it has a date)",
	  OPT_TIME(cli, words.times.from), CHOOSES },
	{ "end", 0, "TIME", "only up to this time", OPT_TIME(cli, words.times.to), CHOOSES },
	{ "around", 0, "TIME,SPAN", "only from SPAN before TIME to SPAN after it: 12.5,10ms",
	  OPT_CALL(set_around), CHOOSES },
	{ "head", 0, "N", "of what the other options choose, only the first N events",
	  OPT_COUNT(cli, words.head, 0), CHOOSES },
	{ "tail", 0, "N", "only the last N", OPT_COUNT(cli, words.tail, LIMIT_EVENTS),
	  .beyond = "events are kept: for more of the end choose a time, such as "
		    "--start -10s (the last 10 seconds)",
	  CHOOSES },
	{ "index", 0, NULL, "keep an index of TRACE: --start, --end then read only their part",
	  OPT_FLAG(cli, words.index) },
	{ "common-window", 0, NULL, "only while all CPUs have data",
	  OPT_FLAG(cli, words.times.common_window), CHOOSES },
	{ "relative", 0, NULL, "count time from the trace's first record",
	  OPT_FLAG(cli, words.relative), CHOOSES },
	{ "ns", 0, NULL, "show nanoseconds", OPT_FLAG(cli, words.ns) },
	{ "raw-ts", 0, NULL, "times as they were recorded, without the file's corrections",
	  OPT_FLAG(cli, words.source.raw_ts), CHOOSES },
	{ "wall", 0, NULL, "LTT, CTF, perf.data, zedtrace -l: the time of day",
	  OPT_FLAG(cli, words.source.wall), CHOOSES },
	{ "meta", 0, "FILE", "the trace.dat that has the formats for raw per-CPU files",
	  OPT_TEXT(cli, words.source.meta), CHOOSES },
	{ "kallsyms", 0, "FILE", "names of the kernel's addresses from a copy of /proc/kallsyms",
	  OPT_CALL(set_kallsyms), CHOOSES },
	{ "symfs", 0, "DIR",
	  "perf.data: names of functions from files below DIR, of another machine",
	  OPT_NAME(cli, words.symfs), CHOOSES },
	{ "debug-dir", 0, "DIR", "and from debug files below DIR, by build id; may be repeated",
	  OPT_TEXTS(cli, words.debug_dirs), CHOOSES },
	{ "vmlinux", 0, "FILE", "and of the kernel from this image, if it has its build id",
	  OPT_NAME(cli, words.vmlinux), CHOOSES },
	{ "debuginfod", 0, "[=URLS]",
	  "and from servers of debuginfod: these, or those of DEBUGINFOD_URLS",
	  OPT_CALL(set_debuginfod), CHOOSES },
	{ "inline", 0, NULL, "and inlined functions and lines of the source, by DWARF",
	  OPT_FLAG(cli, words.lines), CHOOSES },
	{ "force-merge", 0, NULL, "merge inputs even if their clocks differ",
	  OPT_FLAG(cli, words.force_merge) },
	{ "wait", 0, "TIME", "how long other live inputs wait for one that is silent (5s, 500ms)",
	  OPT_DURATION(cli, words.wait), .least = WAIT_LEAST,
	  .beyond = " is too short: rounds of a client are up to 250ms apart, 400ms is the least" },
	{ "strict", 0, NULL, "stop at the first damage instead of reading on after it",
	  OPT_FLAG(cli, words.strict) },
	{ "stats", 0, NULL, "at the end, say how many records were read and how fast",
	  OPT_FLAG(cli, words.stats) },
	{ .name = NULL },
};

const struct cli_rule READING_RULES[] = {
	{ 0, "head", CLI_NOT_WITH, "tail", "give one of them" },
	{ .these = NULL },
};
