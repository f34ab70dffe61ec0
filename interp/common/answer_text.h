/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_ANSWER_TEXT_H
#define ZED_INTERP_COMMON_ANSWER_TEXT_H

#include "base/outbuf.h"
#include "interp/common/answer_names.h"
#include "trace/loss.h"

/*
 * An aggregation as text, the same for every language: a table, or histograms with bars.
 */

/*
 * Append what is counted, of which event, in which unit, for which keys, as it was written: make it
 * plain (plain.h) before it is shown.
 */
void answer_title(const struct answer *v, struct outbuf *o);

/*
 * Append the first LIMIT rows as lines; how many more there are; what was LOST while they were
 * counted.  Plain.
 */
void answer_print(const struct answer *v, const struct losses *lost, size_t limit,
		  struct outbuf *o);

/* The title as a line, if it is not a part of what answer_print() gives; and then that. */
void answer_print_titled(const struct answer *v, const struct losses *lost, struct outbuf *o);

/*
 * Append the heading of the interval FROM to TO (ns; KNOWN: they are), or, TOTAL, of everything up
 * to TO: a line.
 */
void answer_heading(uint64_t from, uint64_t to, bool known, bool total, struct outbuf *o);

#endif
