/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_STEPS_CODE_H
#define ZED_READER_TEXT_STEPS_CODE_H

#include "base/mem.h"
#include "reader/model/field.h"
#include "reader/text/printfmt/tree.h"
#include "reader/text/steps/ctype.h"

/*
 * Expressions of a print format as a row of operations on a small stack.  Values are 64 bits,
 * extended as their C type says; addresses of the record are a pointer with the bytes behind it.
 */
#define CODE_STACK 40 /* values at once */
#define CODE_MAX 4096 /* operations of a print format */

/* Where a step has a value from. */
struct operand {
	enum { OPERAND_NONE, OPERAND_CONST, OPERAND_FIELD, OPERAND_CODE } from;
	uint8_t size; /* FIELD */
	bool is_signed, swap;
	struct ctype type;
	uint32_t off;	/* FIELD: in the record.  CODE: its first operation */
	uint32_t end;	/* CODE: behind its last */
	uint64_t value; /* CONST */
};

struct value {
	uint64_t v;
	const uint8_t *p; /* an address: len bytes of the record stand there */
	uint32_t len;
};

struct op {
	uint8_t op, size;
	bool is_signed, swap;
	uint32_t arg;
	union {
		uint64_t imm;
		const struct field *field;
	} u;
};

/* The operations of all expressions of one type. */
struct code {
	const struct etype *type;
	struct op *ops;
	size_t cap;
	unsigned n, depth;
	uint32_t need;	 /* a record has to be at least so long */
	struct op spare; /* written to where there is no room */
	const char *why; /* what cannot be compiled */
	bool untold;	 /* it is a value that only the traced kernel knew */
};

/* Append what computes N.  False, with code->why: it cannot be. */
bool code_compile(struct code *c, const struct pf_node *n, struct operand *out);

/* The field that a helper names by a bare word: __get_str(name).  NULL, with code->why: none. */
const struct field *code_field(struct code *c, const struct pf_node *n);

/* The field whose bytes O is, if it is nothing else; or NULL. */
const struct field *code_only_field(const struct code *c, const struct operand *o);

/* Run operations; division by zero gives 0, and what lies outside of the record is 0. */
struct value code_run(const struct op *ops, const struct operand *o, const struct event *ev);

/* The number O for EV. */
static inline uint64_t operand_number(const struct op *ops, const struct operand *o,
				      const struct event *ev)
{
	switch (o->from) {
	case OPERAND_FIELD:
		return o->is_signed ?
			       (uint64_t)field_load_signed(ev->data + o->off, o->size, o->swap) :
			       field_load(ev->data + o->off, o->size, o->swap);
	case OPERAND_CODE:
		return code_run(ops, o, ev).v;
	default:
		return o->value;
	}
}

#endif
