/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_MAP_H
#define ZED_STABLE_MAP_H

#include "stable/catalogue.h"

/*
 * A stable event on one raw type of a trace: resolved once against the fields, the print format and
 * the machine that the trace describes (never against a kernel's version), then run for each
 * record: it writes the promised fields, in the open form of layout.h, into a buffer of its own.
 */
struct stable_map;

/*
 * Which "from" line of EV takes T: the first that names T, unless T's source describes an earlier
 * alternative of that line.  -1: none; also if T's source has a raw event of EV's own name, which
 * wins, or if T was made from a stable description.
 */
int stable_takes(const struct stable_event *ev, const struct catalog *c, const struct etype *t);

/*
 * Does the source of machine S describe a raw event of EV's own name (one that is not from a stable
 * description)?
 */
bool stable_is_shadowed(const struct stable_event *ev, const struct catalog *c,
			const struct machine *s);

/*
 * Resolve EV on T, for which stable_takes() returned FROM (T gets resolved).  NULL with E
 * (ERR_USAGE), whose message says why EV is not available: "sched:sched_wakeup has no field 'pid'".
 * EV and C must outlive it.
 */
struct stable_map *stable_map_new(const struct stable_event *ev, struct catalog *c, unsigned from,
				  const struct etype *t, struct notes *n, struct err *e);
void stable_map_free(struct stable_map *m);

/*
 * Can the source of machine S supply records of EV?  False: BUF says why not, in one line: no such
 * raw event (and EV->gone), a field that is missing, a raw event of that name.
 */
bool stable_available(const struct stable_event *ev, struct catalog *c, const struct machine *s,
		      char *buf, size_t size);

/*
 * The type of its events: EV's system, name and fields, all resolved; idx, id and machine are the
 * raw type's.  Lives as long as the map.
 */
const struct etype *stable_map_type(const struct stable_map *m);

/*
 * The stable event of the record RAW: ts, cpu, seq, pid, lost, from and off are RAW's.  NULL: the
 * "where" of its source rejects the record.  Borrowed until the next call on M.  No allocation once
 * the longest strings have been seen.
 */
const struct event *stable_map_event(struct stable_map *m, const struct event *raw);

/* Does M use task names, which depend on the current time? */
bool stable_map_has_names(const struct stable_map *m);

/*
 * What field I is made from in this trace: "prev_pid", "letter(prev_state): 1 S, 2 D, ..., else R",
 * "1 (sched_wakeup has no field 'success')", "nothing: ..."; borrowed from M.
 */
const char *stable_map_source(const struct stable_map *m, unsigned i);

#endif
