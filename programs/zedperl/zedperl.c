// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl: the program's main, its options, and which of its jobs they ask for: to run a script, to
 * list, to check, to export, or to write a starter script.
 */
#include "programs/zedperl/zedperl.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "interp/api/html_parts.h"
#include "interp/perl/interp.h"
#include "programs/zedperl/starter/starter.h"
#include "programs/cut/cut_command.h"
#include "programs/open_inputs.h"
#include "programs/chosen.h"
#include "programs/zedperl/export.h"
#include "programs/zedperl/manual/topic.h"
#include "programs/installed.h"
#include "programs/zedperl/job_list.h"
#include "programs/zedperl/fleet/tell.h"
#include "programs/zedperl/jobs.h"
#include "programs/zedperl/list_counts.h"
#include "programs/zedperl/script.h"
#include "programs/zedperl/stable_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/*
 * A switch of perl's, with its value in the same word ("-MPOSIX") or in the next; VALUE may be NULL
 * where nothing is joined.
 */
static void add_switch(struct zedperl *z, const char *letter, const char *value, bool joined)
{
	size_t size = strlen(letter) + (joined && value ? strlen(value) : 0) + 1;
	char *word = mem_alloc(size);

	snprintf(word, size, "%s%s", letter, joined && value ? value : "");
	zedperl_arg(z, word);
	if (value && !joined)
		zedperl_arg(z, mem_strdup(value));
}

static int add_code(struct zedperl *z, const char *letter, const char *value)
{
	size_t len = z->code ? strlen(z->code) : 0, size = len + strlen(value) + 2;

	z->code = mem_realloc(z->code, size);
	snprintf(z->code + len, size - len, "%s\n", value);
	add_switch(z, letter, value, false);
	return 0;
}

static int set_code(struct cli *c, const char *value, struct err *e)
{
	return add_code(c->arg, "-e", value);
}

/* With the features of this perl. */
static int set_code_features(struct cli *c, const char *value, struct err *e)
{
	return add_code(c->arg, "-E", value);
}

static int set_include(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-I", value, true);
	return 0;
}

static int set_module(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-M", value, true);
	return 0;
}

static int set_module_only(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-m", value, true);
	return 0;
}

static int set_warn(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-w", NULL, false);
	return 0;
}

static int set_warn_all(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-W", NULL, false);
	return 0;
}

static int set_taint(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-T", NULL, false);
	return 0;
}

static int set_debug(struct cli *c, const char *value, struct err *e)
{
	add_switch(c->arg, "-d", NULL, false);
	return 0;
}

static int set_verify(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->verify = true;
	return 0;
}

static int set_starter(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->starter = true;
	return 0;
}

static int set_list(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->list = true;
	return 0;
}

static int set_scripts(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->scripts = true;
	return 0;
}

static int set_check(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->check = true;
	return 0;
}

static int set_export(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->export = value;
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
}

static int set_cut(struct cli *c, const char *value, struct err *e)
{
	return cli_cut_name(&((struct zedperl *)c->arg)->cut, value, e);
}

static int set_map(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->map = true;
	return 0;
}

/* "2/7" */
static int set_part(struct cli *c, const char *value, struct err *e)
{
	char *end = NULL, *last = NULL;
	unsigned long part = strtoul(value, &end, 10), parts = 0;

	if (*end == '/' && ascii_digit(end[1]))
		parts = strtoul(end + 1, &last, 10);
	if (*value < '0' || *value > '9' || !last || *last || part < 1 || part > parts ||
	    parts > PARTS_MOST)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' is no part: 2/7 is the second of seven (%d at most)", value,
			       PARTS_MOST);
	c->part = (unsigned)part;
	c->parts = (unsigned)parts;
	return 0;
}

static int set_reduce(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->reduce = true;
	return 0;
}

static int set_jobs(struct cli *c, const char *value, struct err *e)
{
	char *end;
	unsigned long n = strtoul(value, &end, 10);

	if (*value < '0' || *value > '9' || *end || n < 1 || n > JOBS_MOST)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no number of processes, 1 to %d",
			       value, JOBS_MOST);
	((struct zedperl *)c->arg)->jobs = (unsigned)n;
	return 0;
}

static int set_files_from(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->files_from = value;
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
}

