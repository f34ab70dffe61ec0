// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tsc_clock: computes ns from a CPU's cycle counter.
 */
#include "reader/ltt/tsc_clock.h"

#include "base/ratio.h"

uint64_t ltt_clock_ns(const struct ltt_clock *c, uint64_t tsc)
{
	uint64_t ns;

	if (!c->den)
		return tsc;
	if (tsc >= c->zero) {
		ns = c->base + ratio(tsc - c->zero, c->num, c->den, false);
		return ns > INT64_MAX ? INT64_MAX : ns;
	}
	ns = ratio(c->zero - tsc, c->num, c->den, true);
	return ns > c->base ? 0 : c->base - ns;
}
