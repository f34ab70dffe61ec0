/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_FUNCTION_TRACE_H
#define ZED_READER_TEXT_FUNCTION_TRACE_H

struct tep_event;
struct tep_handle;

/*
 * Our own handlers for the events of the function tracers.  They replace those that trace-cmd adds
 * to libtraceevent's plugins, and the plugin that indents functions, whose cost has no bound.
 */

/* Which function was last seen at which depth, for each CPU.  Zero-initialise. */
struct functrace {
	struct functrace_cpu *cpus;
	unsigned ncpus;
};

void functrace_fini(struct functrace *ft);

/* Make TEP print funcgraph_entry and funcgraph_exit by our handlers. */
void functrace_register(struct tep_handle *tep);

/* If a plugin prints EVENT and it is ftrace:function or ftrace:func_repeats, take its place. */
void functrace_take(struct functrace *ft, struct tep_event *event);

#endif
