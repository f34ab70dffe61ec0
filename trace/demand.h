/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_DEMAND_H
#define ZED_TRACE_DEMAND_H

#include <stdbool.h>
#include <stdint.h>

/* What the consumer of a run wants of a type's events: catalog_want(). */
enum wanted {
	WANT_NO,
	WANT_ORDER,  /* in the order of the merge; the default */
	WANT_EARLY,  /* in any order: pump_early() */
	WANT_BEYOND, /* in order, and also outside the requested window (NEXT_BEYOND) */
};

/*
 * What a run does with the events of a type (struct etype): the request, and what streams do as a
 * result: events that name tasks (comm_event.h) may be read for the names only.
 */
struct demand {
	uint8_t asked; /* enum wanted */
	bool skip;     /* streams count its records and skip them */
	bool early;    /* streams give them to stream.early */
	bool beyond;   /* the time window does not apply to it */
};

#endif
