/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_CHOOSE_LIMIT_H
#define ZED_RUN_CHOOSE_LIMIT_H

#include "run/stage.h"

/*
 * A stage that passes on only the first, or only the last, events of the trace (--head, --tail),
 * each with all events made from it (stage.rest), which do not count, and the losses among them.
 * If an event is not given itself, the first one made from it counts.  The last ones are copied and
 * kept, in LIMIT_BYTES at most, and given when the run has ended for any reason; the name of an
 * event's own task is then still that of its time.
 */
#define LIMIT_EVENTS 1000000u	 /* events of the trace that can be kept */
#define LIMIT_BYTES (256u << 20) /* of all that is kept, its description included */

struct limit;

/* HEAD, or TAIL (at most LIMIT_EVENTS), is not 0.  FROM and N are borrowed. */
struct limit *limit_new(uint64_t head, uint64_t tail, struct stage *from, struct notes *n);
void limit_free(struct limit *l);

/*
 * The stage to ask for what is passed on: RUN_STOPPED is the end when the first ones have all been
 * given.
 */
struct stage *limit_stage(struct limit *l);

/*
 * With TAIL: the time of the first event that was given by itself; UINT64_MAX: none was yet.  L may
 * be NULL.
 */
uint64_t limit_begin(const struct limit *l);

#endif
