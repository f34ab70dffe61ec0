/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_ENGINE_H
#define ZED_TEXT_ENGINE_H

#include "base/err.h"
#include "base/outbuf.h"
#include "trace/event.h"
#include "text/flags.h"
#include "text/steps/tracers.h"

/*
 * One event as text: as the kernel itself prints it in `trace` and `trace_pipe`, or as trace-cmd
 * report does.  Uses our own engine (steps/).  A type is compiled at its first record.
 */
struct engine;

/* NOTES gets the reasons why records of a type are shown raw; may be NULL. */
struct engine *engine_new(enum dialect dialect, struct notes *notes);
void engine_free(struct engine *k);

/*
 * Append the text of EV: what the kernel prints after the time, or, without NAMED, without the name
 * of the event before it.  Never fails: an event that cannot be formatted shows its raw fields.
 * Bounded by the length of the record.  It does not end with a newline, but may contain some.
 */
void engine_put(struct engine *k, const struct event *ev, struct outbuf *o, bool named);

/* Write the flags column of EV to BUF, which has FLAGS_MAX bytes; returns its length. */
size_t engine_flags(struct engine *k, const struct event *ev, char *buf);

/* The meaning of EV in the function graph of a report: *FUNC is called, *FUNC returns, or none. */
enum graph engine_graph(struct engine *k, const struct event *ev, uint64_t *func);

/*
 * The name of PID as trace-cmd report shows it: from the file, else from records printed before,
 * else "<...>".  For DIALECT_REPORT.
 */
const char *engine_report_comm(struct engine *k, struct machine *m, int32_t pid);

#endif
