/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CHOOSE_LIMIT_H
#define ZED_READER_CHOOSE_LIMIT_H

#include "reader/model/sink.h"

/*
 * A stage before a sink that lets only the first, or only the last, events through (--head,
 * --tail), with the losses among them.  The last ones are copied and kept, in LIMIT_BYTES at most,
 * and given when there are no more; the name of an event's own task is then still that of its time.
 */
#define LIMIT_EVENTS 1000000u	 /* that can be kept */
#define LIMIT_BYTES (256u << 20) /* of all that is kept, what describes it included */

struct limit;

/* HEAD, or TAIL (at most LIMIT_EVENTS), is not 0.  N is borrowed. */
struct limit *limit_new(uint64_t head, uint64_t tail, struct notes *n);
void limit_free(struct limit *l);

/* The sink to give events to; what comes through goes to TO (borrowed). */
struct sink *limit_sink(struct limit *l, struct sink *to);

/* Have as many events come through as may?  (always false for the last ones) */
bool limit_is_full(const struct limit *l);

/*
 * Give what is kept: after the last event.  The sink's end() does it by itself; to be called where
 * nobody calls that.  Goes on behind the event given last, if TO left it by a longjmp.
 */
enum verdict limit_flush(struct limit *l, struct err *e);

#endif
