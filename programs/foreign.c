// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foreign: options and commands of trace-cmd, perf, perl and similar tools that users type from
 * habit, and what to use here.
 */
#include "programs/foreign.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *theirs, *ours;
} OPTIONS[] = {
	{ "from", "start" },	   { "since", "start" },
	{ "begin", "start" },	   { "after", "start" },
	{ "to", "end" },	   { "until", "end" },
	{ "before", "end" },	   { "events", "event" },
	{ "cpus", "cpu" },	   { "tid", "pid" },
	{ "pids", "pid" },	   { "limit", "head" },
	{ "max-events", "head" },  { "count", "head" },
	{ "last", "tail" },	   { "buffer-size", "buffer" },
	{ "time", "duration" },	   { "timeout", "duration" },
	{ "out", "output" },	   { "compression", "compress" },
	{ "clockid", "clock" },	   { "kernel", "kallsyms" },
	{ "module", "script" },	   { "list-scripts", "scripts" },
	{ "examples", "scripts" }, { "list-events", "list" },
	{ "vmlinux", "kallsyms" }, { "comms", "comm" },
};

/* Options that differ in more than the name; PROG is NULL for all of the programs. */
static const struct {
	const char *prog, *name, *instead;
} LONGS[] = {
	{ "zedtrace", "comm", "a task is chosen by -F '*: common_comm == \"sh\"', or by --pid 12" },
	{ "zedprint", "task", "a task is chosen by --comm sh, or by --pid 12" },
	{ "zedprint", "json", "use the format json: -f json" },
	{ "zedprint", "csv",
	  "tables are made by zedprint -f parquet -o DIR, or by an analysis: zedperl "
	  "TRACE ANALYSIS --csv" },
	{ "zedprint", "fields",
	  "all are shown; -f json is for programs that choose: zedprint -f json TRACE | jq "
	  ".fields" },
	{ "zedprint", "ts-diff", "the time between two events is that of --synthetic" },
	{ "zedprint", "sort",
	  "events come in order of time; zedperl TRACE SCRIPT sorts otherwise" },
	{ "zedprint", "list",
	  "--summary counts the events of a trace, zedperl -t TRACE lists them" },
	{ "zedprint", "live", "zedtrace EVENT... -o - | zedprint -i -" },
	{ "zedtrace", "live", "zedtrace records; zedperl --live SCRIPT answers without a file" },
};

static const struct {
	const char *prog;
	int letter;
	const char *instead;
} LETTERS[] = {
	{ "zedtrace", 'e', "events are named without it: zedtrace sched block:block_rq_issue" },
	{ "zedtrace", 'n', "write -h HOST:PORT to send to a server" },
	{ "zedtrace", 'N', "a server is named by -h HOST:PORT" },
	{ "zedtrace", 'R',
	  "states of events cannot be recorded: zedtrace records what happens from now on" },
	{ "zedprint", 'e',
	  "events are chosen by --event sched:sched_switch; a script's code is run "
	  "by zedperl -e CODE" },
	{ "zedprint", 'n', "the first events are chosen by --head 10" },
	{ "zedprint", 'N', "the first events are chosen by --head 10" },
	{ "zedprint", 'p', "a task is chosen by --pid 12, or by --comm sh" },
	{ "zedprint", 'C', "a CPU is chosen by --cpu 0" },
	{ "zedprint", 'R', "bare values are shown with --raw" },
	{ "zedprint", 't', "--summary counts the events of a trace, zedperl -t TRACE lists them" },
	{ "zedprint", 'c', "a CPU is chosen by --cpu 0, a task by --comm sh or --pid 12" },
	{ "zedprint", 's', "a script is run by zedperl TRACE SCRIPT" },
	{ "zedperl", 's', "the script needs no option: zedperl TRACE SCRIPT" },
	{ "zedperl", 'n', "no loop is needed: a sub SUBSYSTEM::EVENT is called for each event" },
	{ "zedperl", 'p', "no loop is needed: a sub SUBSYSTEM::EVENT is called for each event" },
	{ "zedperl", 'l', "no loop is needed: a sub SUBSYSTEM::EVENT is called for each event" },
	{ "zedperl", 'a', "no loop is needed: a sub SUBSYSTEM::EVENT is called for each event" },
	{ "zedperl", 'd', "perl's debugger is zedperl --debug TRACE SCRIPT" },
	{ "zedperl", 'V', "zedperl --version shows the version of its perl" },
	{ "zedperl", 'o', "the script prints what it likes: redirect it, > FILE" },
};

static const struct {
	const char *word, *instead;
} COMMANDS[] = {
	{ "record", "recording is what zedtrace does: zedtrace EVENT..." },
	{ "start", "recording is what zedtrace does: zedtrace EVENT..." },
	{ "stream", "zedtrace EVENT... -o - | zedprint -i -" },
	{ "report", "zedprint TRACE prints a recording, -f report as trace-cmd does" },
	{ "show", "zedprint TRACE prints a recording" },
	{ "script", "zedperl TRACE SCRIPT runs a script" },
	{ "list", "zedtrace -t lists this kernel's events, zedperl -t TRACE those of a recording" },
	{ "listen", "zedtrace -l is the server" },
	{ "stop", "Ctrl-C ends a recording" },
	{ "extract", "zedtrace records from now on: zedtrace EVENT..." },
	{ "restore", "zedtrace --recover DIR makes a trace of what a dead recording left" },
	{ "reset", "zedtrace --cleanup removes what killed recorders left" },
	{ "clear", "zedtrace --cleanup removes what killed recorders left" },
	{ "split", "zedprint --start TIME --end TIME --cut FILE TRACE cuts a recording" },
	{ "hist", "zedperl --scripts lists the analyses" },
	{ "stat", "zedprint --summary TRACE counts the events of a recording" },
	{ "top", "zedperl --live SCRIPT runs an analysis on this kernel" },
	{ "profile", "zedperl --scripts lists the analyses" },
	{ "help", "zedperl help finds the command for a question, --help lists the options" },
	{ "version", "use --version" },
	{ "scripts", "zedperl --scripts lists the analyses" },
	{ "run", "zedperl TRACE SCRIPT runs a script" },
	{ "dump", "zedprint --summary TRACE shows what a recording contains" },
};

const char *foreign_option(const char *name)
{
	for (size_t i = 0; i < sizeof(OPTIONS) / sizeof(OPTIONS[0]); i++)
		if (!strcmp(name, OPTIONS[i].theirs))
			return OPTIONS[i].ours;
	return NULL;
}

const char *foreign_long(const char *prog, const char *name)
{
	for (size_t i = 0; i < sizeof(LONGS) / sizeof(LONGS[0]); i++)
		if (!strcmp(name, LONGS[i].name) &&
		    (!LONGS[i].prog || !strcmp(prog, LONGS[i].prog)))
			return LONGS[i].instead;
	return NULL;
}

const char *foreign_letter(const char *prog, int letter)
{
	for (size_t i = 0; i < sizeof(LETTERS) / sizeof(LETTERS[0]); i++)
		if (letter == LETTERS[i].letter && !strcmp(prog, LETTERS[i].prog))
			return LETTERS[i].instead;
	return NULL;
}

const char *foreign_command(const char *word)
{
	for (size_t i = 0; i < sizeof(COMMANDS) / sizeof(COMMANDS[0]); i++)
		if (!strcmp(word, COMMANDS[i].word))
			return COMMANDS[i].instead;
	return NULL;
}
