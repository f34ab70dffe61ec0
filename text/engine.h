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
 * report does.  Made by our own engine (steps/).  A type is compiled when its first record comes.
 */
struct engine;

/* NOTES gets why the records of a type are shown raw; may be NULL. */
struct engine *engine_new(enum dialect dialect, struct notes *notes);
void engine_free(struct engine *k);

/*
 * Append the text of EV: what the kernel prints after the time, or, without NAMED, without the
 * name of the event before it.  Never fails: what cannot be printed shows its fields raw.  Bounded
 * by the length of the record.  There is no newline at its end, but there may be some within.
 */
void engine_put(struct engine *k, const struct event *ev, struct outbuf *o, bool named);

/* Write the flags column of EV to BUF, which has FLAGS_MAX bytes; returns its length. */
size_t engine_flags(struct engine *k, const struct event *ev, char *buf);

/*
 * What EV tells in the function graph of a report: that *FUNC is called, that it returns, or
 * nothing.
 */
enum graph engine_graph(struct engine *k, const struct event *ev, uint64_t *func);

/*
 * The name of PID as trace-cmd report shows it: that of the file, else what records that were
 * printed before have told, else "<...>".  For DIALECT_REPORT.
 */
const char *engine_report_comm(struct engine *k, struct machine *m, int32_t pid);

#endif
