/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LIVE_LIVE_H
#define ZED_READER_LIVE_LIVE_H

#include "kernel/session/session.h"
#include "trace/source.h"

/*
 * A tracing session as a source: its per-CPU files are read without blocking, page by page.  A CPU
 * that has nothing returns PULL_WAIT with a watermark o->slack before the time of the call.
 *
 * stop() (struct source_ops) switches tracing off; the rest is read, then PULL_EOF.
 *
 * Takes ownership of S (on failure it is closed).  The caller starts it with session_start(), once
 * everything is ready for the first event.  NULL with E.
 */
struct source *live_open(struct session *s, struct catalog *c, const struct source_opts *o,
			 struct err *e);

/*
 * Follow what processes have mapped, for the names of functions in the stacks of programs, which
 * the session records.  Before it is started.
 */
void live_follow_maps(struct source *s);

/*
 * The approximate number of events of S that our own process caused; *EVENTS: all that were read;
 * *UNTIL: when tracing was stopped, or now (CLOCK_MONOTONIC, ns).
 */
uint64_t live_own(const struct source *s, uint64_t *events, uint64_t *until);

/* SEE is called with a sub-buffer of each CPU that was read lately: LEN bytes at P. */
void live_sample(const struct source *s,
		 void (*see)(void *arg, int cpu, const uint8_t *p, uint32_t len), void *arg);

#endif
