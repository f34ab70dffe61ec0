// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedprint: the program's main, its options, and the printing of events; the summary and the texts
 * of latency tracers have files of their own.
 */
#include "sink/perfetto/perfetto.h"
#include "sink/print/print.h"
#include "programs/chosen.h"
#include "programs/cut/cut_command.h"
#include "programs/options.h"
#include "programs/open_inputs.h"
#include "programs/stop.h"
#include "programs/zedprint/screen.h"
#include "programs/zedprint/summary.h"
#include "programs/zedprint/parquet_options.h"
#include "programs/zedprint/tracer_text.h"
#include "run/choose/derive.h"
#include "run/drain.h"
#include "reader/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct zedprint {
	enum print_format format;
	bool latency, summary, format_given, perfetto, parquet;
	const char *cut; /* --cut: the file to write; or NULL */
	struct tables tables;
	struct screen screen;
};

/* ---- options ---- */

static const struct {
	const char *name;
	enum print_format format;
} FORMATS[] = { { "zed", PRINT_ZED },	{ "report", PRINT_REPORT }, { "kernel", PRINT_KERNEL },
		{ "json", PRINT_JSON }, { "perfetto", PRINT_ZED },  { "parquet", PRINT_ZED } };

#define NFORMATS (sizeof(FORMATS) / sizeof(FORMATS[0]))

static const char *next_format(void *arg)
{
	size_t *i = arg;

	return *i < NFORMATS ? FORMATS[(*i)++].name : NULL;
}

static int set_format(struct cli *c, const char *value, struct err *e)
{
	struct zedprint *z = c->arg;
	const char *near;
	size_t i;

	z->format_given = true;
	for (i = 0; i < NFORMATS; i++)
		if (!strcmp(value, FORMATS[i].name)) {
			z->format = FORMATS[i].format;
			z->perfetto = !strcmp(value, "perfetto");
			z->parquet = !strcmp(value, "parquet");
			return 0;
		}
	i = 0;
	near = nearest_name(value, next_format, &i);
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "no format '%s'%s%s%s: there are zed, report, kernel, json, perfetto "
		       "and parquet",
		       value, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int set_latency(struct cli *c, const char *value, struct err *e)
{
	((struct zedprint *)c->arg)->latency = true;
	return 0;
}

static int set_summary(struct cli *c, const char *value, struct err *e)
{
	((struct zedprint *)c->arg)->summary = true;
	return 0;
}

static int set_cut(struct cli *c, const char *value, struct err *e)
{
	struct zedprint *z = c->arg;

	c->source.keep_names = true;
	return cli_cut_name(&z->cut, value, e);
}

static int set_output(struct cli *c, const char *value, struct err *e)
{
	((struct zedprint *)c->arg)->tables.dir = value;
	if (!strcmp(value, "-"))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "it names a directory, as -f parquet writes a file for each event; "
			       "one that is called - is ./-");
	return *value ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the name is empty");
}

static int set_partition(struct cli *c, const char *value, struct err *e)
{
	return tables_partition(&((struct zedprint *)c->arg)->tables, value, e);
}

static int set_color(struct cli *c, const char *value, struct err *e)
{
	return screen_color(&((struct zedprint *)c->arg)->screen, value, e);
}

static int set_no_pager(struct cli *c, const char *value, struct err *e)
{
	((struct zedprint *)c->arg)->screen.no_pager = true;
	return 0;
}

static const struct cli_opt OPTS[] = {
	{ "format", 'f', "FORMAT",
	  "zed: the fields' bare values (default);\n"
	  "report: as trace-cmd report prints them; kernel: as the kernel's\n"
	  "trace file shows them; json: one object per line;\n"
	  "perfetto: a file for the Perfetto UI, to stdout;\n"
	  "parquet: tables for SQL, a file for each event, to -o DIR",
	  CLI_SET(set_format) },
	{ "output", 'o', "DIR", "parquet: where the tables go, a new directory",
	  CLI_SET(set_output) },
	{ "partition", 0, "BY", "parquet: directories by machine, day or machine,day",
	  CLI_SET(set_partition) },
	{ "latency", 'l', NULL, "kernel: the latency format (report always has its columns)",
	  CLI_SET(set_latency) },
	{ "summary", 0, NULL, "say what the file is and count its events", CLI_SET(set_summary) },
	{ "cut", 0, "FILE",
	  "print nothing: write the chosen events' records to FILE,\n"
	  "a trace.dat with everything else that TRACE has",
	  CLI_SET(set_cut) },
	{ "color", 0, "[=WHEN]", "zed: colours: auto (on a terminal; default), always, never",
	  CLI_SET(set_color) },
	{ "no-pager", 0, NULL, "on a terminal: print at once, not through less (ZED_PAGER, PAGER)",
	  CLI_SET(set_no_pager) },
	{ .name = NULL },
};

