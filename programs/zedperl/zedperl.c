// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl: the program's main, its options, and which of its jobs they ask for: to run a script, to
 * list, to check, to export, or to write a starter script.
 */
#include "programs/zedperl/zedperl.h"

#include "base/mem.h"
#include "interp/perl/interp.h"
#include "interp/starter.h"
#include "programs/cut.h"
#include "programs/run.h"
#include "programs/chosen.h"
#include "programs/zedperl/export.h"
#include "programs/zedperl/installed.h"
#include "programs/zedperl/list.h"
#include "programs/zedperl/script.h"
#include "programs/zedperl/stable_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLACK 20000000ull /* ns; of 193 million events none came more than 2.7 ms late */
#define MAX_SLACK 10000000000ull

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

static int set_code(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->code = true;
	add_switch(z, "-e", value, false);
	return 0;
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

static int set_keep_going(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->keep_going = true;
	return 0;
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
	if (value)
		z->run.events = value;
	return 0;
}

static int set_slack(struct cli *c, const char *value, struct err *e)
{
	((struct zedperl *)c->arg)->live_only = true;
	if (times_duration(value, &c->source.slack, e) < 0)
		return -1;
	if (c->source.slack <= MAX_SLACK)
		return 0;
	return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': events would be held back longer than 10 s",
		       value);
}

static int set_buffer(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->live_only = true;
	return live_buffer(value, &z->run.buffer_kb, e);
}

static int set_clock(struct cli *c, const char *value, struct err *e)
{
	struct zedperl *z = c->arg;

	z->run.clock = value;
	z->live_only = true;
	return 0;
}

static const struct cli_opt OPTS[] = {
	{ "live", 0, "[=EVENTS]",
	  "run the script on what this kernel does now, up to Ctrl-C: on\n"
	  "the events that it handles (or that its line \"# zedtrace:\"\n"
	  "names), or on EVENTS:  --live=sched,block:block_rq_*",
	  CLI_SET(set_live) },
	{ "slack", 0, "TIME", "--live: hold events back so long for those of other CPUs (20ms)",
	  CLI_SET(set_slack) },
	{ "buffer", 'b', "KB", "--live: size of each CPU's buffer (the kernel's: 1408)",
	  CLI_SET(set_buffer) },
	{ "clock", 'C', "CLOCK", "--live: the clock of the events' times (mono)",
	  CLI_SET(set_clock) },
	{ "", 'e', "CODE", "the script is CODE (repeated: its lines); other words are traces",
	  CLI_SET(set_code) },
	{ "", 'I', "DIR", "perl: look for modules in DIR first", CLI_SET(set_include) },
	{ "", 'M', "MODULE", "perl: use MODULE before the script (-MMODULE=a,b)",
	  CLI_SET(set_module) },
	{ "", 'm', "MODULE", "perl: the same, but import nothing", CLI_SET(set_module_only) },
	{ "", 'w', NULL, "perl: warnings on", CLI_SET(set_warn) },
	{ "generate", 'g', NULL, "print a starter script that handles every event of the trace",
	  CLI_SET(set_starter) },
	{ "list", 't', NULL, "list the trace's events with their counts (-v: also those of none)",
	  CLI_SET(set_list) },
	{ "scripts", 0, NULL, "list those that come with it: TRACE NAME runs, --help NAME tells",
	  CLI_SET(set_scripts) },
	{ "stable-check", 0, NULL,
	  "print which stable events the trace has (--live: this kernel)\n"
	  "and what each of their fields is made of",
	  CLI_SET(set_check) },
	{ "export", 0, "FILE", "write the stable events of the trace to FILE ('-': a pipe)",
	  CLI_SET(set_export) },
	{ "cut", 0, "FILE", "after the run write what Zed::keep marked to FILE, a trace.dat",
	  CLI_SET(set_cut) },
	{ "perf", 0, NULL,
	  "call subs as perf script does; so are those that load Perf::Trace::Core",
	  CLI_SET(set_perf) },
	{ "zed", 0, NULL, "call them as above, whatever the script looks like", CLI_SET(set_zed) },
	{ "keep-going", 0, NULL,
	  "a die in a handler is said and costs that call only; exit status 1",
	  CLI_SET(set_keep_going) },
	{ .name = NULL },
};

