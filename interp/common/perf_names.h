/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_PERF_NAMES_H
#define ZED_INTERP_COMMON_PERF_NAMES_H

#include "trace/chain_frame.h"
#include "trace/event.h"

/*
 * What perf's calling convention has in all languages: the arguments of a handler, the names of
 * tasks and files.
 */

/* The arguments before the fields. */
enum perf_lead {
	PERF_EVENT_NAME,
	PERF_CONTEXT,
	PERF_CPU,
	PERF_SECS,
	PERF_NSECS,
	PERF_PID,
	PERF_COMM,
	PERF_CHAIN,
	PERF_LEAD, /* how many there are */
};

/*
 * A handler has N variables, called NAMES.  Are they names of the arguments for an event of T
 * (resolved), in their order, but at other places?  Then a field was added or removed since it was
 * written, or it is of the time before call chains.  Names in another order are the author's own.
 * LAST: the name of an argument after the fields, or NULL.  AT[i] becomes the number of the
 * argument for the I-th variable, or -1; without a difference it is I.
 */
bool perf_args_moved(const struct etype *t, const char *last, const char *const *names, unsigned n,
		     int *at);

/*
 * The value that the field NAME of T always had in kernels that had it (Linux 4.3 to 5.13), if
 * this one does not: success of wakeups.  NULL: none is known.
 */
const int *perf_value_gone(const struct etype *t, const char *name);

/*
 * perf's name for the task of EV, borrowed from it or BUF: "swapper" is the idle one, and one
 * without a name is called by its number.
 */
#define PERF_TASK_BUF 16
const char *perf_task_name(const struct event *ev, char buf[PERF_TASK_BUF]);

/*
 * The name of the file that the code of F is of, borrowed from it or BUF: "[kernel.kallsyms]",
 * "[module]", or F's file.  NULL: it is not known.
 */
#define PERF_FILE_BUF 520
const char *perf_file_name(const struct chain_frame *f, bool kernel, char buf[PERF_FILE_BUF]);

#endif
