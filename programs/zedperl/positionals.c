// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * positionals: the words of zedperl's command line that are no options: which are traces, which is
 * the script, what are its arguments.  What makes no sense is refused before anything is opened.
 */
#include "base/mem.h"
#include "programs/foreign.h"
#include "programs/installed.h"
#include "programs/zedperl/manual/topic.h"
#include "programs/zedperl/notperl.h"
#include "programs/zedperl/states.h"
#include "programs/zedperl/together.h"
#include "programs/zedperl/zedperl.h"
#include "reader/open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void zedperl_arg(struct zedperl *z, char *arg)
{
	z->argv = mem_grow(z->argv, &z->cap, z->argc + 2, sizeof(*z->argv));
	z->argv[z->argc++] = arg;
	z->argv[z->argc] = NULL;
}

/* Is it a trace?  HEAD: its first bytes; '\0' behind them. */
static bool is_trace(const char *path, char *head, size_t size)
{
	static const char magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	struct stat st;
	ssize_t n = 0;
	int fd;

	memset(head, 0, size);
	if (stat(path, &st) < 0)
		return false;
	if (S_ISDIR(st.st_mode))
		return true;
	/* What cannot be read twice must not be read here. */
	if (!S_ISREG(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, head, size - 1);
		close(fd);
	}
	return (n >= (ssize_t)sizeof(magic) && !memcmp(head, magic, sizeof(magic))) ||
	       source_is_trace(path);
}

/* Is there no file WORD, but a script that comes with us and is called so? */
static bool is_script_name(const char *word)
{
	char *path = access(word, F_OK) ? installed_find(word) : NULL;

	free(path);
	return path != NULL;
}

/*
 * "#!/usr/bin/env zedperl" in a script: the kernel makes "zedperl SCRIPT TRACE" of "SCRIPT
 * TRACE".  The bytes of the two tell which is which.  And who calls a script by its name may well
 * put that first.
 */
static bool is_script_first(const char *first, const char *second)
{
	char one[128], other[128];
	char *end;

	if (is_script_name(first))
		return !second || !is_script_name(second);
	/* As perl takes it: the script comes from standard input. */
	if (!strcmp(first, "-"))
		return second && is_trace(second, other, sizeof(other));
	if (is_trace(first, one, sizeof(one)))
		return false;
	if (second && is_trace(second, other, sizeof(other)))
		return one[0] != 0;
	end = strchr(one, '\n');
	if (end)
		*end = 0;
	return !strncmp(one, "#!", 2) && strstr(one, "perl");
}

/* Is WORD, the only one, a script?  It may not be there: then its name tells. */
static bool is_script_alone(const char *word)
{
	size_t len = strlen(word);
	char head[128];

	if (is_script_first(word, NULL))
		return true;
	return len > 3 && !strcmp(word + len - 3, ".pl") && !is_trace(word, head, sizeof(head));
}

/*
 * Behind the first word an option is read as what should stand there.  Behind the script all words
 * are the script's, and "--" says itself that none is an option.
 */
static bool check_order(struct cli *c, const struct zedperl *z, int *status)
{
	bool traces = zedperl_mode(z) || z->reduce || z->jobs || (z->code && !c->ninputs_i);
	int n = z->live || (c->ninputs_i && !traces) ? 0 : traces ? c->nargs : 2;

	for (int i = 1; i < n && i < c->nargs && strcmp(c->args[i], "--"); i++) {
		const char *word = c->args[i];

		if (word[0] != '-' || !word[1] || access(word, F_OK) == 0)
			continue;
		if ((!strcmp(word, "--help") || !strcmp(word, "-h")) &&
		    is_script_alone(c->args[0])) {
			*status = topic_show(c, c->args[0]);
			return false;
		}
		/* It stands alone before its words. */
		if (i == 1 && !traces && installed_alone(c->args[0]))
			return true;
		if (cli_is_option(c, word) || zedperl_mode(z) || z->code)
			*status = cli_usage(c, true, "%s behind %s: options stand before TRACE",
					    word, c->args[0]);
		else
			*status = cli_usage(c, true,
					    "%s behind %s is no option of zedperl, and a script's "
					    "stand behind %s: zedperl %s %s",
					    word, c->args[0], traces ? "--" : "it", zedperl_form(z),
					    word);
		return false;
	}
	return true;
}

