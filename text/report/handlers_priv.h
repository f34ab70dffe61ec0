/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REPORT_HANDLERS_PRIV_H
#define ZED_TEXT_REPORT_HANDLERS_PRIV_H

#include "base/outbuf.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/report/report_handlers.h"

/*
 * The functions of the table in report_handlers.c, each in the file of its subsystem: for this
 * folder only.  Each appends the text of EV, whose fields were looked up by the table.
 */
#define HANDLER(name) \
	void name(const struct own *own, const struct event *ev, struct outbuf *o, size_t max)

/* The number in field I; 0 if the machine's format does not have it. */
static inline uint64_t handler_number(const struct own *own, unsigned i, const struct event *ev)
{
	return own->field[i] ? field_scalar(own->field[i], ev) : 0;
}

/* ---- sched.c: they also supply task names ---- */

HANDLER(sched_switch);
HANDLER(sched_wakeup);

/* ---- function.c ---- */

HANDLER(function_call);
HANDLER(function_repeats);
HANDLER(graph_entry);
HANDLER(graph_exit);

/* ---- report_ftrace.c: what a user or the kernel writes into the trace, and stacks ---- */

HANDLER(kernel_stack);
HANDLER(raw_data);
HANDLER(printk_binary);
HANDLER(printk_string);

/* ---- timer.c ---- */

HANDLER(hrtimer_start);
HANDLER(hrtimer_expire);

/* ---- kmem.c ---- */

HANDLER(kmem_caller);

/* ---- futex.c ---- */

HANDLER(futex_enter);

#endif
