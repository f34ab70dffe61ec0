/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_FUNCTION_TRACE_H
#define ZED_READER_TEXT_FUNCTION_TRACE_H

struct tep_event;
struct tep_handle;

/*
 * The events of the function tracers, printed by handlers of our own: those that trace-cmd has
 * beside libtraceevent's plugins, and the indentation of its function plugin, whose cost has no
 * bound.
 */

/* Which function was last seen at which depth, for each CPU.  Zero-initialise. */
struct functrace {
	struct functrace_cpu *cpus;
	unsigned ncpus;
};

void functrace_fini(struct functrace *ft);

/* Have TEP print funcgraph_entry and funcgraph_exit in our way. */
void functrace_register(struct tep_handle *tep);

/* If a plugin prints ftrace:function or ftrace:func_repeats, let it be us. */
void functrace_take(struct functrace *ft, struct tep_event *event);

#endif
