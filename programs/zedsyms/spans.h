/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_SPANS_H
#define ZED_PROGRAMS_ZEDSYMS_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Ranges of addresses, each with a number.  Zero-initialise. */
struct code_span {
	uint64_t lo, hi; /* hi is exclusive */
	uint64_t reach;	 /* the greatest hi up to here */
	uint64_t value;
};

struct spans {
	struct code_span *v;
	size_t n, cap;
};

/* Add one, in any order; LO is below HI. */
void spans_add(struct spans *s, uint64_t lo, uint64_t hi, uint64_t value);

/* Before the first search. */
void spans_sort(struct spans *s);

/* The number of the smallest one that holds ADDRESS.  False: none. */
bool spans_find(const struct spans *s, uint64_t address, uint64_t *value);

#endif
