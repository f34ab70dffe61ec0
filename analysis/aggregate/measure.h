/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_MEASURE_H
#define ZED_ANALYSIS_AGGREGATE_MEASURE_H

#include "analysis/aggregate/aggregate.h"
#include "expr/value.h"

/*
 * What an aggregate takes from an event: formulas for the key, the number, and the fields kept by
 * AGG_TOP.  Parsed once (the plan), bound to each type of events (a measure), run for each event.
 */
struct measure_texts {
	const char *value; /* NULL for AGG_COUNT */
	const char *const *by;
	unsigned nby;
	const char *const *fields; /* AGG_TOP: fields kept besides ts, cpu, seq and comm */
	unsigned nfields;
};

#define MEASURE_FIELDS (KEY_PARTS - 1)

struct measure_plan;
struct measure;

/*
 * The plan for an aggregate like SPEC, whose nby and nfields are set here; AT and N as for
 * agg_new().  BASE: ns subtracted from all times (--relative), read for each event; borrowed.  NULL
 * with E if a formula is invalid, or a number is wrong.
 */
struct measure_plan *measure_plan_new(struct agg_spec *spec, const struct measure_texts *texts,
				      const char *at, const uint64_t *base, struct notes *n,
				      struct err *e);
void measure_plan_free(struct measure_plan *p); /* NULL is fine */

/* Borrowed from P. */
struct aggregate *measure_plan_aggregate(const struct measure_plan *p);

/*
 * The formulas of P: the value, the parts of the key, the fields that are kept; NULL: no more.  A
 * type that lacks the value is not counted, one that lacks another has undef there.
 */
const char *measure_plan_text(const struct measure_plan *p, unsigned i, bool *is_value);
/* Can formula I of P be computed for T (resolved)?  -1 with E. */
int measure_plan_check(const struct measure_plan *p, unsigned i, const struct etype *t,
		       struct err *e);

/*
 * Does formula I read only fields that T promises, though this trace may have no values for them?
 */
bool measure_plan_promised(const struct measure_plan *p, unsigned i, const struct etype *t);

/* Bind P (borrowed) to T (resolved).  NULL with E: T lacks the value. */
struct measure *measure_new(struct measure_plan *p, const struct etype *t, struct err *e);
void measure_free(struct measure *f); /* NULL is fine */

/* Does F read names or cgroups of tasks, which are those of the current time of the run? */
bool measure_has_names(const struct measure *f);

/* Count EV, an event of the type. */
void measure_take(struct measure *f, const struct event *ev);

#endif
