// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * python_words: the words of zedpython's command line that are not options: traces, the script, and
 * its arguments.  The script is the first word that is a Python file.
 */
#include "base/io.h"
#include "base/suffix.h"
#include "programs/conflicts.h"
#include "programs/script/script_line.h"
#include "programs/zedpython/zedpython.h"
#include "reader/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRIPT_MOST (64u << 20) /* bytes */

/* Does its first line name python?  Pipes and devices are not read here. */
static bool has_python_line(const char *path)
{
	char line[256] = "";
	struct stat st;
	FILE *in;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	in = fopen(path, "re");
	if (!in)
		return false;
	if (!fgets(line, sizeof(line), in))
		line[0] = '\0';
	fclose(in);
	return !strncmp(line, "#!", 2) && strstr(line, "python");
}

/* A file that may not exist: then its name decides. */
static bool is_script(const char *word)
{
	return (suffix_is(word, ".py") && !source_is_trace(word)) || has_python_line(word);
}

/* Which word is the script; nargs: none. */
static int script_at(const struct cli_words *w)
{
	int at = 0;

	while (at < w->nargs && !is_script(w->args[at]))
		at++;
	/* A script of any name, or '-' for standard input, behind what is a trace. */
	if (at == w->nargs && w->nargs > 1 && !source_is_trace(w->args[1]))
		at = 1;
	return at;
}

/* Words up to END are traces, or with -g events, too.  An option among them came too late. */
static int take_inputs(struct cli *c, struct zedpython *z, int end)
{
	struct err e;

	for (int i = 0; i < end; i++) {
		const char *word = c->words.args[i];

		if (i && word[0] == '-' && word[1] && access(word, F_OK) < 0)
			return cli_usage(c, true, "%s after %s: options come before TRACE", word,
					 c->words.args[0]);
		if (z->mode != SCRIPT_GENERATES)
			cli_input(c, word);
		else if (starter_word(&z->starter, c, i, &e) < 0)
			return cli_usage(c, true, "-g: %s", e.msg);
	}
	return GO_ON;
}

/*
 * TRACE... SCRIPT; "#!/usr/bin/env zedpython" in a script: the kernel makes "zedpython SCRIPT
 * TRACE" of "SCRIPT TRACE".
 */
static int take_both(struct cli *c, struct zedpython *z, int *at)
{
	struct cli_words *w = &c->words;
	int script = script_at(w);

	*at = script + (script < w->nargs);
	if (script < w->nargs)
		c->script->path = w->args[script];
	if (script > 0)
		return take_inputs(c, z, script);
	if (w->nargs > 1 && source_is_trace(w->args[1])) {
		cli_input(c, w->args[1]);
		*at = 2;
	}
	return GO_ON;
}

/* Up to "--": inputs, if there is no script file; for -e with -i all words are arguments. */
static int take_all(struct cli *c, struct zedpython *z, int *at)
{
	const struct cli_words *w = &c->words;
	bool arguments = w->ninputs_i && c->script->code;
	int status;

	while (*at < w->nargs && !arguments && strcmp(w->args[*at], "--"))
		++*at;
	status = take_inputs(c, z, *at);
	if (*at < w->nargs && !strcmp(w->args[*at], "--"))
		++*at;
	return status;
}

static int sort_words(struct cli *c, struct zedpython *z, int *at)
{
	if (!z->script.live && (z->script.code || z->mode != SCRIPT_RUNS))
		return take_all(c, z, at);
	if (!z->script.live && !c->words.ninputs_i)
		return take_both(c, z, at);
	line_take_script(c, at);
	return GO_ON;
}

/* ---- what is missing ---- */

static int say_no_script(struct cli *c, const struct zedpython *z)
{
	if (z->script.live)
		return cli_usage(c, true, "no script given: zedpython --live SCRIPT");
	if (!c->words.inputs.n)
		return cli_usage(c, true,
				 "no trace and no script given: zedpython TRACE SCRIPT (zedtrace "
				 "records)");
	return cli_usage(c, true, "no script given: zedpython %s SCRIPT", c->words.inputs.v[0]);
}

