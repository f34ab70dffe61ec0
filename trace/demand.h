/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_DEMAND_H
#define ZED_TRACE_DEMAND_H

#include <stdbool.h>
#include <stdint.h>

/* What the consumer of a run asks for the events of a type: catalog_want(). */
enum wanted {
	WANT_NO,
	WANT_ORDER,  /* in the order of the merge: of a type for which nothing was asked, too */
	WANT_EARLY,  /* in any order: pump_early() */
	WANT_BEYOND, /* in order, and outside of what is asked for as well (NEXT_BEYOND) */
};

/*
 * What a run does with the events of a type (struct etype): what was asked for them, and what
 * follows from it for streams, as some events name tasks as well (comm_event.h), and are read for
 * that.
 */
struct demand {
	uint8_t asked; /* enum wanted */
	bool skip;     /* streams count its records and go on */
	bool early;    /* streams give them to stream.early */
	bool beyond;   /* a window of time does not hold for it */
};

#endif
