// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl_options: zedperl's own options, their conflicts, and the mode they select.
 */
#include "base/ascii.h"
#include "base/mem.h"
#include "base/suffix.h"
#include "interp/api/html_parts.h"
#include "interp/perl/interp.h"
#include "programs/conflicts.h"
#include "programs/cut/cut_command.h"
#include "programs/reading.h"
#include "programs/script/script_options.h"
#include "programs/zedperl/jobs.h"
#include "programs/zedperl/manual/topic.h"
#include "programs/zedperl/zedperl.h"

#include <stdlib.h>
#include <string.h>

static int set_code(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	script_add_code(&z->script, value);
	zedperl_arg(z, mem_strdup(o->key == 'E' ? "-E" : "-e"));
	zedperl_arg(z, mem_strdup(value));
	return 0;
}

/* perl's: its value is joined to it, "-MPOSIX".  The letter is the row's, or .word. */
static int set_switch(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	size_t size = 3 + (value ? strlen(value) : 0);
	char *word = mem_alloc(size);

	snprintf(word, size, "-%c%s", o->word ? (int)o->word : o->key, value ? value : "");
	zedperl_arg(c->arg, word);
	return 0;
}

static int set_cut(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return cli_cut_name(&((struct zedperl *)c->arg)->cut, value, e);
}

/* "2/7" */
static int set_part(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	char *end = NULL, *last = NULL;
	unsigned long part = strtoul(value, &end, 10), parts = 0;

	if (*end == '/' && ascii_digit(end[1]))
		parts = strtoul(end + 1, &last, 10);
	if (*value < '0' || *value > '9' || !last || *last || part < 1 || part > parts ||
	    parts > PARTS_MOST)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is not a part: 2/7 is the second of seven (%d at most)", value,
			       PARTS_MOST);
	c->words.part = (unsigned)part;
	c->words.parts = (unsigned)parts;
	return 0;
}

static int set_metrics_file(struct cli *c, const struct cli_opt *o, const char *value,
			    struct err *e)
{
	((struct zedperl *)c->arg)->metrics.file = value;
	if (suffix_is(value, ".prom"))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%s': node-exporter reads only files that are called NAME.prom", value);
}

/* In the order of enum zedperl_mode. */
/* clang-format off */
static const struct cli_mode MODES[] = {
	{ "a script", "it is for a script: zedperl TRACE SCRIPT" },
	{ .name = "generate" },
	{ .name = "list" },
	{ .name = "stable-check" },
	{ .name = "export" },
	{ .name = NULL },
};
/* clang-format on */

#define Z(type, ...) OPT_##type(zedperl, __VA_ARGS__)
#define PERL \
	.modes = SCRIPT | GENERATE | LIST, \
	.instead = \
		"no script is run; what --export writes is a trace for one: zedperl FILE SCRIPT"
#define COUNTED .modes = SCRIPT, .instead = "it tells what a script counts"

