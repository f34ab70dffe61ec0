// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl: the program's main, which runs a script, lists, checks, exports, or writes a starter
 * script, as its options ask.
 */
#include "programs/zedperl/zedperl.h"

#include "base/mem.h"
#include "programs/chosen.h"
#include "programs/event_counts.h"
#include "programs/installed.h"
#include "programs/open_inputs.h"
#include "programs/session/priority.h"
#include "programs/zedperl/explore/explore.h"
#include "programs/zedperl/fleet/tell.h"
#include "programs/zedperl/job_list.h"
#include "programs/zedperl/jobs.h"
#include "programs/zedperl/manual/topic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static struct source *open_live(struct cli *c, struct err *e)
{
	return live_begin(&((struct zedperl *)c->arg)->run, c, e);
}

/* ---- the list ---- */

/* "sched::sched_switch    1234", sorted; a name shared by several inputs is listed once. */
static void print_counts(struct cli *c, const struct event_counts *k)
{
	unsigned i, n = catalog_count(c->run.pump.catalog), shown = 0;
	const struct etype **types = mem_zalloc((n + 1) * sizeof(*types));
	char name[600], text[4 * sizeof(name)];

	for (i = 0; i < n; i++) {
		const struct etype *t = catalog_at(c->run.pump.catalog, i);

		if ((i < k->n && k->v[i]) || (c->words.verbose && t->known))
			types[shown++] = t;
	}
	qsort(types, shown, sizeof(*types), etype_order);
	for (i = 0; i < shown; i++) {
		uint64_t total = 0;
		unsigned from = i;

		for (; i < shown && !etype_compare(types[from], types[i]); i++)
			total += types[i]->idx < k->n ? k->v[types[i]->idx] : 0;
		i--;
		snprintf(name, sizeof(name), "%s::%s", types[i]->system, types[i]->name);
		plain_text(text, sizeof(text), name);
		printf("%-48s %12" PRIu64 "\n", text, total);
	}
	free(types);
}

/*
 * Read C's open inputs to their end and print on stdout "SYSTEM::EVENT  COUNT" for each, sorted
 * by name; with -v also those that do not occur.  Returns the exit status.
 */
static int list_events(struct cli *c)
{
	struct event_counts k = { 0 };
	int status = count_events(c, &k);

	print_counts(c, &k);
	free(k.v);
	return status;
}

/* ---- the run ---- */

/* Modes that need no script, on the open inputs.  -1: run a script. */
static int run_mode(struct cli *c, struct zedperl *z)
{
	int status;

	if (z->mode == EXPORT)
		return export_stable(c, c->choice.stable, z->export);
	if (z->mode == GENERATE) {
		status = starter_write(c, &z->starter_for, z->convention == ARGS_PERF);
	} else if (z->mode == LIST) {
		status = list_events(c);
	} else {
		return -1;
	}
	return cli_end_output(c, status);
}

/* Everything after the command line was read; returns the exit status. */
static int run(struct cli *c, struct zedperl *z)
{
	int status = CLI_USAGE, first = CLI_OK;

	if (c->words.parts)
		job_list_look(z);
	if (z->fleet.jobs) {
		first = jobs_run(c, z);
		if (first > CLI_DAMAGE)
			return first;
		if (z->fleet.each)
			return cli_end_output(c, first);
		/* From here on this is a run that reduces their states. */
		z->reduce = true;
	}
	if (!cli_stable(c))
		return status;
	z->run.stable = c->choice.stable;
	if (z->mode == CHECK)
		return cli_end_output(c, z->live ? check_kernel(c, c->choice.stable) :
						   check_inputs(c, c->choice.stable));
	if (z->live) {
		z->run.script = z->script;
		z->run.code = z->perl.code;
		if (c->words.instances.n)
			z->run.instance = c->words.instances.v[0];
		c->run.open_live = open_live;
		if (z->run.words.budget.rate || z->run.words.budget.cpu)
			z->metrics.budget = &z->run.budget;
		status = live_command(&z->run, c);
		if (status)
			return status;
		priority_first();
	}
	if (z->alone && metrics_wanted(&z->metrics))
		return cli_usage(c, true, "%s reads no trace itself: it has no metrics", z->script);
	if (!metrics_begin(&z->metrics, c) || !cli_open(c, &status))
		return status;
	if (!z->live && pump_is_live(&c->run.pump))
		priority_soon(false);
	if (z->alone || z->reduce) {
		status = script_run(c, z);
		return status ? status : first;
	}
	status = run_mode(c, z);
	if (status >= 0)
		return status;
	return script_has_events(c) ? script_run(c, z) : CLI_USAGE;
}

/* "explore TRACE", or as analyses are called, "TRACE explore": the word becomes the first. */
static bool is_explore(int argc, char **argv)
{
	char *trace = argc > 1 ? argv[1] : NULL;

	if (argc > 2 && *trace != '-' && strcmp(trace, "explore") && strcmp(trace, "help") &&
	    !strcmp(argv[2], "explore")) {
		argv[1] = argv[2];
		argv[2] = trace;
	}
	return trace && !strcmp(argv[1], "explore");
}

int main(int argc, char **argv)
{
	struct zedperl z = { .run.words = SESSION_WORDS_INIT };
	struct cli c;
	int status = 0;

	if (is_explore(argc, argv))
		return explore_command(argc - 1, argv + 1);
	/* A perl whose name has "perl" in it executes what a script's "#!" line names: awk. */
	zedperl_arg(&z, mem_strdup("zed"));
	cli_init(&c, &ZEDPERL_SPEC, &z);
	c.run.apart = tell_begin(argc ? argv[0] : NULL);
	c.words.source.writer_ms = c.run.apart ? JOB_WRITER_MS : 0;
	c.words.source.slack = SESSION_SLACK;
	c.session = &z.run.words;
	if (argc > 1 && !strcmp(argv[1], "help"))
		status = argc > 3 ? cli_usage(&c, false, "help: one topic, please: zedperl help %s",
					      argv[2]) :
				    topic_show(&c, argv[2]);
	else if (cli_parse(&c, argc, argv, &status)) {
		if (cli_given(&c, "scripts"))
			status = cli_end_output(&c, installed_list(&c, stdout));
		else if (zedperl_words(&c, &z, &status))
			status = run(&c, &z);
	}
	jobs_clean(&z);
	metrics_end(&z.metrics);
	cli_fini(&c);
	command_drop(&z.run.command);
	livebudget_fini(&z.run.budget);
	session_words_fini(&z.run.words);
	while (z.perl.argc)
		free(z.perl.argv[--z.perl.argc]);
	free(z.perl.argv);
	free(z.found);
	starter_ask_fini(&z.starter_for);
	free(z.perl.code);
	tell_that(TELL_OVER);
	return status;
}
