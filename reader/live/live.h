/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LIVE_LIVE_H
#define ZED_READER_LIVE_LIVE_H

#include "kernel/session/session.h"
#include "trace/source.h"

/*
 * A tracing session as a source: its per-CPU files are read without blocking, page by page.  A CPU
 * that has nothing answers PULL_WAIT with a watermark o->slack before the time at which it was
 * asked.
 *
 * stop() (struct source_ops) switches tracing off and reads what is left, then PULL_EOF.
 *
 * Takes over S (also on failure, when it is closed).  The caller starts it: session_start() after
 * everything that has to be ready for the first event.  NULL with E.
 */
struct source *live_open(struct session *s, struct catalog *c, const struct source_opts *o,
			 struct err *e);

/*
 * How many of the events of S, about, our own process caused; *EVENTS: all that were read; *UNTIL:
 * when tracing was stopped, or now (CLOCK_MONOTONIC, ns).
 */
uint64_t live_own(const struct source *s, uint64_t *events, uint64_t *until);

#endif
