/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FLIGHT_NEWEST_H
#define ZED_RECORD_FLIGHT_NEWEST_H

#include "record/output.h"

/*
 * An output before another one: of the sub-buffers that it is given it passes on those with an
 * event that is young enough, and tells how far back these reach.
 */
struct newest {
	struct output base; /* must be first; ops: splice and page alone */
	struct output *to;  /* borrowed */
	uint32_t page_size, page_head;
	uint8_t *page;
	uint64_t since;		/* sub-buffers whose last event is earlier are left out */
	uint64_t first;		/* time of the first one passed on; UINT64_MAX: none */
	uint64_t events, older; /* passed on; left out */
	uint64_t own;		/* of those passed on: what our process caused */
};

void newest_init(struct newest *n, struct output *to, const struct session *s, uint64_t since);
void newest_fini(struct newest *n);

#endif