/* Where nothing runs, all words are traces.  A script among them was meant for another run. */
static bool check_traces(struct cli *c, const struct zedperl *z, int *status)
{
	for (unsigned i = 0; i < c->ninputs; i++) {
		const char *word = c->inputs[i];
		size_t len = strlen(word);
		char head[128];

		if (is_trace(word, head, sizeof(head)) ||
		    !((len > 3 && !strcmp(word + len - 3, ".pl")) ||
		      (!strncmp(head, "#!", 2) && strstr(head, "perl"))))
			continue;
		*status = cli_usage(c, false, "%s: %s runs no script: leave it out%s%s%s%s", word,
				    zedperl_mode(z), z->export ? ", then zedperl " : "",
				    z->export ? z->export : "", z->export ? " " : "",
				    z->export ? word : "");
		return false;
	}
	return true;
}

/*
 * Words behind the script are its own; a trace among them was perhaps meant to be read (SCRIPT
 * *.dat), so it is reported where it goes.
 */
static void say_arguments(struct cli *c, const struct zedperl *z, int at)
{
	const char *first = NULL;
	unsigned n = 0;

	for (; at < c->nargs; at++)
		if (source_is_trace(c->args[at]) && !n++)
			first = c->args[at];
	if (n > 1)
		cli_say(c,
			"%u traces behind the script (%s, ...) are arguments of %s: to read "
			"them too, write -i before each trace, and the script last",
			n, first, z->script);
	else if (n)
		cli_say(c,
			"%s behind the script is an argument of %s: to read it too, zedperl -i "
			"%s -i %s %s",
			first, z->script, c->inputs[0], first, z->script);
}

/* A script may be meant by its name alone; and scripts may use the modules that come with it. */
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
	if (!z->script || !strcmp(z->script, "-"))
		return;
	z->found = installed_find(z->script);
	if (z->found)
		z->script = z->found;
}

/* --live: from the first "--" behind the script on, or DASHED, the words are a command's. */
static void take_command(struct cli *c, int at, bool dashed)
{
	while (!dashed && at < c->nargs && strcmp(c->args[at], "--"))
		at++;
	if (!dashed && at == c->nargs)
		return;
	c->command = c->args + at + !dashed;
	c->nargs = at;
}

static bool check_command(struct cli *c, const struct zedperl *z, int *status)
{
	struct err e;

	if (c->command && !*c->command)
		*status = cli_usage(c, true,
				    "no command behind --: zedperl --live SCRIPT -- COMMAND");
	else if (session_words_check(&z->run.words, c->command, &e) < 0)
		*status = cli_usage(c, true, "%s", e.msg);
	else
		return true;
	return false;
}

/* A name with .dat or without, as source_open() takes it. */
static bool is_there(const char *path)
{
	char other[4096];

	snprintf(other, sizeof(other), "%s.dat", path);
	return access(path, F_OK) == 0 || access(other, F_OK) == 0;
}

/* Is WORD, the first, a command of other tools?  False: *STATUS is set. */
static bool check_command_word(struct cli *c, const char *word, int *status)
{
	const char *instead = foreign_command(word);

	if (!instead || is_there(word) || is_script_name(word))
		return true;
	*status = cli_usage(c, true, "%s: there is no such trace: %s", word, instead);
	return false;
}

