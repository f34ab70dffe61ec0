// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * together: which options of zedperl go together, and what is said of those that do not.
 */
#include "programs/zedperl/together.h"

const char *zedperl_mode(const struct zedperl *z)
{
	return z->starter ? "-g" :
	       z->list	  ? "-t" :
	       z->check	  ? "--stable-check" :
	       z->export  ? "--export" :
			    NULL;
}

/* What does not go with --live, or without; NULL: nothing. */
static const char *wrong_live(const struct cli *c, const struct zedperl *z)
{
	if (!z->live && (z->run.keep.bytes || z->run.keep.ns))
		return "--flight is for --live: of a recording --cut FILE writes a part";
	if (!z->live)
		return session_words_given(&z->run.words) ?
			       "-d, -c, -C, -b, -s, --slack and --exclude are for --live: a "
			       "recording has its own (perl's -c and -d are --check and --debug)" :
			       NULL;
	if (z->list)
		return "-t counts the events of a recording, and --live makes none: zedtrace -t "
		       "lists what this kernel offers";
	if (z->starter)
		return "-g needs a recording: zedtrace -d 1 -o trace.dat EVENT..., then zedperl "
		       "-g trace.dat";
	if (z->export)
		return "--export needs a recording: zedtrace -d 1 -o trace.dat EVENT..., then "
		       "zedperl --export FILE trace.dat; or zedtrace EVENT... -o - | zedperl "
		       "--export FILE -i -";
	if (z->cut)
		return "--cut reads the trace a second time, once the script has marked what to "
		       "keep: zedtrace -o trace.dat EVENT..., then zedperl --cut FILE trace.dat "
		       "SCRIPT";
	if (z->check &&
	    (z->run.events || c->nargs || c->nchoices || session_words_given(&z->run.words)))
		return "--stable-check --live looks at what this kernel offers and records "
		       "nothing: it takes no events, no other words and no option of a session";
	if (c->ninputs_i)
		return "--live reads this kernel and no file: -i has no place beside it";
	return NULL;
}

/* What does not go with --map and --reduce, or without; NULL: nothing. */
static const char *wrong_states(const struct cli *c, const struct zedperl *z)
{
	if (!z->jobs && (z->files_from || z->each || z->resume))
		return "--files-from, --each and --resume are for -j, which runs a script on many "
		       "traces";
	if (z->jobs && (z->reduce || z->live || c->ninputs_i || z->cut || zedperl_mode(z)))
		return "-j runs a script on many traces, each by itself: leave --reduce, --live, "
		       "-i, --cut and what needs no script out";
	if (z->jobs && z->each && (z->map || z->resume))
		return "--each prints answers and keeps no states: leave --map and --resume out";
	if (z->jobs && metrics_wanted(&z->metrics))
		return "--metrics tells of one run, and -j has several at a time: leave it out";
	if (!z->map && !z->reduce)
		return z->output ? "-o is where --map puts its state: a script's answer goes to "
				   "standard output" :
				   NULL;
	if (zedperl_mode(z))
		return "--map and --reduce run a script: leave -g, -t, --stable-check and --export "
		       "out";
	if (z->cut)
		return "--cut keeps what a script marks of one trace: leave --map and --reduce out";
	if (!z->reduce)
		return NULL;
	if (z->output && !z->map)
		return "-o is where --map puts its state: the answer goes to standard output";
	if (z->live || c->ninputs_i || c->chosen)
		return "--reduce reads states and no trace: options that choose events belong to "
		       "--map";
	return NULL;
}

/* --live --instance: what is set there is its owner's to choose.  False: *STATUS is set. */
static bool check_attached(struct cli *c, const struct zedperl *z, int *status)
{
	const char *sets = z->run.events		       ? "--live=EVENTS" :
			   z->run.keep.bytes || z->run.keep.ns ? "--flight" :
								 session_words_set(&z->run.words);

	if (!z->live || !c->ninstances)
		return true;
	if (z->check)
		*status = cli_usage(c, true,
				    "--stable-check --live looks at what this kernel offers, "
				    "whatever is traced: leave --instance out");
	else if (c->ninstances > 1)
		*status = cli_usage(c, true, "--live reads one --instance");
	else if (sets)
		*status = cli_usage(c, true,
				    "%s does not go with --live --instance: who made it has set "
				    "what is traced",
				    sets);
	else
		return true;
	return false;
}

bool zedperl_together(struct cli *c, const struct zedperl *z, int *status)
{
	int modes = z->starter + z->list + z->check + (z->export != NULL);
	const char *wrong = wrong_states(c, z);

	if (wrong)
		;
	else if ((z->list || z->starter || z->check) && (c->head || c->tail))
		wrong = "--head and --tail choose what a script is given: -t, -g and "
			"--stable-check look at all";
	else if ((z->list || z->starter || z->check) && c->ndefined)
		wrong = "--synthetic makes events for a script or an export: -t, -g and "
			"--stable-check look at what the trace has";
	else if (modes && z->cut)
		wrong = "--cut keeps what a script marks (Zed::keep), and there is none: zedprint "
			"--cut FILE cuts by options";
	else if (z->verify && (modes || z->live || z->cut))
		wrong = "--check looks at a script and a trace: it takes no -g, -t, "
			"--stable-check, --export, --cut or --live";
	else if (modes && metrics_wanted(&z->metrics))
		wrong = "--metrics tells what a script counts, and there is none";
	else if (z->metrics.every_given && !z->metrics.file)
		wrong = "--metrics-every says how often --metrics-file FILE is written";
	else if (z->every && (z->map || z->reduce || (z->jobs && !z->each)))
		wrong = "--every is for one run: --map, --reduce and -j give one answer of many";
	else if (modes && z->every)
		wrong = "--every is for a script: -t, -g, --stable-check and --export run none";
	else if (modes > 1)
		wrong = "-g, -t, --stable-check and --export are different things: give one of "
			"them";
	else if ((z->check || z->export) && z->argc > 1)
		wrong = z->export ?
				"--export runs no script: leave -e, -I, -M, -m and -w out; what "
				"it writes is a trace: zedperl --export FILE TRACE, then "
				"zedperl FILE SCRIPT" :
				"--stable-check runs no script: leave -e, -I, -M, -m and -w out";
	else
		wrong = wrong_live(c, z);
	if (wrong)
		*status = cli_usage(c, true, "%s", wrong);
	return !wrong && check_attached(c, z, status);
}
