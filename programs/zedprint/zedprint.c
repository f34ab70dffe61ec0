// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedprint: the program's main, its options, and the printing of events; the summary and the texts
 * of latency tracers are in files of their own.
 */
#include "programs/zedprint/zedprint.h"

#include "programs/chosen.h"
#include "programs/conflicts.h"
#include "programs/cut/cut_command.h"
#include "programs/reading.h"
#include "programs/open_inputs.h"
#include "programs/stop.h"
#include "run/choose/derive.h"
#include "run/drain.h"
#include "reader/open.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct zedprint {
	struct output_opts output;
	const char *cut; /* --cut: the file to write; or NULL */
	struct screen screen;
};

/* ---- options ---- */

/* The modes of zedprint. */
enum { PRINT = 1, SUMMARY = 2, CUT = 4 };

static const struct cli_mode MODES[] = {
	{ "printing", "it is how events are printed" },
	{ .name = "summary" },
	{ .name = "cut" },
	{ .name = NULL },
};

static const struct cli_word COLORS[] = { { "auto", COLOR_AUTO },
					  { "always", COLOR_ALWAYS },
					  { "never", COLOR_NEVER },
					  { .name = NULL } };

static int set_cut(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	c->words.source.keep_names = true;
	return cli_cut_name(&((struct zedprint *)c->arg)->cut, value, e);
}

static int set_partition(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	return tables_partition(&((struct zedprint *)c->arg)->output.tables, value, e);
}

static const struct cli_opt OPTS[] = {
	{ "format", 'f', "FORMAT",
	  "names: the fields' values, by their names if they have some\n"
	  "(default); zed: bare values;\n"
	  "report: as trace-cmd report prints them; kernel: as the kernel's\n"
	  "trace file shows them; json: one object per line;\n"
	  "perfetto: a file for the Perfetto UI, to stdout;\n"
	  "parquet: tables for SQL, a file for each event, to -o DIR",
	  OPT_WORD(zedprint, output.format, OUTPUT_FORMATS), .modes = PRINT },
	{ "raw", 0, NULL, "the fields' bare values: as -f zed",
	  OPT_CONST(zedprint, output.format, PRINT_ZED), .modes = PRINT },
	{ "output", 'o', "DIR", "parquet: where the tables go, a new directory",
	  OPT_NAME(zedprint, output.tables.dir), .modes = PRINT },
	{ "partition", 0, "BY", "parquet: directories by machine, day or machine,day",
	  OPT_CALL(set_partition), .modes = PRINT },
	{ "latency", 'l', NULL, "kernel: the latency format (report always has its columns)",
	  OPT_FLAG(zedprint, output.latency), .modes = PRINT },
	{ "stack", 0, NULL,
	  "names, zed, json, parquet: with each event its stack, if it has one,\n"
	  "with the names of functions",
	  OPT_FLAG(zedprint, output.stack), .modes = PRINT },
	{ "names", 0, NULL, "json, parquet: beside numbers their names, as -f names has them",
	  OPT_FLAG(zedprint, output.names), .modes = PRINT },
	{ "summary", 0, NULL, "say what the file is and count its events", OPT_ASKS,
	  .modes = SUMMARY },
	{ "cut", 0, "FILE",
	  "print nothing: write the chosen events' records to FILE,\n"
	  "a trace.dat with everything else that TRACE has",
	  OPT_CALL(set_cut), .modes = CUT },
	{ "color", 0, "[=WHEN]",
	  "names, zed: colours: auto (on a terminal; default), always, never",
	  OPT_WORD(zedprint, screen.color, COLORS), .word = COLOR_ALWAYS },
	{ "no-pager", 0, NULL, "on a terminal: print at once, not through less (ZED_PAGER, PAGER)",
	  OPT_FLAG(zedprint, screen.no_pager) },
	{ .name = NULL },
};

static const struct cli_rule RULES[] = {
	{ PRINT, "raw", CLI_NOT_WITH, "format", "it is -f zed" },
	{ PRINT, "output partition", CLI_NEEDS, "format=parquet",
	  "is for -f parquet: text is redirected, zedprint TRACE > FILE" },
	{ PRINT, "format=parquet", CLI_NEEDS, "output",
	  "writes a file for each event: -o names the directory" },
	{ PRINT, "output=-", CLI_NOT_WITH, "format=parquet",
	  "it names a directory, for a file of each event; one that is called - is ./-" },
	{ PRINT, "stack", CLI_NOT_WITH, "format=report format=kernel format=perfetto",
	  "it is for -f names, zed, json and parquet (perfetto always has stacks)" },
	{ PRINT, "names", CLI_NEEDS, "format=json format=parquet",
	  "is for -f json and -f parquet: -f names shows names, the others are as they are" },
	{ PRINT, "latency", CLI_NEEDS, "format=kernel format=report",
	  "is of the kernel's format: zedprint -f kernel -l" },
	{ 0, "head tail", CLI_NOT_WITH, "summary", "all events are counted" },
	{ 0, "synthetic", CLI_NOT_WITH, "summary", "it counts what the trace has" },
	{ .these = NULL },
};

