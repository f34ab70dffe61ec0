// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * positionals: the words of zedperl's command line that are not options: traces, the script, and
 * its arguments.  Invalid combinations are refused before anything is opened.
 */
#include "base/mem.h"
#include "programs/conflicts.h"
#include "programs/foreign.h"
#include "programs/installed.h"
#include "programs/script/script_line.h"
#include "programs/zedperl/manual/topic.h"
#include "programs/zedperl/notperl.h"
#include "programs/zedperl/states.h"
#include "programs/zedperl/word.h"
#include "programs/zedperl/zedperl.h"
#include "reader/open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void zedperl_arg(struct zedperl *z, char *arg)
{
	z->perl.argv = mem_grow(z->perl.argv, &z->perl.cap, z->perl.argc + 2,
				sizeof(*z->perl.argv));
	z->perl.argv[z->perl.argc++] = arg;
	z->perl.argv[z->perl.argc] = NULL;
}

const char *zedperl_form(const struct zedperl *z)
{
	return z->fleet.jobs ? "-j N SCRIPT TRACE... --" :
	       z->reduce     ? "--reduce SCRIPT FILE... --" :
			       "TRACE SCRIPT";
}

/* ---- order ---- */

/*
 * After the first word an option is treated as the word expected there.  After the script all words
 * are the script's, and "--" already means that none is an option.
 */
static int check_order(struct cli *c, const struct zedperl *z)
{
	const struct cli_words *w = &c->words;
	bool traces = z->mode != SCRIPT || z->reduce || z->fleet.jobs ||
		      (z->script.code && !w->ninputs_i);
	int n = z->script.live || (w->ninputs_i && !traces) ? 0 : traces ? w->nargs : 2;

	for (int i = 1; i < n && i < w->nargs && strcmp(w->args[i], "--"); i++) {
		const char *word = w->args[i];

		if (word[0] != '-' || !word[1] || access(word, F_OK) == 0)
			continue;
		if ((!strcmp(word, "--help") || !strcmp(word, "-h")) &&
		    word_is_script_alone(w->args[0]))
			return topic_show(c, w->args[0]);
		/* It comes by itself, before its words. */
		if (i == 1 && !traces && installed_alone(w->args[0]))
			return GO_ON;
		if (cli_is_option(c, word) || z->mode != SCRIPT || z->script.code)
			return cli_usage(c, true, "%s after %s: options come before TRACE", word,
					 w->args[0]);
		return cli_usage(c, true,
				 "%s after %s is not an option of zedperl, and a script's options "
				 "come after %s: zedperl %s %s",
				 word, w->args[0], traces ? "--" : "it", zedperl_form(z), word);
	}
	return GO_ON;
}

/* Up to "--": traces of -j, or states. */
static void take_files(struct cli *c, struct zedperl *z, int *at)
{
	struct cli_words *w = &c->words;

	line_take_script(c, at);
	z->fleet.files = w->args + *at;
	while (*at < w->nargs && strcmp(w->args[*at], "--")) {
		(*at)++;
		z->fleet.nfiles++;
	}
	if (*at < w->nargs)
		(*at)++;
}

/* Up to "--": inputs, if there is no script; for -e with -i all words are arguments. */
static int take_inputs(struct cli *c, struct zedperl *z, int *at)
{
	const struct cli_words *w = &c->words;
	struct err e;

	for (; *at < w->nargs && !(w->ninputs_i && z->script.code) && strcmp(w->args[*at], "--");
	     ++*at)
		if (z->mode != GENERATE)
			cli_input(c, w->args[*at]);
		else if (starter_word(&z->starter_for, c, *at, &e) < 0)
			return cli_usage(c, true, "-g: %s", e.msg);
	if (*at < w->nargs && !strcmp(w->args[*at], "--"))
		(*at)++;
	return GO_ON;
}

/* A trace and a script, in either order; or one of the two. */
static int take_two(struct cli *c, struct zedperl *z, int *at)
{
	const char *first = c->words.args[0],
		   *second = c->words.nargs > 1 ? c->words.args[1] : NULL;
	const char *instead = foreign_command(first);

	*at = 1;
	if (installed_alone(first)) {
		z->alone = true;
		z->script.path = first;
		return !z->map ? GO_ON :
				 cli_usage(c, false, "%s reads no trace itself: it has no state",
					   first);
	}
	if (!second && word_is_script_alone(first)) {
		z->script.path = first;
		return GO_ON;
	}
	if (instead && !word_is_there(first) && !word_is_script_name(first))
		return cli_usage(c, true, "%s: there is no such trace: %s", first, instead);
	if (word_is_script_first(first, second)) {
		z->script.path = first;
		first = second;
		second = z->script.path;
	}
	if (first)
		cli_input(c, first);
	z->script.path = second;
	*at = c->words.nargs > 1 ? 2 : 1;
	return GO_ON;
}

