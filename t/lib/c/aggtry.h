/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_AGGTRY_H
#define ZED_AGGTRY_H

#include "analysis/aggregate/aggregate.h"

/* Numbers that are the same in each run. */
static uint64_t draw_state = 0x243f6a8885a308d3;

static inline uint64_t draw(void)
{
	draw_state ^= draw_state << 13;
	draw_state ^= draw_state >> 7;
	draw_state ^= draw_state << 17;
	return draw_state;
}

static struct key scratch;

/* The value of the key of one number. */
static inline void *value_at(struct aggregate *a, uint64_t v, bool is_signed)
{
	key_begin(&scratch);
	key_number(&scratch, v, is_signed);
	return agg_value(a, scratch.w, key_end(&scratch));
}

#endif