static int set_each(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->each = true;
	return 0;
}

static int set_resume(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->resume = value;
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
}

static int set_output(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->output = value;
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
}

static int set_metrics(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->metrics.address = value;
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the address is empty");
}

static int set_metrics_file(struct cli *c, const char *value, struct err *e)
{
	size_t len = strlen(value);

	((struct zedperl *)c->arg)->metrics.file = value;
	if (len > 5 && !strcmp(value + len - 5, ".prom"))
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%s': node-exporter reads only files that are called NAME.prom", value);
}

static int set_metrics_every(struct cli *c, const char *value, struct err *e)
{
	struct metrics_run *m = &((struct zedperl *)c->arg)->metrics;

	m->every_given = true;
	TRY(times_duration(value, &m->every, e));
	return m->every ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s' is no time to wait", value);
}

static int set_keep_going(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->keep_going = true;
	return 0;
}

/* "5s", "5s,total" */
static int set_every(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;
	size_t len = strcspn(value, ",");
	char text[64];

	if (len >= sizeof(text) || (value[len] && strcmp(value + len, ",total") != 0))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': it is a time, 5s, or 5s,total",
			       value);
	snprintf(text, sizeof(text), "%.*s", (int)len, value);
	TRY(times_duration(text, &z->every, e));
	z->every_total = value[len];
	return z->every ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "0 is no time between two");
}

static int set_perf(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->convention = ARGS_PERF;
	return 0;
}

static int set_zed(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->convention = ARGS_ZED;
	return 0;
}

static int set_live(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->live = true;
	c->chooser = &SESSION_CHOOSER;
	if (value)
		z->run.events = value;
	return 0;
}

static int set_flight(struct cli *c, const char *value, struct err *e)
{
	return amount_parse(value, &((struct zedperl *)c->arg)->run.keep, e);
}

