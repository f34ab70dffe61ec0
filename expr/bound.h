/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_BOUND_H
#define ZED_EXPR_BOUND_H

#include "expr/expr_priv.h"
#include "expr/test.h"
#include "expr/value.h"
#include "trace/names/errnos.h"
#include "trace/names/syscalls.h"

/* The output of binding, which runs execute: places of values, comparisons, rows of steps. */

/* Where in an event a name's value is. */
struct place {
	uint8_t op; /* OP_U32 ... OP_INSTANCE; OP_TEXT: the event's name */
	uint8_t side;
	uint32_t off;		   /* of a field, bytes */
	const struct field *field; /* or NULL */
	struct machine *machine;
};

/* A comparison of a place with a constant. */
struct comparison {
	struct place place; /* its op may also be OP_BITS, OP_CONST or OP_STEPS */
	uint8_t op;
	bool is_and;	    /* a number passes if it has any of the bits of num */
	bool outside;	    /* otherwise if it is in num ... num + span; with this, if it is not */
	uint16_t yes, no;   /* in a test: the next comparison, or how it ends */
	uint32_t len;	    /* of str, bytes; of bits, words */
	uint64_t num, span; /* OP_CONST: num is 0 or 1 */
	union {
		const char *str;
		const uint64_t *bits;  /* CPUS{}; for a number: is it in that set */
		const struct row *row; /* OP_STEPS */
	};
};

#define EXPR_DIGITS 24 /* bytes for a number of 64 bits, or the two of a device, in text */

/* A number as text.  The last one is cached: it seldom changes from record to record. */
struct digits {
	uint64_t num;
	uint32_t len; /* 0: none yet */
	char text[EXPR_DIGITS];
};

struct expr_step {
	uint8_t op;		 /* an op of struct place, or OP_COMPARISON and up */
	bool a_signed, b_signed; /* of the operands, for division and comparison */
	bool strings;		 /* OP_EQ, OP_NE: compare strings */
	uint32_t len;
	uint64_t num;
	const char *text;
	struct place place;	       /* for functions: only the machine */
	const struct comparison *test; /* OP_COMPARISON */
	const void *names;	       /* OP_SYSCALL: struct sysnames; OP_ERRNO: struct errnos */
	struct digits *digits;	       /* for functions: buffer for a number */
};

/* Steps that leave one value on a stack. */
struct row {
	unsigned n;
	struct expr_step steps[];
};

/* Common to everything bound from one expression. */
struct bound {
	const uint64_t *base; /* of expr_names */
	struct sysnames sysnames;
	struct errnos errnos;
	struct arena arena;
};

/* A bound value; other files only see its head. */
struct bound_value {
	struct expr_value head; /* must be first */
	struct bound bound;
	struct row row; /* must be last */
};

/* All of a bound test: a row of comparisons with two jumps each. */
struct bound_test {
	struct expr_test head; /* must be first */
	struct expr *own;      /* expr_test_new(): the expression, owned */
	struct bound bound;
	unsigned n;
	uint16_t entry;
	struct comparison comparisons[];
};

#define ACCEPT UINT16_MAX
#define REJECT (UINT16_MAX - 1)

/* ---- binding ---- */

struct binder {
	struct bound *to;
	const struct expr *x;
	const struct etype *const *types;
	enum pseudo_scope scope;
	struct row *row; /* under construction */
	unsigned held;	 /* values on its stack */
	bool lacks;	 /* a type lacks a field */
	bool has_names;	 /* names or cgroups of tasks are read */
	struct err *e;
};

#define expr_at(b, n, ...) expr_complain((b)->e, (b)->x->text, (n)->at, __VA_ARGS__)

/* What is known about a value before there is a record. */
struct kind {
	bool is_string, is_signed;
	uint8_t means;
	bool is_number; /* an OP_NUMBER */
	uint64_t unit;	/* OP_NUMBER: its value; MEANS_BUCKET: ns */
	const struct field *field;
	/* A number in a place: its size in bytes, and sign. */
	uint8_t size;
	bool has_sign;
};

/* Find name N (OP_NAME).  -1 with E: its type has no such field, or one that has no value. */
int place_bind(struct binder *b, const struct expr_node *n, struct place *p, struct kind *k);
/*
 * Report that N (OP_NAME) is not a field, in a comparison with number LEFT or (NULL) anywhere.
 * Returns -1.
 */
int place_missing(struct binder *b, const struct expr_node *n, const struct expr_node *left);
/* "sched:sched_switch": the text of a place's OP_TEXT; *LEN gets its length. */
const char *place_event(struct binder *b, const struct etype *t, uint32_t *len);

/*
 * The meaning of bare word N in a comparison with A, of kind K: N itself as a text, or the number
 * or expression.  NULL with E.  Other nodes are returned unchanged.
 */
const struct expr_node *comparison_right(struct binder *b, const struct expr_node *a,
					 const struct kind *k, const struct expr_node *n);
/* Is N, with operator OP_LT ... OP_GLOB or OP_AND, a comparison of a name with a constant?  1: yes,
 * in C.  0: no.  -1 with E. */
int comparison_bind(struct binder *b, const struct expr_node *n, struct comparison *c);
/* Make C test that the number of name N is not 0.  -1 with E: it is not a number. */
int comparison_bind_truth(struct binder *b, const struct expr_node *n, struct comparison *c);
/* Bytes of the steps of a row for N. */
size_t row_size(const struct expr_node *n);
/* Write the steps of N to ROW, which is zeroed.  -1 with E. */
int row_bind(struct binder *b, const struct expr_node *n, struct row *row, struct kind *k);
void bound_fini(struct bound *b);

/* ---- running ---- */

bool comparison_run(const struct comparison *c, const struct event *ev, const uint64_t *base);
/* Does the string S pass C? */
bool comparison_string(const struct comparison *c, const char *s, size_t len);
void row_run(const struct row *row, const struct event *const *ev, const uint64_t *base,
	     struct expr_result *out);

/* The value in EV of P, which is a number. */
static inline uint64_t place_number(const struct place *p, const struct event *ev,
				    const uint64_t *base)
{
	const uint64_t sec = 1000000000;

	switch (p->op) {
	case OP_U32:
		return field_load(ev->data + p->off, 4, false);
	case OP_S32:
		return (uint64_t)field_load_signed(ev->data + p->off, 4, false);
	case OP_U64:
		return field_load(ev->data + p->off, 8, false);
	case OP_CPU:
		return (uint64_t)ev->cpu;
	case OP_PID:
		return (uint64_t)ev->pid;
	case OP_TS:
		return ev->ts - *base;
	case OP_SECS:
		return (ev->ts - *base) / sec;
	case OP_NSECS:
		return (ev->ts - *base) % sec;
	case OP_SEQUENCE:
		return ev->seq;
	case OP_SOURCE:
		return ev->from->source;
	default:
		return field_scalar(p->field, ev);
	}
}

/* The value in EV of P, which is a string. */
void place_string(const struct place *p, const struct event *ev, const char **s, uint32_t *len);

#endif
