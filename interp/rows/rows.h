/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_ROWS_ROWS_H
#define ZED_INTERP_ROWS_ROWS_H

#include "interp/perl/perl_inc.h"
#include "analysis/aggregate/aggregate.h"

/*
 * An aggregate as Perl data.  A row is an array: the key (an array of its parts; undef: other), the
 * number of events, and by kind:
 *
 *	count			nothing more
 *	sum			the sum
 *	min, max, avg		that number
 *	stats			sum, min, max, mean, variance
 *	hist, lhist		min, max, an array of buckets: [from, to, events]; from or to is
 *				undef where lhist has no limit there
 *	quantiles		the same, and the number at each of the percents
 *	top			an array of records: [value, ts, cpu, sequence, source, fields...]
 *
 * Sums that exceed 64 bits are floating-point numbers.
 */

/*
 * The row of VALUE, one of agg_list(); PERCENTS: of AGG_QUANTILES, or NULL.  Owned by the caller.
 */
AV *rows_row(pTHX_ const struct aggregate *a, const void *value, AV *percents);

/*
 * The value with that key of spec.nby scalars, or NULL: numbers as such or in text, sets as
 * "0,2-5".
 */
void *rows_find(pTHX_ const struct aggregate *a, SV **key);

#endif
