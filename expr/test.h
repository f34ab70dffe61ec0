/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_TEST_H
#define ZED_EXPR_TEST_H

#include "base/err.h"
#include "expr/expr.h"
#include "trace/event.h"
#include "trace/field.h"
#include "trace/pseudo.h"

/* The meaning of names that are not fields; NULL: the default (no base, PSEUDO_ALL). */
struct expr_names {
	enum pseudo_scope scope;
	const uint64_t
		*base; /* ns subtracted from ts, secs and nsecs (--relative); borrowed, or NULL */
};

/* An expression of one record bound to its type, as a test (`where`, -F): passes if it is not 0. */
struct expr_test {
	/* A single comparison of a number, by far the most common, is inlined. */
	enum { TEST_LONG, TEST_S32, TEST_U32, TEST_U64 } quick;
	uint32_t off;	/* of the field in the record, bytes */
	bool has_names; /* compares names or cgroups of tasks, which depend on the time */
	bool is_and;	/* passes if the number has one of the bits of num */
	bool outside;	/* otherwise if it is in num ... num + span; with this, if it is not */
	uint64_t num, span;
};

/*
 * Bind X (borrowed: it must outlive the result) to T (resolved).  NULL with E (as expr_complain()
 * makes it) when T lacks a field or has it with a kind that the expression cannot use; *LACKS is
 * set in the first case.
 */
struct expr_test *expr_test_bind(const struct expr *x, const struct etype *t,
				 const struct expr_names *names, bool *lacks, struct err *e);
/* The same for TEXT. */
struct expr_test *expr_test_new(const char *text, const struct etype *t,
				const struct expr_names *names, bool *lacks, struct err *e);
void expr_test_free(struct expr_test *w);
/* Run all of W, whatever its form. */
bool expr_test_run(const struct expr_test *w, const struct event *ev);

/* Arithmetic modulo 2^64 works for signed numbers too. */
static inline bool expr_test_number(bool is_and, bool outside, uint64_t num, uint64_t span,
				    uint64_t v)
{
	return is_and ? (v & num) != 0 : (v - num <= span) != outside;
}

/* Does EV, of the type that W was made for, pass? */
static inline bool expr_test_pass(const struct expr_test *w, const struct event *ev)
{
	const uint8_t *p = ev->data + w->off;
	uint64_t v;

	if (w->quick == TEST_S32)
		v = (uint64_t)field_load_signed(p, 4, false);
	else if (w->quick == TEST_U64)
		v = field_load(p, 8, false);
	else if (w->quick == TEST_U32)
		v = field_load(p, 4, false);
	else
		return expr_test_run(w, ev);
	return expr_test_number(w->is_and, w->outside, w->num, w->span, v);
}

#endif
