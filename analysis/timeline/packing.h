/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_PACKING_H
#define ZED_ANALYSIS_TIMELINE_PACKING_H

#include "analysis/timeline/timeline.h"
#include "base/outbuf.h"

/*
 * An answer for a page (page/timeline-data.js): its tasks and types are numbers in two lists of
 * those that occur, and its single events are bytes.
 */

/* Maps numbers of tasks, or of types, to places in a list of the used ones. */
struct used_numbers {
	uint32_t *of; /* place + 1; 0: none yet */
	uint32_t *v;  /* the numbers by place */
	size_t n, cap;
};

/* NUMBER's place, a new one at its first use. */
uint32_t used_place(struct used_numbers *u, uint32_t number);

struct timeline_pack {
	struct used_numbers people, types;
	/*
	 * Seven columns, one after another, of the events in their order: kind, letter, lane,
	 * time since the event before (of the first: since the answer's start), who, other + 1,
	 * type + 1.  7 bits a byte, the low ones first; the last byte of a number is below 128.
	 */
	struct outbuf marks;
};

/* Pack A, of a catalog with NTYPES types.  The people of cells come first, in a->names' order. */
void timeline_pack_init(struct timeline_pack *p, const struct timeline_answer *a, unsigned ntypes);
void timeline_pack_fini(struct timeline_pack *p);

#endif
