// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracer: what is written into an instance for a tracer of the kernel, and what is said where the
 * kernel does not take it.  Needs no rights: the kernel is a directory.
 *
 * of: kernel/session/tracer.c
 */
#include "kernel/session/session_priv.h"
#include "t/lib/c/fake_tracefs.h"

#include <string.h>

static const char *const FILES[] = { "set_ftrace_filter",  "set_ftrace_notrace",
				     "set_graph_function", "set_ftrace_pid",
				     "current_tracer",	   "set_ftrace_notrace_pid",
				     "available_tracers",  "options/function-fork" };

static bool holds(const char *name, const char *want)
{
	struct err e;
	char *text = tracefs_text(fake_top, name, NULL, &e);
	bool same = text && !strcmp(text, want);

	if (!same)
		diag("%s: '%s'", name, text ? text : "not there");
	free(text);
	return same;
}

int main(void)
{
	pid_t pids[] = { 12, 345 };
	struct session_opts o = { .events = NULL };
	struct session s = { .made = false };
	struct err e;

	fake_begin();
	make_dir("options");
	for (unsigned i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++)
		make_file(FILES[i], "");
	make_file("available_tracers", "function_graph function nop\n");
	snprintf(s.dir, sizeof(s.dir), "%s", fake_top);
	snprintf(s.root, sizeof(s.root), "%s", fake_top);
	make_file("current_tracer", "nop\n");
	ok(session_set_tracer(&s, &o, &e) == 0 && holds("current_tracer", "nop\n"),
	   "without a tracer nothing is written");
	o.tracer = (struct session_tracer){ "function_graph", "vfs_* ksys_*", "*lock*", "do_sys*" };
	s.numbers.pids = pids;
	s.numbers.npids = 2;
	o.children = true;
	ok(session_set_tracer(&s, &o, &e) == 0, "a kernel that allows it");
	ok(holds("current_tracer", "function_graph"), "the tracer (else: nothing is recorded)");
	ok(holds("set_ftrace_filter", "vfs_* ksys_*") && holds("set_ftrace_notrace", "*lock*") &&
		   holds("set_graph_function", "do_sys*"),
	   "each choice of functions in its file (else: all functions fill the buffers)");
	ok(holds("set_ftrace_pid", "12 345 ") && holds("options/function-fork", "1"),
	   "the tasks of -P and -c (else: functions of all tasks come)");

	drop("set_graph_function");
	ok(session_set_tracer(&s, &o, &e) < 0 && says(&e, "/set_graph_function: no such file"),
	   "a choice that this kernel lacks is told (else: all functions come)");
	o.tracer.graph = NULL;
	drop("current_tracer");
	ok(session_set_tracer(&s, &o, &e) < 0 &&
		   says(&e,
			"/current_tracer: the kernel refuses the tracer function_graph: No such") &&
		   strstr(e.msg, "available_tracers there: function_graph function nop") &&
		   strstr(e.msg, "a policy of this kernel forbids it"),
	   "a refusal tells the file, the reason, what there is and what to do");
	o.tracer.name = "function_gra";
	ok(session_set_tracer(&s, &o, &e) < 0 && strstr(e.msg, "this kernel was built without it"),
	   "a part of a name is none");
	for (unsigned i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++)
		if (is_there(FILES[i]))
			drop(FILES[i]);
	drop("options");
	fake_end();
	return tap_done();
}
