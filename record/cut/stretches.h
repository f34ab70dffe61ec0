/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_CUT_STRETCHES_H
#define ZED_RECORD_CUT_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stretches of time that were chosen, in any order, overlapping or not; zero-initialise. */
struct times {
	struct stretch *v;
	size_t n, cap, at;
};

/* From FROM to TO, both included. */
void times_add(struct times *t, uint64_t from, uint64_t to);

/* To be called once when all have been added, before the functions below. */
void times_settle(struct times *t);

/* Is TS in one of them?  Fast if times come roughly in order. */
bool times_have(struct times *t, uint64_t ts);

/* From the first to the last; false: there are none. */
bool times_ends(const struct times *t, uint64_t *from, uint64_t *to);

void times_fini(struct times *t);

#endif