static const struct cli_opt OPTS[] = {
	{ "flight", 0, "SIZE|TIME", "--live: keep the newest (64M, 10s) for Zed::snapshot",
	  Z(AMOUNT, script.run.keep) },
	{ "", 'e', "CODE", "the script is CODE (may be repeated); other words are traces",
	  OPT_CALL(set_code), PERL },
	{ "", 'E', "CODE", "the same, with all features of this perl (say)", OPT_CALL(set_code),
	  PERL },
	{ "", 'I', "DIR", "perl: look for modules in DIR first", OPT_CALL(set_switch), PERL },
	{ "", 'M', "MODULE", "perl: use MODULE before the script (-MMODULE=a,b)",
	  OPT_CALL(set_switch), PERL },
	{ "", 'm', "MODULE", "perl: the same, but import nothing", OPT_CALL(set_switch), PERL },
	{ "", 'w', NULL, "perl: warnings on", OPT_CALL(set_switch), PERL },
	{ "", 'W', NULL, "perl: all warnings on, whatever the script says", OPT_CALL(set_switch),
	  PERL },
	{ "", 'T', NULL, "perl: taint checks", OPT_CALL(set_switch), PERL },
	{ "debug", 0, NULL, "perl's debugger (its -d): b SYSTEM::EVENT stops at each such event",
	  OPT_CALL(set_switch), .word = 'd', PERL },
	{ "check", 0, NULL,
	  "run only the script's main program, then say which events call\n"
	  "its handlers, and which handlers or fields the trace lacks",
	  Z(FLAG, verify), .modes = SCRIPT, .instead = "it looks at a script and a trace" },
	{ "scripts", 0, NULL,
	  "list the analyses that come with it: zedperl TRACE NAME runs one,\n"
	  "zedperl help NAME describes it",
	  OPT_ASKS },
	{ "stable-check", 0, NULL,
	  "show what the trace (--live: this kernel) has for each stable event", OPT_ASKS,
	  .modes = CHECK },
	{ "export", 0, "FILE", "write the stable events of the trace to FILE ('-': a pipe)",
	  Z(NAME, export), .modes = EXPORT },
	{ "cut", 0, "FILE", "after the run, write what Zed::keep marked to FILE, a trace.dat",
	  OPT_CALL(set_cut), .modes = SCRIPT,
	  .instead =
		  "it keeps what a script marks (Zed::keep): zedprint --cut FILE cuts by options" },
	{ "map", 0, NULL, "print the script's state in place of its answer, for --reduce",
	  Z(FLAG, map), .modes = SCRIPT, .traits = CLI_FLEET },
	{ "part", 0, "K/N", "--map: of the K-th of N parts of the trace's time", OPT_CALL(set_part),
	  .modes = SCRIPT },
	{ "reduce", 0, NULL,
	  "SCRIPT [FILE]... [-- ARG...]: one answer from all these states\n"
	  "('-', no FILE: standard input); with --map: one state",
	  Z(FLAG, reduce), .modes = SCRIPT },
	{ "jobs", 'j', "N", "SCRIPT TRACE... [-- ARG...]: one answer from all, by N processes",
	  Z(NUMBER, fleet.jobs, JOBS_MOST), .modes = SCRIPT, .traits = CLI_FLEET },
	{ "files-from", 0, "LIST", "-j: the traces that LIST names ('-': standard input)",
	  Z(NAME, fleet.files_from), .modes = SCRIPT, .traits = CLI_FLEET },
	{ "each", 0, NULL, "-j: an answer for each trace, in their order", Z(FLAG, fleet.each),
	  .modes = SCRIPT, .traits = CLI_FLEET },
	{ "resume", 0, "DIR", "-j: keep states in DIR, where the same command goes on",
	  Z(NAME, fleet.resume), .modes = SCRIPT, .traits = CLI_FLEET },
	{ "output", 'o', "FILE", "--map: write the state to FILE, once it is complete",
	  Z(NAME, output), .modes = SCRIPT, .traits = CLI_FLEET },
	{ "metrics", 0, "ADDR:PORT",
	  "serve the script's metrics (Zed::metric) at http://ADDR:PORT/metrics\n"
	  "while it runs; PORT alone: for this host only",
	  Z(NAME, metrics.address), .beyond = "the address is empty", COUNTED },
	{ "metrics-file", 0, "FILE", "write them to FILE (NAME.prom) for node-exporter",
	  OPT_CALL(set_metrics_file), COUNTED },
	{ "metrics-every", 0, "TIME", "how often (10s)", Z(DURATION, metrics.every), .least = 1,
	  .beyond = " is not a time to wait", COUNTED },
	{ "perf", 0, NULL, "call subs as perf script does (default if it loads Perf::Trace::Core)",
	  Z(CONST, script.convention, ARGS_PERF) },
	{ "zed", 0, NULL, "call them as above, whatever the script looks like",
	  Z(CONST, script.convention, ARGS_ZED) },
	{ .name = NULL },
};

