/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_FORMULA_FORMULA_H
#define ZED_READER_FORMULA_FORMULA_H

#include "base/chars16.h"
#include "base/err.h"
#include "reader/model/event.h"
#include "reader/model/field.h"

/*
 * Formulas: what a user computes from the fields of a record ("bytes >> 9", "ts/10ms",
 * "symbol(ip)"), or of two ("end.ts - start.ts").
 *
 *	numbers   all of 64 bits: decimal, 0x, 0octal, with ns us ms s a time in ns ("1.5ms" too)
 *	strings   "..." and '...', for == and !=
 *	names     a field; else, whatever the type, a pseudo field (pseudo.h; event is
 *		  "sched:sched_switch")
 *	operators of C with its precedence: - ~ !  * / %  + -  << >>  < <= > >=  == !=  &  ^  |
 *		  && ||, and the words and, or, not
 *	functions log2(x): of the highest bit, -1 for 0 and less; symbol(x): the function or
 *		  object at that address; syscall(x): the call of that number, by the trace's
 *		  machine; errno(x): "ENOENT" of -2, as calls return errors; a positive number
 *		  is a result; dev(x): "8:16", the kernel's dev_t, which has 20 bits of minor
 *		  number.  What has no name is its number, in text
 *
 * As in C a number is signed, unless it comes from an unsigned field of 8 bytes: then an operation
 * with it is unsigned.  (Unsigned fields of fewer bytes fit into a signed number, and so do times.)
 * What overflows wraps.  x / 0 and x % 0 are 0; shifts by less than 0 or more than 63 leave 0, or
 * -1 of a negative number shifted right.  Comparisons give 0 or 1, the true answer for any signs.
 *
 * Parsed once, bound to types once, run for each record without an allocation.
 */
#define FORMULA_TEXT 4096  /* bytes of text */
#define FORMULA_NODES 1024 /* names, numbers and operators */
#define FORMULA_DEPTH 50   /* levels of parentheses, functions and signs */
#define FORMULA_STACK 32   /* values that are held at once */
#define FORMULA_SIDES 2

/* A parsed formula, or a part of one; knows no type of event. */
struct formula_text;
struct formula_node;

/*
 * Parse TEXT.  SIDES: what the records are called, FORMULA_SIDES of them ("start", "end", before a
 * dot); NULL: there is one record, and names stand alone.  NULL with E (as expr_complain() gives).
 */
struct formula_text *formula_parse(const char *text, const char *const *sides, struct err *e);
void formula_text_free(struct formula_text *x);

/* The whole of it. */
const struct formula_node *formula_top(const struct formula_text *x);
/* Is N "A && B", or "A == B"?  Then its two parts. */
bool formula_is_and(const struct formula_node *n, const struct formula_node **a,
		    const struct formula_node **b);
bool formula_is_equal(const struct formula_node *n, const struct formula_node **a,
		      const struct formula_node **b);
/* Do A and B, of the same record's name or of two formulas, say the same? */
bool formula_same(const struct formula_node *a, const struct formula_node *b);
/* The records that N reads: bit 0 the first, bit 1 the second. */
unsigned formula_reads(const struct formula_node *n);
/* The I-th name that X reads of record SIDE, in order and none twice; NULL: no more. */
const char *formula_name(const struct formula_text *x, unsigned side, unsigned i);

enum formula_kind { FORMULA_NUMBER, FORMULA_STRING };

/* What a number says, for those who print it. */
enum formula_means {
	MEANS_NOTHING,
	MEANS_TIME,   /* ns: a time, or a time between two */
	MEANS_BUCKET, /* the number of a span of `unit` ns: "ts/10ms" */
};

/* A formula bound to types.  Only the head is for others. */
struct formula {
	uint8_t kind, means; /* enum formula_kind, formula_means */
	bool is_signed;	     /* a FORMULA_NUMBER */
	uint64_t unit;	     /* MEANS_BUCKET: ns */
	/*
	 * It is this field and nothing else: says the number's size and its labels, and of a string
	 * whether it is text (FIELD_STR) or bytes (FIELD_BYTES, FIELD_ARRAY, FIELD_BITMASK).
	 * Else NULL, and a string is text.
	 */
	const struct field *field;
	/*
	 * A plain number of a record, or the event's time or task, is loaded inline; and so is a
	 * string that has 16 bytes in every record (formula_chars16()).
	 */
	enum {
		FORMULA_LONG,
		FORMULA_CHARS16,
		FORMULA_S32,
		FORMULA_U32,
		FORMULA_U64,
		FORMULA_TS,
		FORMULA_PID,
		FORMULA_CPU,
	} quick;
	uint32_t off; /* bytes from the start of the record */
	uint8_t side;
};

/* What a formula gives. */
struct formula_value {
	uint64_t num;	 /* FORMULA_NUMBER; signed ones in two's complement */
	const char *str; /* FORMULA_STRING: len bytes, no NUL promised ... */
	uint32_t len;	 /* ... borrowed until the next event, or run of the formula */
};

/*
 * Bind N of X (both borrowed: they must outlive the result) to the types of its records (resolved;
 * with one record types[1] is not looked at).  NULL with E (as expr_complain() makes it) where a
 * type has no such field, or has it in a kind that cannot be computed with.
 */
struct formula *formula_bind(const struct formula_text *x, const struct formula_node *n,
			     const struct etype *const *types, struct err *e);
void formula_free(struct formula *f);

/* The value of F, of any kind, for events EV of the types that it was bound to. */
void formula_run(const struct formula *f, const struct event *const *ev, struct formula_value *v);

/* The value of F, a FORMULA_NUMBER. */
static inline uint64_t formula_number(const struct formula *f, const struct event *const *ev)
{
	const struct event *of = ev[f->side];
	struct formula_value v;

	switch (f->quick) {
	case FORMULA_S32:
		return (uint64_t)field_load_signed(of->data + f->off, 4, false);
	case FORMULA_U32:
		return field_load(of->data + f->off, 4, false);
	case FORMULA_U64:
		return field_load(of->data + f->off, 8, false);
	case FORMULA_TS:
		return of->ts;
	case FORMULA_PID:
		return (uint64_t)of->pid;
	case FORMULA_CPU:
		return (uint64_t)of->cpu;
	case FORMULA_LONG:
	case FORMULA_CHARS16:
		break;
	}
	formula_run(f, ev, &v);
	return v.num;
}

/* The value of F, which is FORMULA_CHARS16. */
static inline struct chars16 formula_chars16(const struct formula *f, const struct event *const *ev)
{
	return chars16_load(ev[f->side]->data + f->off);
}

#endif
