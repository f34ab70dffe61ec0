/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_CLOCK_H
#define ZED_RING_CLOCK_H

#include "base/bytes.h"

/*
 * Converts the ring buffer's time stamps to displayed times (format.md 1.9): TIME_SHIFT, then
 * TSC2NSEC, then DATE and OFFSET.  All arithmetic wraps modulo 2^64.
 */
struct clock_sample {
	int64_t time, offset, scaling;
	uint32_t fraction;
};

struct clock_cpu {
	struct clock_sample *v; /* sorted by time, times are distinct */
	unsigned n;
};

struct clock {
	bool raw; /* convert nothing */
	bool interpolate;
	struct clock_cpu *cpus; /* TIME_SHIFT; NULL without */
	unsigned ncpus;
	uint32_t mult, shift; /* TSC2NSEC; mult 0: none */
	int64_t offset;	      /* ns: 1000 * DATE + OFFSET */
};

/*
 * The displayed time of stamp TS of CPU (its index in the buffer's machine); ns, if the clock
 * counts ns.
 */
uint64_t clock_apply(const struct clock *c, int cpu, uint64_t ts);

/*
 * The same for a watermark: 0 (unknown) and UINT64_MAX (nothing follows) are unchanged; one that
 * would be before time 0 is unknown.
 */
uint64_t clock_watermark(const struct clock *c, int cpu, uint64_t watermark);

/* Does clock_apply() only add the offset, for that CPU? */
bool clock_is_offset(const struct clock *c, int cpu);

/*
 * Options of trace.dat.  Each takes the option's payload; -1 with E for an invalid payload, which
 * then has no effect.
 */
int clock_date(struct clock *c, struct cursor payload, struct err *e);
int clock_offset(struct clock *c, struct cursor payload, struct err *e);
int clock_time_shift(struct clock *c, struct cursor payload, struct err *e);
int clock_tsc2nsec(struct clock *c, struct cursor payload,
		   struct err *e); /* shipped, or the RFC's 12 bytes */

void clock_fini(struct clock *c);

/* Does the trace clock of that name count ns (so that it is shown in seconds)? format.md 1.10 */
bool clock_in_seconds(const char *clock);

#endif
