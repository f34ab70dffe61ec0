/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_FILTER_PROGRAM_H
#define ZED_READER_FILTER_PROGRAM_H

#include "base/err.h"
#include "reader/model/event.h"
#include "reader/model/field.h"
#include "reader/model/pseudo.h"

struct expr;

/* What names that are no fields may mean; NULL for what is of no use (no base, PSEUDO_ALL). */
struct program_names {
	enum pseudo_scope scope;
	const uint64_t
		*base; /* ns that ts, secs and nsecs are less (--relative); borrowed, or NULL */
};

/*
 * One expression (`where` of Zed::on, -F) compiled for one type: its fields, and pseudo fields
 * (pseudo.h; event is "sched:sched_switch").  NULL with E.  Names that T lacks are an error
 * (e->kind ERR_USAGE) whose text names the nearest one.  T must be resolved.
 */
struct program {
	/* A single comparison of a number, by far the most common, is made inline. */
	enum { WHERE_LONG, WHERE_S32, WHERE_U32, WHERE_U64 } quick;
	uint32_t off;	/* of the field in the record, bytes */
	bool has_names; /* compares names of tasks, which depend on the time */
	bool is_and;	/* passes if the number has one of the bits of num */
	bool outside;	/* else if it is in num ... num + span; with this, if it is not */
	uint64_t num, span;
};

/*
 * Bind X (borrowed: it must outlive the result) to T (resolved).  NULL with E (as expr_new() gives
 * it) when T lacks a field or has it in a kind that the comparison cannot take; *LACKS is set in
 * the first case.
 */
struct program *program_bind(const struct expr *x, const struct etype *t,
			     const struct program_names *names, bool *lacks, struct err *e);
struct program *program_new(const char *expr, const struct etype *t,
			    const struct program_names *names, struct err *e);
/* The same; *LACKS: it failed because T lacks a field. */
struct program *program_try(const char *expr, const struct etype *t,
			    const struct program_names *names, bool *lacks, struct err *e);
void program_free(struct program *w);
/* Is EXPR an expression at all?  -1 with E. */
int program_syntax(const char *expr, struct err *e);
/* Run all of W, whatever its form. */
bool program_run(const struct program *w, const struct event *ev);

/* In arithmetic modulo 2^64, which works for signed numbers too. */
static inline bool program_number(bool is_and, bool outside, uint64_t num, uint64_t span,
				  uint64_t v)
{
	return is_and ? (v & num) != 0 : (v - num <= span) != outside;
}

/* Does EV, of the type that W was made for, pass? */
static inline bool program_pass(const struct program *w, const struct event *ev)
{
	const uint8_t *p = ev->data + w->off;
	uint64_t v;

	if (w->quick == WHERE_S32)
		v = (uint64_t)field_load_signed(p, 4, false);
	else if (w->quick == WHERE_U64)
		v = field_load(p, 8, false);
	else if (w->quick == WHERE_U32)
		v = field_load(p, 4, false);
	else
		return program_run(w, ev);
	return program_number(w->is_and, w->outside, w->num, w->span, v);
}

#endif