/* One WORD, and it is no script.  Returns the status. */
static int say_no_words(struct cli *c, const char *word)
{
	char *near = strchr(word, '/') ? NULL : installed_near(word);
	int status;

	if (is_there(word) || !strcmp(word, "-"))
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

/* No trace is named: that of this folder, as zedprint does.  False: *STATUS is set. */
static bool take_trace_here(struct cli *c, struct zedperl *z, int *status)
{
	const char *script = z->script ? z->script : "SCRIPT", *mode = zedperl_mode(z);
	const char *code = z->code && z->argc > 2 && !strcmp(z->argv[z->argc - 2], "-e") ?
				   z->argv[z->argc - 1] :
				   NULL;

	if (code && access(code, F_OK) == 0)
		*status = cli_usage(c, true,
				    "-e takes Perl code, and %s is a file: zedperl -e CODE %s",
				    code, code);
	else if (!mode && !z->code && !z->script)
		*status = cli_usage(c, true,
				    "no trace and no script given: zedperl TRACE SCRIPT (zedperl "
				    "--scripts lists those that come with it, zedtrace records)");
	else if (access("trace.dat", F_OK) == 0)
		cli_input(c, "trace.dat");
	else if (mode)
		*status = cli_usage(c, true,
				    "no trace given, and there is no trace.dat here: zedperl "
				    "%s%s TRACE",
				    mode, z->export ? " FILE" : "");
	else if (z->code)
		*status = cli_usage(c, true,
				    "no trace given, and there is no trace.dat here: zedperl -e "
				    "CODE TRACE");
	else
		*status = cli_usage(c, true,
				    "no trace given, and there is no trace.dat here: zedperl "
				    "TRACE %s",
				    script);
	return c->ninputs > 0;
}

/* Words behind --live SCRIPT: a trace among them was meant to be read.  False: *STATUS is set. */
static bool check_live_words(struct cli *c, const struct zedperl *z, int at, int *status)
{
	for (; at < c->nargs; at++)
		if (source_is_trace(c->args[at])) {
			*status = cli_usage(c, true,
					    "%s is a trace, and --live reads this kernel: zedperl "
					    "%s %s runs the script on it",
					    c->args[at], c->args[at], z->script);
			return false;
		}
	return true;
}

/* Sort the words that are no options.  False: *STATUS is set. */
static bool sort_words(struct cli *c, struct zedperl *z, int *status)
{
	int at = 0;

	if (!zedperl_together(c, z, status) || !check_order(c, z, status))
		return false;
	if (z->live && z->check)
		return true;
	if (z->reduce || z->jobs) {
		if (!z->code && c->nargs)
			z->script = c->args[at++];
		z->files = c->args + at;
		while (at < c->nargs && strcmp(c->args[at], "--")) {
			at++;
			z->nfiles++;
		}
		if (at < c->nargs)
			at++;
	} else if (z->live) {
		if (!z->code && c->nargs)
			z->script = c->args[at++];
		take_command(c, at, z->code && c->dashes);
	} else if (z->code || zedperl_mode(z)) {
		for (; at < c->nargs && !(c->ninputs_i && z->code) && strcmp(c->args[at], "--");
		     at++)
			if (!z->starter)
				cli_input(c, c->args[at]);
			else if (!starter_word(&z->starter_for, c, at, status))
				return false;
		if (at < c->nargs && !strcmp(c->args[at], "--"))
			at++;
	} else if (c->ninputs_i) {
		if (at < c->nargs)
			z->script = c->args[at++];
	} else if (c->nargs && installed_alone(c->args[0])) {
		if (z->map) {
			*status = cli_usage(c, false, "%s reads no trace itself: it has no state",
					    c->args[0]);
			return false;
		}
		z->alone = true;
		z->script = c->args[at++];
	} else if (c->nargs == 1 && is_script_alone(c->args[0])) {
		z->script = c->args[at++];
	} else if (c->nargs) {
		const char *first = c->args[0], *second = c->nargs > 1 ? c->args[1] : NULL;

		if (!check_command_word(c, first, status))
			return false;
		if (is_script_first(first, second)) {
			z->script = first;
			first = second;
			second = z->script;
		}
		if (first)
			cli_input(c, first);
		z->script = second;
		at = c->nargs > 1 ? 2 : 1;
	}
	if (z->live && !z->script && !z->code) {
		*status =
			cli_usage(c, true,
				  "no script given: zedperl --live SCRIPT (zedperl --scripts lists "
				  "those that come with it)");
		return false;
	}
	if (z->live && !check_command(c, z, status))
		return false;
	if (!c->ninputs && !z->live && !z->alone && !z->reduce && !z->jobs &&
	    !take_trace_here(c, z, status))
		return false;
	if (zedperl_mode(z) && !check_traces(c, z, status))
		return false;
	if (!z->script && !z->code && (z->reduce || z->jobs)) {
		*status = cli_usage(c, true, "no script given: zedperl %s", zedperl_form(z));
		return false;
	}
	if (!z->script && !z->code && !zedperl_mode(z)) {
		*status = say_no_words(c, c->inputs[0]);
		return false;
	}
	if (z->script && (z->reduce || z->jobs) && installed_alone(z->script)) {
		*status = cli_usage(c, false, "%s reads no trace itself: it has no states",
				    z->script);
		return false;
	}
	if (z->script && !z->alone && installed_alone(z->script)) {
		*status = cli_usage(c, true,
				    "%s reads neither a trace nor --live itself: it is the first "
				    "word, zedperl %s ANALYSIS...",
				    z->script, z->script);
		return false;
	}
	if (z->script && z->live && source_is_trace(z->script)) {
		*status = cli_usage(c, true,
				    "%s is a trace, and --live takes only a SCRIPT: it "
				    "reads this kernel",
				    z->script);
		return false;
	}
	if (z->script && (z->jobs || z->reduce) &&
	    (source_is_trace(z->script) || states_is_one(z->script))) {
		*status = cli_usage(c, true,
				    "%s is a %s, and a script should stand there: zedperl %s",
				    z->script, states_is_one(z->script) ? "state" : "trace",
				    zedperl_form(z));
		return false;
	}
	if (z->script && source_is_trace(z->script)) {
		*status = cli_usage(c, true,
				    "%s is a trace, and a script should stand there: "
				    "several traces are written -i %s -i %s SCRIPT",
				    z->script, c->inputs[0], z->script);
		return false;
	}
	if (z->script && z->live && !check_live_words(c, z, at, status))
		return false;
	if (z->script && !c->ninputs_i && !z->live && !z->alone && !z->reduce && !z->jobs)
		say_arguments(c, z, at);
	find_script(z);
	zedperl_arg(z, mem_strdup("--"));
	if (z->script)
		zedperl_arg(z, mem_strdup(z->script));
	while (at < c->nargs)
		zedperl_arg(z, mem_strdup(c->args[at++]));
	return true;
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
static bool check_script(struct cli *c, const struct zedperl *z, int *status)
{
	const char *script = z->script;
	char other[256];
	struct stat st;

	if (!script || !strcmp(script, "-"))
		return true;
	*status = CLI_USAGE;
	if (z->live && access(script, F_OK) < 0 && c->nargs > 1 && access(c->args[1], R_OK) == 0)
		cli_say(c, "%s: no such script; events are named in the option: --live=%s %s",
			script, script, c->args[1]);
	else if (stat(script, &st) < 0)
		say_no_script(c, script, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		cli_say(c, "%s: is a directory, not a Perl script", script);
	else if (access(script, R_OK) < 0)
		cli_say(c, "%s: cannot read the script: %s", script, strerror(errno));
	else if (notperl_is(script, other))
		cli_say(c,
			"%s: is a script for %s, and zedperl runs perl's (zedperl help "
			"coming-from)",
			script, other);
	else
		return true;
	return false;
}

bool zedperl_words(struct cli *c, struct zedperl *z, int *status)
{
	return sort_words(c, z, status) && check_script(c, z, status);
}
