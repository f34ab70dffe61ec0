/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_MERGE_H
#define ZED_RUN_MERGE_H

#include "trace/stream.h"

/*
 * Many streams into one, by (ts, order of opening).  The event handed out belongs to its stream,
 * which is advanced only in the next call, so its bytes may be used until then.
 */
struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *m);

/* Add a stream (borrowed).  If others have begun, its events may be late. */
void merge_add(struct merge *m, struct stream *s);

/*
 * The next event of all.  PULL_ERR: a piece of one stream is damaged (E names path, buffer and
 * CPU); call again to continue.  PULL_WAIT: every event that is there might still be preceded by
 * one of a stream that returned PULL_WAIT with an earlier watermark (stream.h).  Such a stream is
 * asked again only when the next event is later than its watermark, or there is none, and twice in
 * a call at most.
 */
enum pull merge_next(struct merge *m, const struct event **out, struct err *e);

/* The latest time of the events handed out; UINT64_MAX: there was none. */
uint64_t merge_last(const struct merge *m);

/* The time of the earliest event that is held back; UINT64_MAX: none is. */
uint64_t merge_held(const struct merge *m);

/*
 * After PULL_WAIT: calls EACH for each stream for which an event of another one is held back; it
 * has come as far as WATERMARK (ns).
 */
void merge_waits_for(const struct merge *m,
		     void (*each)(void *arg, const struct stream *s, uint64_t watermark),
		     void *arg);

/*
 * From now on others do not wait for S, or no longer (ASIDE false).  It is asked as before, and its
 * events are given as they come, possibly late.
 */
void merge_set_aside(struct merge *m, struct stream *s, bool aside);

/* After PULL_WAIT: no event of this time or earlier will come any more (ns); 0: not known yet. */
uint64_t merge_over(const struct merge *m);

/* The stream whose damage the last PULL_ERR reported. */
const struct stream *merge_failed(const struct merge *m);

/*
 * Of the streams that have an event, the next one of the Ith, in no order, the one that was handed
 * out last among them; NULL: there are no more.  So losses are known before they are given.
 */
const struct event *merge_ahead(const struct merge *m, unsigned i);

/* Is S not at its end yet? */
bool merge_has(const struct merge *m, const struct stream *s);

/*
 * Events that came earlier than one given before (of another CPU: live; of the same: odd clocks).
 */
uint64_t merge_late(const struct merge *m);

#endif