static const struct cli_table TABLES[] = {
	{ .opts = OPTS, .rules = RULES },
	{ .opts = CHOOSING, .of = CLI_OF_CLI },
	{ .opts = READING, .of = CLI_OF_CLI, .rules = READING_RULES },
	{ .opts = GENERAL, .of = CLI_OF_CLI },
	{ .opts = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "zedprint",
	.usage = "zedprint [OPTION]... TRACE...",
	.about = "Print the events of trace.dat files, merged by time.  Without TRACE: those of "
		 "./trace.dat.",
	.more = "  zedprint --summary trace.dat\n"
		"  zedprint -f report --event sched:sched_switch --cpu 0 trace.dat\n"
		"  zedprint -f json --event sched:sched_switch trace.dat | jq .fields",
	.tables = TABLES,
	.modes = MODES,
	.floods = true,
};

/* ---- main ---- */

/* Losses that have no place, or no number where they are, are in no line of the output. */
static void say_rest(struct cli *c)
{
	uint64_t n = c->run.pump.rest.events;

	if (n && !c->choice.start && c->choice.end == UINT64_MAX)
		note_say(&c->run.notes, NOTE_WARN,
			 "%" PRIu64 " more event%s %s lost than the output shows, according to the "
			 "recorder's statistics (zedprint --summary)",
			 n, plural(n), n == 1 ? "was" : "were");
}

static enum run_end print_events(struct cli *c, const struct zedprint *z, struct err *e)
{
	struct sink *print = output_sink(c, &z->output);
	struct stage *from = cli_synthetic(c, &c->run.pump.stage);
	struct derive *derive = NULL;
	enum run_end end;

	cli_skip_head(c);
	if (c->choice.events && words_have_stable(c->choice.events)) {
		derive = derive_new(c->choice.events, c->run.pump.catalog, &c->run.notes, from);
		from = derive_stage(derive);
	}
	end = run_into(&c->run.pump, cli_limit(c, from), print, e);
	derive_free(derive);
	print->ops->close(print);
	if (end == RUN_DONE)
		say_rest(c);
	return end;
}

static int run(struct cli *c, struct zedprint *z)
{
	unsigned mode = cli_asked(c);
	enum run_end end = RUN_DONE;
	bool events = true;
	char name[CLI_NAME_SIZE];
	int status;
	struct err e;

	if (!mode)
		return CLI_USAGE;
	if (output_is_binary(z->output.format) && isatty(STDOUT_FILENO))
		return cli_usage(c, false,
				 "%s %s: binary output is not written to a terminal: "
				 "zedprint -f %s TRACE > FILE",
				 cli_name_of(c, "format", name),
				 OUTPUT_FORMATS[z->output.format].name,
				 OUTPUT_FORMATS[z->output.format].name);
	for (int i = 0; i < c->words.nargs; i++) {
		size_t len = strlen(c->words.args[i]);

		if (len > 3 && !strcmp(c->words.args[i] + len - 3, ".pl") &&
		    !source_is_trace(c->words.args[i]))
			return cli_usage(c, true,
					 "%s: zedprint runs no script: zedperl TRACE %s does",
					 c->words.args[i], c->words.args[i]);
		cli_input(c, c->words.args[i]);
	}
	if (!c->words.inputs.n) {
		if (access("trace.dat", F_OK) < 0)
			return cli_usage(c, true,
					 "no trace is named, and there is no trace.dat here: "
					 "zedprint TRACE (zedtrace -d 1 sched makes one)");
		cli_input(c, "trace.dat");
	}
	if (!cli_open(c, &status))
		return status;
	if (mode == CUT)
		return cli_cut(c, z->cut);
	screen_begin(&z->screen, c);
	cli_catch();
	if (mode == SUMMARY) {
		end = summary_print(c, &e);
	} else {
		z->output.color = z->screen.painted;
		if (output_is_text(z->output.format))
			tracer_text_show(c, z->output.format, &events);
		if (events)
			end = print_events(c, z, &e);
	}
	if (fflush(stdout) || ferror(stdout)) {
		if (end != RUN_FAILED)
			err_sys(&e, ERR_NO_OFF, "cannot write the output");
		end = RUN_FAILED;
	}
	status = cli_finish(c, end, &e);
	screen_end(&z->screen);
	return status;
}

int main(int argc, char **argv)
{
	struct zedprint z = { .cut = NULL };
	struct cli c;
	int status;

	cli_init(&c, &SPEC, &z);
	if (cli_parse(&c, argc, argv, &status))
		status = run(&c, &z);
	cli_fini(&c);
	return status;
}
