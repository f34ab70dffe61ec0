// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedpython_options: zedpython's own options beside those that it shares with zedperl.
 */
#include "programs/zedpython/zedpython.h"

#include "interp/python/script/pyscript.h"
#include "programs/reading.h"

#include <stdio.h>

static int set_code(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	script_add_code(c->script, value);
	return 0;
}

/* In the order of enum script_mode. */
/* clang-format off */
static const struct cli_mode MODES[] = {
	{ "a script", "it is for a script: zedpython TRACE SCRIPT" },
	{ .name = "generate" },
	{ .name = "list" },
	{ .name = NULL },
};
/* clang-format on */

#define Z(type, ...) OPT_##type(zedpython, __VA_ARGS__)

static const struct cli_opt OPTS[] = {
	{ "", 'e', "CODE", "the script is CODE (may be repeated: lines); other words are traces",
	  OPT_CALL(set_code), .modes = SCRIPT_RUNS },
	{ "", 'I', "DIR", "look for modules in DIR first (may be repeated)", Z(TEXTS, folders),
	  .modes = SCRIPT_RUNS },
	{ "perf", 0, NULL,
	  "call functions as perf script does (default if it imports perf's modules)",
	  Z(CONST, script.convention, ARGS_PERF), .modes = SCRIPT_RUNS },
	{ "zed", 0, NULL, "call them as below, whatever the script looks like",
	  Z(CONST, script.convention, ARGS_ZED), .modes = SCRIPT_RUNS },
	{ .name = NULL },
};

static const struct cli_rule RULES[] = {
	{ 0, "generate", CLI_NOT_WITH, "live",
	  "it needs a recording: zedtrace -d 1 -o trace.dat EVENT..., then zedpython -g "
	  "trace.dat" },
	{ 0, "SESSION", CLI_NEEDS, "live", "is for --live: a recording has its own" },
	{ .these = NULL },
};

static const struct cli_table TABLES[] = {
	{ .opts = SCRIPT_OPTIONS, .of = CLI_OF_SCRIPT, .rules = SCRIPT_RULES },
	{ .opts = OPTS, .rules = RULES },
	{ .opts = SESSION_OPTIONS,
	  .of = CLI_OF_SESSION,
	  .head = "With --live:",
	  .rules = SESSION_RULES },
	{ .opts = CHOOSING,
	  .of = CLI_OF_CLI,
	  .head = "Which events (with --live, the kernel itself applies the first three):" },
	{ .opts = READING, .of = CLI_OF_CLI, .rules = READING_RULES },
	{ .opts = GENERAL, .of = CLI_OF_CLI },
	{ .opts = NULL },
};

static void show_version(void)
{
	char buf[64];

	printf("%s\n", pyscript_version(buf, sizeof(buf)));
}

const struct cli_spec ZEDPYTHON_SPEC = {
	.prog = "zedpython",
	.usage = "zedpython [OPTION]... TRACE... SCRIPT [ARG]...\n"
		 "zedpython [OPTION]... -i TRACE [-i TRACE]... SCRIPT [ARG]...\n"
		 "zedpython [OPTION]... -e CODE TRACE... [-- ARG...]\n"
		 "zedpython --live[=EVENTS] [OPTION]... SCRIPT [ARG]... [-- COMMAND...]\n"
		 "zedpython -t TRACE...\n"
		 "zedpython -g [EVENT | all]... TRACE > SCRIPT",
	.about = "Run a Python script over the events of a trace. In it, `import zed`; for each\n"
		 "event SYSTEM:EVENT the functions that @zed.on(\"SYSTEM:EVENT\") decorates are\n"
		 "called with the fields that their parameters name, and a function\n"
		 "SYSTEM__EVENT(cpu, secs, nsecs, sequence, FIELDS...); trace_begin and\n"
		 "trace_end before and after.",
	.more = "  zedpython trace.dat latency.py\n"
		"  zedpython -e 'zed.count(\"sched:sched_switch\", by=\"prev_comm\")' trace.dat\n"
		"  zedpython --live=sched:sched_switch -d 10 latency.py\n"
		"Exit status: 0; 1 something was skipped or damaged; 2 usage, or nothing opened;\n"
		"130 stopped by a signal; 255 an exception ended the script; N its sys.exit(N),\n"
		"or COMMAND's.",
	.tables = TABLES,
	.modes = MODES,
	.word = { .name = "a word" },
	.command_word = { .name = "a command" },
	.stop_at_first = true,
	.version = show_version,
	.no_option = "a script's options come after it: zedpython TRACE SCRIPT",
};