/* Sort the words that are not options; *AT is the first of the script's arguments. */
static int sort_words(struct cli *c, struct zedperl *z, int *at)
{
	struct cli_words *w = &c->words;

	if (z->reduce || z->fleet.jobs)
		take_files(c, z, at);
	else if (z->script.live)
		line_take_script(c, at);
	else if (z->script.code || z->mode != SCRIPT)
		return take_inputs(c, z, at);
	else if (w->ninputs_i)
		line_take_script(c, at);
	else if (w->nargs)
		return take_two(c, z, at);
	return GO_ON;
}

/* ---- invalid combinations ---- */

/* If no script runs, all words are traces.  A script among them is a mistake. */
static int check_traces(struct cli *c, const struct zedperl *z)
{
	char mode[CLI_NAME_SIZE];

	for (unsigned i = 0; i < c->words.inputs.n; i++) {
		const char *word = c->words.inputs.v[i];

		if (!word_is_script_file(word))
			continue;
		return cli_usage(c, false, "%s: %s runs no script: leave it out%s%s%s%s", word,
				 cli_mode_name(c, z->mode, mode),
				 z->export ? ", then zedperl " : "", z->export ? z->export : "",
				 z->export ? " " : "", z->export ? word : "");
	}
	return GO_ON;
}

/* One WORD, and it is not a script.  */
static int say_no_words(struct cli *c, const char *word)
{
	char *near = strchr(word, '/') ? NULL : installed_near(word);
	int status;

	if (word_is_there(word) || !strcmp(word, "-"))
		status = cli_usage(c, true,
				   "no script given: zedperl %s SCRIPT, or -g for one to start "
				   "with (zedperl --scripts lists those that come with it)",
				   word);
	else if (near)
		status = cli_usage(c, true,
				   "%s: there is no such trace or script: did you mean zedperl "
				   "TRACE %s?",
				   word, near);
	else
		status = cli_usage(c, true,
				   "%s: there is no such trace, and no script is given: zedperl "
				   "TRACE SCRIPT (zedperl --scripts lists those that come with it)",
				   word);
	free(near);
	return status;
}

/* No trace is named: use the one in this folder, as zedprint does. */
static int take_trace_here(struct cli *c, struct zedperl *z)
{
	const struct perl_line *p = &z->perl;
	const char *code = z->script.code && p->argc > 2 && !strcmp(p->argv[p->argc - 2], "-e") ?
				   p->argv[p->argc - 1] :
				   NULL;
	char mode[CLI_NAME_SIZE], form[2 * CLI_NAME_SIZE];

	if (code && access(code, F_OK) == 0)
		return cli_usage(c, true,
				 "-e takes Perl code, and %s is a file: zedperl -e CODE %s", code,
				 code);
	if (z->mode == SCRIPT && !z->script.code && !z->script.path)
		return cli_usage(c, true,
				 "no trace and no script given: zedperl TRACE SCRIPT (zedperl "
				 "--scripts lists those that come with it, zedtrace records)");
	if (line_trace_here(c))
		return GO_ON;
	if (z->mode != SCRIPT)
		snprintf(form, sizeof(form), "%s%s TRACE", cli_mode_name(c, z->mode, mode),
			 z->export ? " FILE" : "");
	else
		snprintf(form, sizeof(form), z->script.code ? "-e CODE TRACE" : "TRACE ");
	return cli_usage(c, true, "no trace given, and there is no trace.dat here: zedperl %s%s",
			 form, z->mode == SCRIPT && !z->script.code ? z->script.path : "");
}

/* A script is needed, and there is none. */
static int check_script_given(struct cli *c, const struct zedperl *z)
{
	if (z->script.path || z->script.code || z->mode != SCRIPT)
		return GO_ON;
	if (z->script.live)
		return cli_usage(c, true,
				 "no script given: zedperl --live SCRIPT (zedperl --scripts lists "
				 "those that come with it)");
	if (z->reduce || z->fleet.jobs)
		return cli_usage(c, true, "no script given: zedperl %s", zedperl_form(z));
	return say_no_words(c, c->words.inputs.v[0]);
}

/* Is the script one of ours in another place, or a trace? */
static int check_script_word(struct cli *c, const struct zedperl *z, int at)
{
	const char *script = z->script.path;

	if (z->reduce || z->fleet.jobs) {
		if (installed_alone(script))
			return cli_usage(c, false, "%s reads no trace itself: it has no states",
					 script);
		if (!source_is_trace(script) && !states_is_one(script))
			return GO_ON;
		return cli_usage(c, true, "%s is a %s where a script is expected: zedperl %s",
				 script, states_is_one(script) ? "state" : "trace",
				 zedperl_form(z));
	}
	if (!z->alone && installed_alone(script))
		return cli_usage(c, true,
				 "%s reads neither a trace nor --live itself: it is the first "
				 "word, zedperl %s ANALYSIS...",
				 script, script);
	if (source_is_trace(script) && z->script.live)
		return cli_usage(c, true,
				 "%s is a trace, and --live takes only a SCRIPT: it reads this "
				 "kernel",
				 script);
	if (source_is_trace(script))
		return cli_usage(c, true,
				 "%s is a trace where a script is expected: several traces "
				 "are written -i %s -i %s SCRIPT",
				 script, c->words.inputs.v[0], script);
	/* A trace among its arguments was probably meant to be read. */
	for (; z->script.live && at < c->words.nargs; at++)
		if (source_is_trace(c->words.args[at]))
			return cli_usage(c, true,
					 "%s is a trace, and --live reads this kernel: zedperl %s "
					 "%s runs the script on it",
					 c->words.args[at], c->words.args[at], script);
	return GO_ON;
}

