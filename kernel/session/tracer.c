// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracer: has one of the kernel's tracers (function, function_graph) write into a session's
 * instance, or says why this kernel does not.
 */
#include "kernel/session/session_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is NAME a word of TEXT? */
static bool has_word(const char *text, const char *name)
{
	size_t len = strlen(name);

	for (const char *at = text; *at; at += strspn(at, " \n")) {
		size_t word = strcspn(at, " \n");

		if (word == len && !memcmp(at, name, len))
			return true;
		at += word;
	}
	return false;
}

/* What available_tracers of DIR has, on one line; "" if it cannot be read.  To be freed. */
static char *offered(const char *dir)
{
	struct err none;
	char *text = tracefs_text(dir, "available_tracers", NULL, &none);

	if (!text)
		return mem_strdup("");
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Why the kernel did not take NAME, with errno WHY, and what to do. */
static int refused(const struct session *s, const char *name, int why, struct err *e)
{
	char *here = offered(s->dir), *top = offered(s->root);
	const char *advice;

	if (has_word(here, name))
		advice = "a policy of this kernel forbids it (lockdown, a sandbox, "
			 "kernel.ftrace_enabled): without --tracer, events can be recorded";
	else if (has_word(top, name))
		advice = "only the top instance has it: set it up there, and record that with "
			 "zedtrace --instance .";
	else
		advice = "this kernel was built without it: without --tracer, events can be "
			 "recorded";
	err_set(e, ERR_SYS, ERR_NO_OFF,
		"%s/current_tracer: the kernel refuses the tracer %.60s: %s", s->dir, name,
		strerror(why));
	err_more(e, "available_tracers there: %.100s; of the top instance: %.100s",
		 *here ? here : "none", *top ? top : "none");
	err_more(e, "%s", advice);
	free(here);
	free(top);
	return -1;
}

/* Write the functions that match GLOBS, if any are given, to FILE. */
static int set_functions(const struct session *s, const char *file, const char *globs,
			 struct err *e)
{
	if (!globs || tracefs_write(s->dir, file, globs, e) == 0)
		return 0;
	if (e->sys == EINVAL)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%s/%s: no function matches '%.200s' "
			       "(%s/available_filter_functions lists them)",
			       s->dir, file, globs, s->root);
	if (e->sys == ENOENT)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "%s/%s: no such file: instances of this kernel cannot filter "
			       "functions by it",
			       s->dir, file);
	return err_more(e, "without --tracer events are recorded");
}

/* set_event_pid chooses events only; functions have a list of their own. */
static int set_tasks(const struct session *s, const struct session_opts *o, struct err *e)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/set_ftrace_pid", s->dir);
	for (unsigned i = 0; i < s->numbers.npids; i++) {
		int fd = open(path, O_WRONLY | O_CLOEXEC | (i ? O_APPEND : O_TRUNC));
		int rc = fd < 0 ? -1 : dprintf(fd, "%d ", (int)s->numbers.pids[i]);

		if (rc < 0)
			err_sys(e, ERR_NO_OFF, "cannot trace functions of process %d only",
				(int)s->numbers.pids[i]);
		if (fd >= 0)
			close(fd);
		if (rc < 0)
			return err_path(e, path);
	}
	if (s->numbers.npids && o->children)
		return tracefs_write(s->dir, "options/function-fork", "1", e);
	return 0;
}

int session_set_tracer(struct session *s, const struct session_opts *o, struct err *e)
{
	const struct session_tracer *t = &o->tracer;
	char pid[32];
	struct err none;

	if (!t->name)
		return 0;
	TRY(set_functions(s, "set_ftrace_filter", t->functions, e));
	TRY(set_functions(s, "set_ftrace_notrace", t->notrace, e));
	TRY(set_functions(s, "set_graph_function", t->graph, e));
	TRY(set_tasks(s, o, e));
	/* Reading the trace calls functions, too; kernels before 5.8 cannot exclude them. */
	snprintf(pid, sizeof(pid), "%d", (int)s->numbers.self);
	if (s->numbers.self)
		tracefs_write(s->dir, "set_ftrace_notrace_pid", pid, &none);
	if (tracefs_write(s->dir, "current_tracer", t->name, e) < 0)
		return refused(s, t->name, e->sys, e);
	return 0;
}