static const struct cli_rule RULES[] = {
	{ 0, "files-from each resume", CLI_NEEDS, "jobs",
	  "is for -j, which runs a script on many traces" },
	{ 0, "reduce live input cut", CLI_NOT_WITH, "jobs",
	  "-j runs a script on many traces, each by itself" },
	{ 0, "map resume", CLI_NOT_WITH, "each", "answers are printed, and no states kept" },
	{ 0, "metrics metrics-file metrics-every", CLI_NOT_WITH, "jobs",
	  "they are those of one run, and -j has several at a time" },
	{ 0, "every", CLI_NOT_WITH, "map reduce",
	  "it is for one run, and these give one answer of many" },
	{ 0, "every+jobs", CLI_NEEDS, "each",
	  "needs --each: one answer of many traces has no intervals" },
	{ 0, "output", CLI_NEEDS, "map",
	  "is where --map puts its state: an answer goes to standard output" },
	{ 0, "cut", CLI_NOT_WITH, "map reduce", "it keeps what a script marks of one trace" },
	{ 0, "part", CLI_NEEDS, "map", "is for --map: --reduce puts its states together" },
	{ 0, "part", CLI_NOT_WITH, "reduce jobs",
	  "it is of one trace: --reduce puts its states together" },
	{ 0, "head tail", CLI_NOT_WITH, "part", "it needs the whole" },
	{ 0, "live input CHOOSES", CLI_NOT_WITH, "reduce",
	  "states are read, and no trace; options that choose events belong to --map" },
	{ 0, "metrics-every", CLI_NEEDS, "metrics-file",
	  "says how often --metrics-file FILE is written" },
	{ 0, "head tail", CLI_NOT_WITH, "stable-check",
	  "it chooses what a script is given, and all is looked at" },
	{ 0, "synthetic", CLI_NOT_WITH, "stable-check",
	  "it makes events for a script or an export" },
	{ 0, "check", CLI_NOT_WITH, "live cut", "it looks at a script and a trace" },

	{ 0, "SESSION", CLI_NEEDS, "live",
	  "is for --live: a recording has its own (perl's -c and -d are --check and --debug)" },
	{ 0, "flight", CLI_NEEDS, "live",
	  "is for --live: of a recording --cut FILE writes a part" },
	{ 0, "generate", CLI_NOT_WITH, "live",
	  "it needs a recording: zedtrace -d 1 -o trace.dat EVENT..., then zedperl -g trace.dat" },
	{ 0, "export", CLI_NOT_WITH, "live",
	  "it needs a recording: zedtrace -d 1 -o trace.dat EVENT..., then zedperl --export FILE "
	  "trace.dat; or zedtrace EVENT... -o - | zedperl --export FILE -i -" },
	{ 0, "cut", CLI_NOT_WITH, "live",
	  "it reads the trace a second time, once the script has marked what to keep: zedtrace -o "
	  "trace.dat EVENT..., then zedperl --cut FILE trace.dat SCRIPT" },
	{ 0, "live=* WORDS COMMAND filter pid cpu SESSION instance", CLI_NOT_WITH,
	  "stable-check+live", "it looks at what this kernel offers, and records nothing" },
	{ 0, "flight", CLI_NOT_WITH, "live+instance", "who made it has set what is traced" },
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

/* Its first line reads "// https://d3js.org v7.8.5 Copyright ...". */
static const char *d3_version(char *buf, size_t size)
{
	const struct page_part *p = page_parts;
	const char *v;

	while (p->name && strcmp(p->name, "d3.min.js") != 0)
		p++;
	v = p->name ? strstr(p->text, "d3js.org v") : NULL;
	if (!p->name)
		snprintf(buf, size, "no d3: --html is refused");
	else if (v)
		snprintf(buf, size, "d3 %.*s", (int)strcspn(v + 10, " \n"), v + 10);
	else
		snprintf(buf, size, "d3 of no known version");
	return buf;
}

static void show_version(void)
{
	char buf[64];

	printf("%s\n", interp_version(buf, sizeof(buf)));
	printf("%s\n", d3_version(buf, sizeof(buf)));
}

const struct cli_spec ZEDPERL_SPEC = {
	.prog = "zedperl",
	.usage = "zedperl explore TRACE | mcp TRACE...\n"
		 "zedperl [OPTION]... TRACE SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -i TRACE [-i TRACE]... SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -e CODE TRACE... [-- ARG...]\n"
		 "zedperl --live[=EVENTS] [OPTION]... SCRIPT [ARG]... [-- COMMAND...]\n"
		 "zedperl --map [-o FILE] [OPTION]... TRACE SCRIPT [ARG]...\n"
		 "zedperl -j N [--files-from LIST] [--each] SCRIPT [TRACE]... [-- ARG...]\n"
		 "zedperl --reduce [--map] SCRIPT [FILE]... [-- ARG...]\n"
		 "zedperl -t | --stable-check | --export FILE TRACE...\n"
		 "zedperl -g [EVENT | all]... TRACE > SCRIPT\n"
		 "zedperl help [TOPIC]",
	.about = "Run an analysis (zedperl --scripts lists them) or a Perl script of your own\n"
		 "over the events of a trace. In a script, for each event the sub\n"
		 "SUBSYSTEM::EVENT is called with ($cpu, $secs, $nsecs, $sequence, FIELDS...);\n"
		 "trace_begin and trace_end before and after. To begin with: zedperl help.",
	.more = "  zedperl trace.dat summary\n"
		"  zedperl -e 'sub sched::sched_switch { $n++ } END { print $n }' trace.dat\n"
		"  zedperl --event sched -F 'sched: prio < 100' trace.dat wake.pl\n"
		"Exit status: 0; 1 something was skipped or damaged; 2 usage, or nothing opened;\n"
		"130 stopped by a signal; 255 the script died; N its exit N, or COMMAND's.",
	.tables = TABLES,
	.modes = MODES,
	.word = { .name = "a word" },
	.command_word = { .name = "a command" },
	.stop_at_first = true,
	.version = show_version,
	.no_option = "a script's options come after it: zedperl TRACE SCRIPT",
	.help_of = topic_show,
};

/* ---- selecting the mode ---- */

bool zedperl_asked(struct cli *c, struct zedperl *z)
{
	z->mode = cli_asked(c);
	return z->mode && script_one_instance(c);
}
