// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * args: the words of zedperl's command line that are no options: which are traces, which is the
 * script, what are its arguments.  Refuses what makes no sense together before anything is opened.
 */
#include "base/mem.h"
#include "programs/zedperl/installed.h"
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

/* Does the file begin like a trace.dat? */
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
	return n >= (ssize_t)sizeof(magic) && !memcmp(head, magic, sizeof(magic));
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
	if (is_trace(first, one, sizeof(one)))
		return false;
	if (second && is_trace(second, other, sizeof(other)))
		return one[0] != 0;
	end = strchr(one, '\n');
	if (end)
		*end = 0;
	return !strncmp(one, "#!", 2) && strstr(one, "perl");
}

/* The option that asks for a job without a script; NULL: a script runs. */
static const char *mode_name(const struct zedperl *z)
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
	if (!z->live)
		return z->live_only ? "--slack, --buffer and --clock are for --live: a recording "
				      "has its own" :
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
	if (z->check && (z->run.events || c->nargs || z->live_only))
		return "--stable-check --live looks at what this kernel offers and records "
		       "nothing: "
		       "it takes no events, no other words and no --slack, --buffer or --clock";
	if (c->ninputs_i)
		return "--live reads this kernel and no file: -i has no place beside it";
	if (z->code && !z->run.events)
		return "-e has no file in which events could be looked up: name them, "
		       "--live=EVENTS";
	return NULL;
}

/* Options that cannot be together.  False: *STATUS is set. */
static bool check_together(struct cli *c, const struct zedperl *z, int *status)
{
	int modes = z->starter + z->list + z->check + (z->export != NULL);
	const char *wrong;

	if ((z->list || z->starter || z->check) && (c->head || c->tail))
		wrong = "--head and --tail choose what a script is given: -t, -g and "
			"--stable-check look at all";
	else if ((z->list || z->starter || z->check) && c->ndefined)
		wrong = "--synthetic makes events for a script or an export: -t, -g and "
			"--stable-check look at what the trace has";
	else if (modes && z->cut)
		wrong = "--cut keeps what a script marks (Zed::keep), and there is none: zedprint "
			"--cut FILE cuts by options";
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
	return !wrong;
}

/*
 * Behind the first word an option is read as what should stand there.  Behind the script all words
 * are the script's, and "--" says itself that none is an option.
 */
static bool check_order(struct cli *c, const struct zedperl *z, int *status)
{
	bool traces = mode_name(z) || (z->code && !c->ninputs_i);
	int n = z->live || (c->ninputs_i && !traces) ? 0 : traces ? c->nargs : 2;

	for (int i = 1; i < n && i < c->nargs && strcmp(c->args[i], "--"); i++) {
		const char *word = c->args[i];

		if (word[0] != '-' || !word[1] || access(word, F_OK) == 0)
			continue;
		*status = cli_usage(c, true, "%s behind %s: options stand before TRACE", word,
				    c->args[0]);
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
				    mode_name(z), z->export ? ", then zedperl " : "",
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

/* Sort the words that are no options.  False: *STATUS is set. */
static bool sort_words(struct cli *c, struct zedperl *z, int *status)
{
	int at = 0;

	if (!check_together(c, z, status) || !check_order(c, z, status))
		return false;
	if (z->live && z->check)
		return true;
	if (z->live) {
		if (!z->code && c->nargs)
			z->script = c->args[at++];
		else if (c->nargs && !strcmp(c->args[0], "--"))
			at++;
	} else if (z->code || mode_name(z)) {
		while (at < c->nargs && !(c->ninputs_i && z->code) && strcmp(c->args[at], "--"))
			cli_input(c, c->args[at++]);
		if (at < c->nargs && !strcmp(c->args[at], "--"))
			at++;
	} else if (c->ninputs_i) {
		if (at < c->nargs)
			z->script = c->args[at++];
	} else if (c->nargs && installed_alone(c->args[0])) {
		z->alone = true;
		z->script = c->args[at++];
	} else if (c->nargs) {
		const char *first = c->args[0], *second = c->nargs > 1 ? c->args[1] : NULL;

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
		*status = cli_usage(c, true, "no script given: zedperl --live SCRIPT");
		return false;
	}
	if (!c->ninputs && !z->live && !z->alone) {
		const char *script = z->script && is_script_name(z->script) ? z->script : "SCRIPT";

		*status = cli_usage(c, true, "no trace given: zedperl %s%sTRACE%s%s",
				    mode_name(z) ? mode_name(z) : "",
				    z->export	 ? " FILE " :
				    mode_name(z) ? " " :
						   "",
				    mode_name(z) ? "" : " ", mode_name(z) ? "" : script);
		return false;
	}
	if ((z->check || z->export) && !check_traces(c, z, status))
		return false;
	if (!z->script && !z->code && !mode_name(z)) {
		*status = cli_usage(c, true,
				    "no script given: zedperl %s SCRIPT, or -g for one "
				    "to start with",
				    c->inputs[0]);
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
	if (z->script && source_is_trace(z->script)) {
		*status = cli_usage(c, true,
				    "%s is a trace, and a script should stand there: "
				    "several traces are written -i %s -i %s SCRIPT",
				    z->script, c->inputs[0], z->script);
		return false;
	}
	if (z->script && !c->ninputs_i && !z->live && !z->alone)
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
	else
		return true;
	return false;
}

bool zedperl_words(struct cli *c, struct zedperl *z, int *status)
{
	return sort_words(c, z, status) && check_script(c, z, status);
}