static const struct cli_spec SPEC = {
	.prog = "zedprint",
	.usage = "zedprint [OPTION]... TRACE...",
	.about = "Print the events of trace.dat files, merged by time.  Without TRACE: those of "
		 "./trace.dat.",
	.more = "  zedprint --summary trace.dat\n"
		"  zedprint -f report --event sched:sched_switch --cpu 0 trace.dat\n"
		"  zedprint -f json --event sched:sched_switch trace.dat | jq .fields",
	.opts = OPTS,
	.floods = true,
};

/* ---- the whole ---- */

static enum run_end print_events(struct cli *c, const struct zedprint *z, struct err *e)
{
	struct print_opts o = {
		.format = z->format,
		.ns = c->ns,
		.latency = z->latency,
		.color = z->screen.painted,
		.notes = &c->notes,
	};
	const struct perfetto_opts to = { .fd = STDOUT_FILENO, .notes = &c->notes };
	struct sink *print = z->parquet	 ? tables_sink(c, &z->tables) :
			     z->perfetto ? perfetto_new(&to) :
					   print_new(&o);
	struct stage *from = cli_synthetic(c, &c->pump.stage);
	struct derive *derive = NULL;
	enum run_end end;

	if (c->events && words_have_stable(c->events)) {
		derive = derive_new(c->events, c->pump.catalog, &c->notes, from);
		from = derive_stage(derive);
	}
	end = run_into(&c->pump, cli_limit(c, from), print, e);
	derive_free(derive);
	print->ops->close(print);
	return end;
}

/* Options that say nothing together; NULL: all do. */
static const char *check_together(const struct cli *c, const struct zedprint *z)
{
	if (z->summary && (c->head || c->tail))
		return "--summary counts all events: --head and --tail choose what is printed";
	if (z->summary && c->ndefined)
		return "--summary counts what the trace has: --synthetic makes events that are "
		       "printed";
	if (z->summary && (z->format_given || z->latency))
		return "--summary has one form: -f and -l are how events are printed";
	if (z->cut && (z->summary || z->format_given || z->latency))
		return "--cut prints nothing: it takes no --summary, -f or -l";
	if (z->parquet && !z->tables.dir)
		return "-f parquet writes a file for each event: -o names the directory";
	if (!z->parquet && (z->tables.dir || z->tables.by_machine || z->tables.by_day))
		return "-o and --partition are of -f parquet: text is redirected, zedprint TRACE > "
		       "FILE";
	if (z->perfetto && isatty(STDOUT_FILENO))
		return "-f perfetto is nothing for a terminal: zedprint -f perfetto TRACE > FILE";
	if (z->latency && z->format != PRINT_KERNEL && z->format != PRINT_REPORT)
		return "-l is of the kernel's format: zedprint -f kernel -l";
	return NULL;
}

static int run(struct cli *c, struct zedprint *z)
{
	const char *wrong = check_together(c, z);
	enum run_end end = RUN_DONE;
	bool events = true;
	int status;
	struct err e;

	if (wrong)
		return cli_usage(c, false, "%s", wrong);
	for (int i = 0; i < c->nargs; i++) {
		size_t len = strlen(c->args[i]);

		if (len > 3 && !strcmp(c->args[i] + len - 3, ".pl") && !source_is_trace(c->args[i]))
			return cli_usage(c, true,
					 "%s: zedprint runs no script: zedperl TRACE %s does",
					 c->args[i], c->args[i]);
		cli_input(c, c->args[i]);
	}
	if (!c->ninputs) {
		if (access("trace.dat", F_OK) < 0)
			return cli_usage(c, true,
					 "no trace is named, and there is no trace.dat here: "
					 "zedprint TRACE (zedtrace -d 1 sched makes one)");
		cli_input(c, "trace.dat");
	}
	if (!cli_open(c, &status))
		return status;
	if (z->cut)
		return cli_cut(c, z->cut);
	screen_begin(&z->screen, c);
	cli_catch();
	if (z->summary) {
		end = summary_print(c, &e);
	} else {
		if (!z->perfetto && !z->parquet)
			tracer_text_show(c, z->format, &events);
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
	struct zedprint z = { .format = PRINT_ZED };
	struct cli c;
	int status;

	cli_init(&c, &SPEC, &z);
	if (cli_parse(&c, argc, argv, &status))
		status = run(&c, &z);
	cli_fini(&c);
	return status;
}
