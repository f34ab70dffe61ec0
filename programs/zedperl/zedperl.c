// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedperl: the program's main, which runs a script, lists, checks, exports, or writes a starter
 * script, as its options ask.
 */
#include "programs/zedperl/zedperl.h"

#include "base/mem.h"
#include "programs/chosen.h"
#include "programs/installed.h"
#include "programs/open_inputs.h"
#include "programs/script/listing.h"
#include "programs/script/script_host.h"
#include "programs/session/priority.h"
#include "programs/zedperl/explore/explore.h"
#include "programs/zedperl/fleet/tell.h"
#include "programs/zedperl/job_list.h"
#include "programs/zedperl/jobs.h"
#include "programs/zedperl/manual/topic.h"
#include "programs/zedperl/mcp/mcp.h"

#include <stdlib.h>
#include <string.h>

/* ---- the run ---- */

/* Modes that need no script, on the open inputs.  -1: run a script. */
static int run_mode(struct cli *c, struct zedperl *z)
{
	int status;

	if (z->mode == EXPORT)
		return export_stable(c, c->choice.stable, z->export);
	if (z->mode == GENERATE) {
		status = starter_write(c, &z->starter_for, z->script.convention == ARGS_PERF);
	} else if (z->mode == LIST) {
		return listing_print(c);
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
	if (z->mode == CHECK)
		return cli_end_output(c, z->script.live ? check_kernel(c, c->choice.stable) :
							  check_inputs(c, c->choice.stable));
	if (z->script.run.words.budget.rate || z->script.run.words.budget.cpu)
		z->metrics.budget = &z->script.run.budget;
	status = script_prepare(c, SCRIPT_PERL);
	if (status)
		return status;
	status = CLI_USAGE;
	if (z->alone && metrics_wanted(&z->metrics))
		return cli_usage(c, true, "%s reads no trace itself: it has no metrics",
				 z->script.path);
	if (!metrics_begin(&z->metrics, c) || !cli_open(c, &status))
		return status;
	if (!z->script.live && pump_is_live(&c->run.pump))
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
	struct zedperl z = { .script.run.words = SESSION_WORDS_INIT };
	struct cli c;
	int status = 0;

	if (is_explore(argc, argv))
		return explore_command(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "mcp"))
		return mcp_command(argc - 1, argv + 1);
	/* A perl whose name has "perl" in it executes what a script's "#!" line names: awk. */
	zedperl_arg(&z, mem_strdup("zed"));
	cli_init(&c, &ZEDPERL_SPEC, &z);
	c.run.apart = tell_begin(argc ? argv[0] : NULL);
	c.words.source.writer_ms = c.run.apart ? JOB_WRITER_MS : 0;
	c.words.source.slack = SESSION_SLACK;
	c.session = &z.script.run.words;
	c.script = &z.script;
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
	script_words_fini(&z.script);
	while (z.perl.argc)
		free(z.perl.argv[--z.perl.argc]);
	free(z.perl.argv);
	free(z.found);
	starter_ask_fini(&z.starter_for);
	tell_that(TELL_OVER);
	return status;
}
