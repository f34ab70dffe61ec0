/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_INTERVAL_H
#define ZED_INTERP_INTERVAL_H

#include "interp/api/sink.h"

/* --every: trace_interval() and the aggregations, again and again (interval_time.h). */

/* Call trace_interval, print the aggregations that no variable holds.  May leave by a die. */
void interval_tell(pTHX_ struct perlsink *ps);

/* After the last event: call trace_interval for the events since.  May leave by a die. */
void interval_end(pTHX_ struct perlsink *ps);

#endif