static int check_words(struct cli *c, struct zedperl *z, int at)
{
	int status = GO_ON;

	if (z->script.live && (z->script.path || z->script.code) && c->words.command &&
	    !*c->words.command)
		return cli_usage(c, true, "no command after --: zedperl --live SCRIPT -- COMMAND");
	if (!c->words.inputs.n && !z->script.live && !z->alone && !z->reduce && !z->fleet.jobs)
		status = take_trace_here(c, z);
	if (status == GO_ON && z->mode != SCRIPT)
		status = check_traces(c, z);
	if (status == GO_ON)
		status = check_script_given(c, z);
	if (status == GO_ON && z->script.path)
		status = check_script_word(c, z, at);
	return status;
}

static void say_no_script(struct cli *c, const char *script, const char *why)
{
	char *near = strchr(script, '/') ? NULL : installed_near(script);

	if (near)
		cli_say(c, "%s: no such script: did you mean %s?", script, near);
	else if (strchr(script, '/'))
		cli_say(c, "%s: no such script: %s", script, why);
	else
		cli_say(c,
			"%s: no such script: %s; zedperl --scripts lists those that come "
			"with it",
			script, why);
	free(near);
}

/* A script that cannot be read is reported here, before the trace is opened. */
static int check_script(struct cli *c, const struct zedperl *z)
{
	const char *script = z->script.path;
	char other[256];
	struct stat st;

	if (!script || !strcmp(script, "-"))
		return GO_ON;
	if (z->script.live && access(script, F_OK) < 0 && c->words.nargs > 1 &&
	    access(c->words.args[1], R_OK) == 0)
		cli_say(c, "%s: no such script; events are named in the option: --live=%s %s",
			script, script, c->words.args[1]);
	else if (stat(script, &st) < 0)
		say_no_script(c, script, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		cli_say(c, "%s: is a directory, not a Perl script", script);
	else if (access(script, R_OK) < 0)
		cli_say(c, "%s: cannot read the script: %s", script, strerror(errno));
	else if (notperl_is(script, other))
		cli_say(c,
			strstr(other, "python") ?
				"%s: is a script for %s: zedpython runs it" :
				"%s: is a script for %s, and zedperl runs perl's (zedperl help "
				"coming-from)",
			script, other);
	else
		return GO_ON;
	return CLI_USAGE;
}

/* ---- perl's command line ---- */

/* A script may be given by its name only; and scripts may use the modules installed with it. */
static void find_script(struct zedperl *z)
{
	char *lib = installed_modules();
	size_t size = lib ? strlen(lib) + 3 : 0;

	if (lib) {
		char *word = mem_alloc(size);

		snprintf(word, size, "-I%s", lib);
		zedperl_arg(z, word);
		free(lib);
	}
	if (!z->script.path || !strcmp(z->script.path, "-"))
		return;
	z->found = installed_find(z->script.path);
	if (z->found)
		z->script.path = z->found;
}

static void end_line(struct zedperl *z, const struct cli_words *w, int at)
{
	find_script(z);
	zedperl_arg(z, mem_strdup("--"));
	if (z->script.path)
		zedperl_arg(z, mem_strdup(z->script.path));
	while (at < w->nargs)
		zedperl_arg(z, mem_strdup(w->args[at++]));
}

static int words(struct cli *c, struct zedperl *z)
{
	int at = 0, status;

	if (z->script.live)
		line_take_command(c);
	if (!zedperl_asked(c, z))
		return CLI_USAGE;
	status = check_order(c, z);
	/* For the running kernel there is nothing to sort. */
	if (status != GO_ON || (z->script.live && z->mode == CHECK))
		return status;
	status = sort_words(c, z, &at);
	if (status == GO_ON)
		status = check_words(c, z, at);
	if (status != GO_ON)
		return status;
	if (z->script.path && !c->words.ninputs_i && !z->script.live && !z->alone && !z->reduce &&
	    !z->fleet.jobs)
		line_say_arguments(c, at);
	end_line(z, &c->words, at);
	return check_script(c, z);
}

bool zedperl_words(struct cli *c, struct zedperl *z, int *status)
{
	*status = words(c, z);
	return *status == GO_ON;
}
