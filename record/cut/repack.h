/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_CUT_REPACK_H
#define ZED_RECORD_CUT_REPACK_H

#include "trace/event.h"

#include "base/err.h"
#include "trace/ring_place.h"

/*
 * Chosen records of one CPU as sub-buffers of a ring buffer (format.md 4): a sub-buffer whose
 * records were all chosen is kept as it is; other records are put one after the other into new
 * ones, with their times.
 */
struct pack;

/* PAGE is called with each sub-buffer when it is whole; layout is borrowed.  Never NULL. */
struct pack *pack_new(const struct page_layout *layout,
		      int (*page)(void *arg, const uint8_t *p, struct err *e), void *arg);
void pack_free(struct pack *k);

/*
 * The next record: EV, which has a place (ring_place.h).  LOST events were lost before it: its own
 * losses and those before records that were not chosen; LOST_UNKNOWN: some.  -1 with E.
 */
int pack_record(struct pack *k, const struct event *ev, uint32_t lost, struct err *e);

/* There are no more records. */
int pack_end(struct pack *k, struct err *e);

#endif
