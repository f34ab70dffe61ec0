/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_CHOOSE_LIMIT_H
#define ZED_RUN_CHOOSE_LIMIT_H

#include "run/stage.h"

/*
 * A stage that lets only the first, or only the last, events of the trace through (--head, --tail),
 * each with all that is made of it (stage.rest), which does not count, and the losses among them.
 * Of an event that is not given itself the first that is made of it counts.  The last ones are
 * copied and kept, in LIMIT_BYTES at most, and given when there are no more, however that came; the
 * name of an event's own task is then still that of its time.
 */
#define LIMIT_EVENTS 1000000u	 /* of the trace, that can be kept */
#define LIMIT_BYTES (256u << 20) /* of all that is kept, what describes it included */

struct limit;

/* HEAD, or TAIL (at most LIMIT_EVENTS), is not 0.  FROM and N are borrowed. */
struct limit *limit_new(uint64_t head, uint64_t tail, struct stage *from, struct notes *n);
void limit_free(struct limit *l);

/* What to ask for what comes through: RUN_STOPPED is the end when no more of the first ones may. */
struct stage *limit_stage(struct limit *l);

#endif
