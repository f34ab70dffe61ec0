/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_CLOCK_H
#define ZED_RING_CLOCK_H

#include "base/bytes.h"

/*
 * From the ring buffer's time stamps to the times that are shown (format.md 1.9): TIME_SHIFT, then
 * TSC2NSEC, then DATE and OFFSET.  All arithmetic wraps modulo 2^64.
 */
struct clock_sample {
	int64_t time, offset, scaling;
	uint32_t fraction;
};

struct clock_cpu {
	struct clock_sample *v; /* by time, no two of the same */
	unsigned n;
};

struct clock {
	bool raw; /* leave everything as it is */
	bool interpolate;
	struct clock_cpu *cpus; /* TIME_SHIFT; NULL without */
	unsigned ncpus;
	uint32_t mult, shift; /* TSC2NSEC; mult 0: none */
	int64_t offset;	      /* ns: 1000 * DATE + OFFSET */
};

/*
 * The shown time of stamp TS of CPU (its index in the buffer's machine); ns, where the clock has
 * ns.
 */
uint64_t clock_apply(const struct clock *c, int cpu, uint64_t ts);

/*
 * The same of a watermark: 0, none is known, stays 0, and UINT64_MAX, nothing comes, as it is; one
 * that would lie before time 0 is none.
 */
uint64_t clock_watermark(const struct clock *c, int cpu, uint64_t watermark);

/* Is clock_apply() no more than the addition of offset, for that CPU? */
bool clock_is_offset(const struct clock *c, int cpu);

/*
 * Options of trace.dat.  Each takes the option's payload; -1 with E for a payload that makes no
 * sense, which then has no effect.
 */
int clock_date(struct clock *c, struct cursor payload, struct err *e);
int clock_offset(struct clock *c, struct cursor payload, struct err *e);
int clock_time_shift(struct clock *c, struct cursor payload, struct err *e);
int clock_tsc2nsec(struct clock *c, struct cursor payload,
		   struct err *e); /* shipped, or the RFC's 12 bytes */

void clock_fini(struct clock *c);

/* Is a trace clock of that name counted in ns (so that it is shown in seconds)? format.md 1.10 */
bool clock_in_seconds(const char *clock);

#endif