static int say_no_trace(struct cli *c, const struct zedpython *z)
{
	const char *script = script_name(&z->script);

	if (z->mode != SCRIPT_RUNS)
		return cli_usage(c, true,
				 "no trace given, and there is no trace.dat here: zedpython %s "
				 "TRACE",
				 z->mode == SCRIPT_LISTS ? "-t" : "-g");
	return cli_usage(c, true,
			 "no trace given, and there is no trace.dat here: zedpython %s (a script "
			 "that opens its traces itself, by zed.open, is for python3)",
			 z->script.code ? "-e CODE TRACE" : script);
}

/* A script that cannot be read is reported here, before the trace is opened. */
static int check_script(struct cli *c, const char *script)
{
	struct stat st;

	if (!strcmp(script, "-"))
		return GO_ON;
	if (cli_is_option(c, script) && access(script, F_OK) < 0)
		return cli_usage(c, true, "%s after TRACE: options come before it", script);
	if (stat(script, &st) < 0)
		cli_say(c, "%s: no such script: %s", script, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		cli_say(c, "%s: is a directory, not a Python script", script);
	else if (access(script, R_OK) < 0)
		cli_say(c, "%s: cannot read the script: %s", script, strerror(errno));
	else if (suffix_is(script, ".pl"))
		cli_say(c, "%s: is a script for perl: zedperl TRACE %s", script, script);
	else if (source_is_trace(script))
		return cli_usage(c, true, "%s is a trace where a script is expected", script);
	else
		return GO_ON;
	return CLI_USAGE;
}

/* Does the text of the script have a word with which scripts take their arguments? */
static bool takes_arguments(const char *path)
{
	static const char *const WORDS[] = { "argv",  "argparse", "optparse", "getopt",
					     "click", "typer",	  "docopt" };
	struct stat st;
	char *text = NULL;
	size_t len;
	bool yes;

	/* What a pipe gives is for python alone. */
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode))
		text = io_text(open(path, O_RDONLY | O_CLOEXEC), SCRIPT_MOST, &len);
	yes = !text;

	for (size_t i = 0; text && i < sizeof(WORDS) / sizeof(WORDS[0]); i++)
		yes |= strstr(text, WORDS[i]) != NULL;
	free(text);
	return yes;
}

/* An option after the script is the script's; one that it does not look at was perhaps for us. */
static void say_options(struct cli *c, const struct zedpython *z)
{
	for (int i = 0; i < z->nargs && strcmp(z->args[i], "--"); i++) {
		if (!cli_is_option(c, z->args[i]))
			continue;
		if (!takes_arguments(z->script.path))
			cli_say(c,
				"%s after the script is an argument of %s, which does not use "
				"sys.argv: an option of zedpython comes before the trace",
				z->args[i], z->script.path);
		return;
	}
}

static int words(struct cli *c, struct zedpython *z)
{
	int at = 0, status;

	z->mode = cli_asked(c);
	if (!z->mode || !script_one_instance(c))
		return CLI_USAGE;
	if (z->script.live)
		line_take_command(c);
	status = sort_words(c, z, &at);
	if (status != GO_ON)
		return status;
	z->args = c->words.args + at;
	z->nargs = c->words.nargs - at;
	if (z->mode == SCRIPT_RUNS && !z->script.path && !z->script.code)
		return say_no_script(c, z);
	if (z->script.live && c->words.command && !*c->words.command)
		return cli_usage(c, true,
				 "no command after --: zedpython --live SCRIPT -- COMMAND");
	status = z->script.path ? check_script(c, z->script.path) : GO_ON;
	if (status != GO_ON)
		return status;
	if (!c->words.inputs.n && !z->script.live && !line_trace_here(c))
		return say_no_trace(c, z);
	if (z->script.path && !c->words.ninputs_i && !z->script.live)
		line_say_arguments(c, at);
	if (z->script.path)
		say_options(c, z);
	return GO_ON;
}

bool zedpython_words(struct cli *c, struct zedpython *z, int *status)
{
	*status = words(c, z);
	return *status == GO_ON;
}