static const struct cli_opt OPTS[] = {
	{ "live", 0, "[=EVENTS]",
	  "run the script on what this kernel does now, until Ctrl-C: on\n"
	  "the events that it handles (or that its line \"# zedtrace:\"\n"
	  "names), or on EVENTS:  --live=sched,block:block_rq_*; or, with\n"
	  "--instance NAME, on what somebody else's instance traces",
	  CLI_SET(set_live) },
	{ "flight", 0, "SIZE|TIME", "--live: keep the newest (64M, 10s) for Zed::snapshot",
	  CLI_SET(set_flight) },
	{ "", 'e', "CODE", "the script is CODE (may be repeated); other words are traces",
	  CLI_SET(set_code) },
	{ "", 'E', "CODE", "the same, with all features of this perl (say)",
	  CLI_SET(set_code_features) },
	{ "", 'I', "DIR", "perl: look for modules in DIR first", CLI_SET(set_include) },
	{ "", 'M', "MODULE", "perl: use MODULE before the script (-MMODULE=a,b)",
	  CLI_SET(set_module) },
	{ "", 'm', "MODULE", "perl: the same, but import nothing", CLI_SET(set_module_only) },
	{ "", 'w', NULL, "perl: warnings on", CLI_SET(set_warn) },
	{ "", 'W', NULL, "perl: all warnings on, whatever the script says", CLI_SET(set_warn_all) },
	{ "", 'T', NULL, "perl: taint checks", CLI_SET(set_taint) },
	{ "debug", 0, NULL, "perl's debugger (its -d): b SYSTEM::EVENT stops at each such event",
	  CLI_SET(set_debug) },
	{ "check", 0, NULL,
	  "run only the script's main program, then say which events call\n"
	  "its handlers, and which handlers or fields the trace lacks",
	  CLI_SET(set_verify) },
	{ "generate", 'g', NULL,
	  "[EVENT]... TRACE: print a starter script for the named events, as\n"
	  "--event takes them; for \"all\"; or else for a few that the trace has",
	  CLI_SET(set_starter) },
	{ "list", 't', NULL, "list the trace's events with their counts (-v: also absent ones)",
	  CLI_SET(set_list) },
	{ "scripts", 0, NULL,
	  "list those that come with it: TRACE NAME runs one, help NAME shows it",
	  CLI_SET(set_scripts) },
	{ "stable-check", 0, NULL,
	  "show what the trace (--live: this kernel) has for each stable event",
	  CLI_SET(set_check) },
	{ "export", 0, "FILE", "write the stable events of the trace to FILE ('-': a pipe)",
	  CLI_SET(set_export) },
	{ "cut", 0, "FILE", "after the run, write what Zed::keep marked to FILE, a trace.dat",
	  CLI_SET(set_cut) },
	{ "map", 0, NULL, "print the script's state in place of its answer, for --reduce",
	  CLI_SET(set_map) },
	{ "part", 0, "K/N", "--map: of the K-th of N parts of the trace's time",
	  CLI_SET(set_part) },
	{ "reduce", 0, NULL,
	  "SCRIPT [FILE]... [-- ARG...]: one answer from all these states\n"
	  "('-', no FILE: standard input); with --map: one state",
	  CLI_SET(set_reduce) },
	{ "jobs", 'j', "N", "SCRIPT TRACE... [-- ARG...]: one answer from all, by N processes",
	  CLI_SET(set_jobs) },
	{ "files-from", 0, "LIST", "-j: the traces that LIST names ('-': standard input)",
	  CLI_SET(set_files_from) },
	{ "each", 0, NULL, "-j: an answer for each trace, in their order", CLI_SET(set_each) },
	{ "resume", 0, "DIR", "-j: keep states in DIR, where the same command goes on",
	  CLI_SET(set_resume) },
	{ "output", 'o', "FILE", "--map: write the state to FILE, once it is complete",
	  CLI_SET(set_output) },
	{ "metrics", 0, "ADDR:PORT",
	  "serve the script's metrics (Zed::metric) at http://ADDR:PORT/metrics\n"
	  "while it runs; PORT alone: for this host only",
	  CLI_SET(set_metrics) },
	{ "metrics-file", 0, "FILE.prom", "write them to FILE.prom, for node-exporter",
	  CLI_SET(set_metrics_file) },
	{ "metrics-every", 0, "TIME", "how often (10s)", CLI_SET(set_metrics_every) },
	{ "perf", 0, NULL, "call subs as perf script does (default if it loads Perf::Trace::Core)",
	  CLI_SET(set_perf) },
	{ "zed", 0, NULL, "call them as above, whatever the script looks like", CLI_SET(set_zed) },
	{ "every", 0, "TIME[,total]",
	  "call trace_interval and print aggregations after each 5s of the\n"
	  "trace: those of that time; with ',total', those of all so far",
	  CLI_SET(set_every) },
	{ "keep-going", 0, NULL,
	  "go on after a die in a handler, which ends that call; exit status 1",
	  CLI_SET(set_keep_going) },
	{ .name = NULL },
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

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "zedperl [OPTION]... TRACE SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -i TRACE [-i TRACE]... SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -e CODE TRACE... [-- ARG...]\n"
		 "zedperl --live[=EVENTS] [OPTION]... SCRIPT [ARG]... [-- COMMAND...]\n"
		 "zedperl --map [-o FILE] [OPTION]... TRACE SCRIPT [ARG]...\n"
		 "zedperl -j N [--files-from LIST] [--each] SCRIPT [TRACE]... [-- ARG...]\n"
		 "zedperl --reduce [--map] SCRIPT [FILE]... [-- ARG...]\n"
		 "zedperl -t | --stable-check | --export FILE TRACE...\n"
		 "zedperl -g [EVENT | all]... TRACE > SCRIPT\n"
		 "zedperl help [TOPIC]",
	.about = "Run a Perl script over the events of a trace: for each event its sub\n"
		 "SUBSYSTEM::EVENT is called with ($cpu, $secs, $nsecs, $sequence, FIELDS...);\n"
		 "trace_begin and trace_end before and after.",
	.more = "  zedperl trace.dat countall\n"
		"  zedperl -e 'sub sched::sched_switch { $n++ } END { print $n }' trace.dat\n"
		"  zedperl --event sched -F 'sched: prio < 100' trace.dat wake.pl\n"
		"Exit status: 0; 1 something was skipped or damaged; 2 usage, or nothing could be\n"
		"opened; 130 stopped by a signal; 255 the script died; N the script called\n"
		"exit N, or COMMAND ended with N.",
	.opts = OPTS,
	.session_head = "With --live:",
	.session = SESSION_OPTIONS,
	.choosing_head = "Which events (with --live, the kernel itself applies the first three):",
	.stop_at_first = true,
	.version = show_version,
	.no_option = "a script's options stand behind it: zedperl TRACE SCRIPT",
	.help_of = topic_show,
};

