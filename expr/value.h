/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_VALUE_H
#define ZED_EXPR_VALUE_H

#include "base/chars16.h"
#include "expr/expr.h"
#include "trace/event.h"
#include "trace/field.h"

enum expr_kind { EXPR_NUMBER, EXPR_STRING };

/* The meaning of a number, for printing. */
enum expr_means {
	MEANS_NOTHING,
	MEANS_TIME,   /* ns: a time, or a difference of times */
	MEANS_BUCKET, /* the number of a span of `unit` ns: "ts/10ms" */
};

/* An expression bound to types, for its value.  Only this head is public. */
struct expr_value {
	uint8_t kind, means; /* enum expr_kind, expr_means */
	bool is_signed;	     /* an EXPR_NUMBER */
	uint64_t unit;	     /* MEANS_BUCKET: ns */
	/* The number's size in the record, bytes, and its sign there; computed: 8. */
	uint8_t size;
	bool has_sign;
	/*
	 * The expression is just this field: gives the number's size and labels, and whether a
	 * string is text (FIELD_STR) or bytes (FIELD_BYTES, FIELD_ARRAY, FIELD_BITMASK).  Else
	 * NULL, and a string is text.
	 */
	const struct field *field;
	/*
	 * A plain number of a record, or the event's time or task, is loaded inline; so is a string
	 * of 16 bytes in every record (expr_value_chars16()).
	 */
	enum {
		VALUE_LONG,
		VALUE_CHARS16,
		VALUE_S32,
		VALUE_U32,
		VALUE_U64,
		VALUE_TS,
		VALUE_PID,
		VALUE_CPU,
	} quick;
	uint32_t off; /* bytes from the start of the record */
	uint8_t side;
};

/* Its value for an event. */
struct expr_result {
	uint64_t num;	 /* EXPR_NUMBER; signed ones in two's complement */
	const char *str; /* EXPR_STRING: len bytes, may lack a NUL ... */
	uint32_t len;	 /* ... borrowed until the next event, or run of the value */
};

/*
 * Bind N of X (both borrowed: they must outlive the result) to the types of its records (resolved;
 * with one record types[1] is not looked at).  NULL with E (as expr_complain() makes it) where a
 * type has no such field, or has it with a kind that cannot be computed with.
 */
struct expr_value *expr_value_bind(const struct expr *x, const struct expr_node *n,
				   const struct etype *const *types, struct err *e);
void expr_value_free(struct expr_value *v);

/* The value V, of any kind, for events EV of the types that it was bound to. */
void expr_value_run(const struct expr_value *v, const struct event *const *ev,
		    struct expr_result *out);

/* The value V, an EXPR_NUMBER. */
static inline uint64_t expr_value_number(const struct expr_value *v, const struct event *const *ev)
{
	const struct event *of = ev[v->side];
	struct expr_result r;

	switch (v->quick) {
	case VALUE_S32:
		return (uint64_t)field_load_signed(of->data + v->off, 4, false);
	case VALUE_U32:
		return field_load(of->data + v->off, 4, false);
	case VALUE_U64:
		return field_load(of->data + v->off, 8, false);
	case VALUE_TS:
		return of->ts;
	case VALUE_PID:
		return (uint64_t)of->pid;
	case VALUE_CPU:
		return (uint64_t)of->cpu;
	case VALUE_LONG:
	case VALUE_CHARS16:
		break;
	}
	expr_value_run(v, ev, &r);
	return r.num;
}

/* The value V, which is VALUE_CHARS16. */
static inline struct chars16 expr_value_chars16(const struct expr_value *v,
						const struct event *const *ev)
{
	return chars16_load(ev[v->side]->data + v->off);
}

#endif
