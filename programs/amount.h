/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_AMOUNT_H
#define ZED_PROGRAMS_AMOUNT_H

#include "base/err.h"

/* How much of a trace: bytes of its data, or a time.  One of the two is 0. */
struct amount {
	uint64_t bytes, ns;
};

/*
 * "64K", "100M", "2G" (bytes), or "10s", "500ms", "90min", "24h": always with a unit, as a bare 10
 * could be either.  -1 with E (ERR_USAGE); 0 is refused.
 */
int amount_parse(const char *text, struct amount *out, struct err *e);

/*
 * The buffer of a CPU, in KiB, for a session that keeps A (--flight): its share of the bytes; for a
 * time KB, or if that is 0 AMOUNT_FLIGHT_KB.
 */
#define AMOUNT_FLIGHT_KB 8192
unsigned amount_flight_kb(const struct amount *a, unsigned kb);

#endif