const char *zedperl_form(const struct zedperl *z)
{
	return z->jobs	 ? "-j N SCRIPT TRACE... --" :
	       z->reduce ? "--reduce SCRIPT FILE... --" :
			   "TRACE SCRIPT";
}

/* ---- what is opened ---- */

static struct source *open_live(struct cli *c, struct err *e)
{
	return live_begin(&((struct zedperl *)c->arg)->run, c, e);
}

/* ---- the run ---- */

/* What needs no script, on the open inputs.  -1: a script is to run. */
static int run_mode(struct cli *c, struct zedperl *z)
{
	int status;

	if (z->export)
		return export_stable(c, c->stable, z->export);
	if (z->starter) {
		status = starter_write(c, &z->starter_for, z->convention == ARGS_PERF);
	} else if (z->list) {
		status = list_events(c);
	} else {
		return -1;
	}
	return cli_end_output(c, status);
}

/* Everything behind the reading of the command line; returns the exit status. */
static int run(struct cli *c, struct zedperl *z)
{
	int status = CLI_USAGE, first = CLI_OK;

	if (c->parts && !job_list_may_part(c, z))
		return status;
	if (z->jobs) {
		first = jobs_run(c, z);
		if (first > CLI_DAMAGE)
			return first;
		if (z->each)
			return cli_end_output(c, first);
		/* From here on it is a run that reduces their states. */
		z->reduce = true;
	}
	if (!cli_stable(c))
		return status;
	z->run.stable = c->stable;
	if (z->check)
		return cli_end_output(c, z->live ? check_kernel(c, c->stable) :
						   check_inputs(c, c->stable));
	if (z->live) {
		z->run.script = z->script;
		z->run.code = z->code;
		if (c->ninstances)
			z->run.instance = c->instances[0];
		c->open_live = open_live;
		status = live_command(&z->run, c);
		if (status)
			return status;
	}
	if (z->alone && metrics_wanted(&z->metrics))
		return cli_usage(c, true,
				 "%s reads no trace itself: --metrics has nothing to tell of it",
				 z->script);
	if (!metrics_begin(&z->metrics, c) || !cli_open(c, &status))
		return status;
	if (z->alone || z->reduce) {
		status = script_run(c, z);
		return status ? status : first;
	}
	status = run_mode(c, z);
	if (status >= 0)
		return status;
	return script_has_events(c) ? script_run(c, z) : CLI_USAGE;
}

int main(int argc, char **argv)
{
	struct zedperl z = { .run.words = SESSION_WORDS_INIT };
	struct cli c;
	int status = 0;

	/* A perl whose name has "perl" in it executes what a script's "#!" line names: awk. */
	zedperl_arg(&z, mem_strdup("zed"));
	cli_init(&c, &SPEC, &z);
	c.apart = tell_begin(argc ? argv[0] : NULL);
	c.source.writer_ms = c.apart ? JOB_WRITER_MS : 0;
	c.source.slack = SESSION_SLACK;
	c.session = &z.run.words;
	if (argc > 1 && !strcmp(argv[1], "help"))
		status = argc > 3 ? cli_usage(&c, false, "help: one topic, please: zedperl help %s",
					      argv[2]) :
				    topic_show(&c, argv[2]);
	else if (cli_parse(&c, argc, argv, &status)) {
		if (z.scripts)
			status = cli_end_output(&c, installed_list(&c, stdout));
		else if (zedperl_words(&c, &z, &status))
			status = run(&c, &z);
	}
	jobs_clean(&z);
	metrics_end(&z.metrics);
	cli_fini(&c);
	command_drop(&z.run.command);
	session_words_fini(&z.run.words);
	while (z.argc)
		free(z.argv[--z.argc]);
	free(z.argv);
	starter_ask_fini(&z.starter_for);
	free(z.found);
	free(z.code);
	tell_that(TELL_OVER);
	return status;
}