static void show_version(void)
{
	char buf[64];

	printf("%s\n", interp_version(buf, sizeof(buf)));
}

static const struct cli_spec SPEC = {
	.prog = "zedperl",
	.usage = "zedperl [OPTION]... TRACE SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -i TRACE [-i TRACE]... SCRIPT [ARG]...\n"
		 "zedperl [OPTION]... -e CODE TRACE... [-- ARG...]\n"
		 "zedperl --live[=EVENTS] [OPTION]... SCRIPT [ARG]...\n"
		 "zedperl -t | --stable-check | --export FILE TRACE...\n"
		 "zedperl -g TRACE > SCRIPT",
	.about = "Run a Perl script over the events of a trace: for each event its sub\n"
		 "SUBSYSTEM::EVENT is called with ($cpu, $secs, $nsecs, $sequence, FIELDS...);\n"
		 "trace_begin and trace_end before and after.",
	.more = "  zedperl trace.dat countall\n"
		"  zedperl -e 'sub sched::sched_switch { $n++ } END { print $n }' trace.dat\n"
		"  zedperl --event sched -F 'sched: prio < 100' trace.dat wake.pl\n"
		"Exit status: 0; 1 something was skipped or damaged; 2 usage, or nothing could be\n"
		"opened; 130 stopped by a signal; 255 the script died; N the script said exit N.",
	.opts = OPTS,
	.stop_at_first = true,
	.version = show_version,
	.help_of = installed_manual,
};

/* ---- what is opened ---- */

static struct source *open_live(struct cli *c, struct err *e)
{
	return live_begin(&((struct zedperl *)c->arg)->run, c, e);
}

/* ---- the run ---- */

static int end_output(struct cli *c, int status)
{
	if (fflush(stdout) == 0 || errno == EPIPE)
		return status;
	cli_say(c, "cannot write: %s", strerror(errno));
	return CLI_DAMAGE;
}

/* What needs no script, on the open inputs.  -1: a script is to run. */
static int run_mode(struct cli *c, struct zedperl *z)
{
	int status;

	if (z->export)
		return export_stable(c, c->stable, z->export);
	if (z->starter) {
		starter_write(c->pump.catalog, c->inputs[0], z->convention == ARGS_PERF, &c->notes,
			      stdout);
		status = c->failed || c->notes.damage ? CLI_DAMAGE : CLI_OK;
	} else if (z->list) {
		status = list_events(c);
	} else {
		return -1;
	}
	return end_output(c, status);
}

/* Everything behind the reading of the command line; returns the exit status. */
static int run(struct cli *c, struct zedperl *z)
{
	int status = CLI_USAGE;

	if (!cli_stable(c))
		return status;
	z->run.stable = c->stable;
	if (z->check)
		return end_output(c, z->live ? check_kernel(c, c->stable) :
					       check_inputs(c, c->stable));
	if (z->live) {
		z->run.script = z->script;
		c->open_live = open_live;
	}
	if (!cli_open(c, &status))
		return status;
	if (z->alone)
		return script_run(c, z);
	status = run_mode(c, z);
	if (status >= 0)
		return status;
	return script_has_events(c) ? script_run(c, z) : CLI_USAGE;
}

int main(int argc, char **argv)
{
	struct zedperl z = { .argv = NULL };
	struct cli c;
	int status = 0;

	zedperl_arg(&z, mem_strdup("zedperl"));
	cli_init(&c, &SPEC, &z);
	c.source.slack = SLACK;
	if (cli_parse(&c, argc, argv, &status)) {
		if (z.scripts)
			status = end_output(&c, installed_list(&c, stdout));
		else if (zedperl_words(&c, &z, &status))
			status = run(&c, &z);
	}
	cli_fini(&c);
	while (z.argc)
		free(z.argv[--z.argc]);
	free(z.argv);
	free(z.found);
	return status;
}
