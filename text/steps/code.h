/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_CODE_H
#define ZED_TEXT_STEPS_CODE_H

#include "base/ctype.h"
#include "base/mem.h"
#include "trace/field.h"
#include "text/printfmt/tree.h"

/*
 * Expressions of a print format as a sequence of operations on a small stack.  Values are 64 bits,
 * extended by their C type; an address of the record is a pointer and the number of bytes after it.
 */
#define CODE_STACK 40 /* values at once */
#define CODE_MAX 4096 /* operations of a print format */

/* Where a step gets a value from. */
struct operand {
	enum { OPERAND_NONE, OPERAND_CONST, OPERAND_FIELD, OPERAND_CODE } from;
	uint8_t size; /* FIELD */
	bool is_signed, swap;
	struct ctype type;
	uint32_t off;	/* FIELD: offset in the record.  CODE: its first operation */
	uint32_t end;	/* CODE: after its last */
	uint64_t value; /* CONST */
};

struct value {
	uint64_t v;
	const uint8_t *p; /* an address: len bytes of the record are there */
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
	uint32_t need;	    /* the minimum length of a record */
	struct op spare;    /* written to if there is no room */
	const char *why;    /* why it cannot be compiled */
	const char *untold; /* its name, if only the traced kernel knew the value */
};

/* Append code that computes N.  False, with code->why: impossible. */
bool code_compile(struct code *c, const struct pf_node *n, struct operand *out);

/* The field that a helper names by a bare word: __get_str(name).  NULL, with code->why: none. */
const struct field *code_field(struct code *c, const struct pf_node *n);

/* The field, if O is just the bytes of a field; else NULL. */
const struct field *code_only_field(const struct code *c, const struct operand *o);

/* Run operations; division by zero gives 0, and data outside the record is 0. */
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

/* ---- shared by code.c, functions.c (calls) and evaluate.c (running) ---- */

enum {
	OP_CONST,
	OP_LOAD,  /* size bytes at offset arg of the record */
	OP_SPAN,  /* the address of a field's bytes */
	OP_LEN,	  /* the number of a field's bytes */
	OP_INDEX, /* item: address, index -> number */
	OP_SHIFT, /* address, number of bytes -> address */
	OP_CONV,  /* truncate to size bytes and extend */
	OP_BSWAP, /* swap size bytes */
	OP_BOOL,  /* 1 if it is not 0 */
	OP_NOT,	  /* 1 if it is 0 */
	OP_NEG,
	OP_INVERT,
	OP_JZ, /* jump to arg if it is 0 */
	OP_JUMP,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_SHL,
	OP_SHR,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_GT,
	OP_LE,
	OP_GE,
};

/* Note WHY unless there was an earlier error.  Returns false. */
bool code_fail(struct code *c, const char *why);

/* Append an operation; DEPTH: what it does to the height of the stack. */
struct op *code_emit(struct code *c, int op, int depth);
void code_sized(struct code *c, int op, int depth, struct ctype t);
void code_const(struct code *c, uint64_t v);

/* The address of F's items. */
struct ctype code_items(const struct field *f);

/* Append code that leaves the value of N on the stack; *T: its type. */
bool code_value(struct code *c, const struct pf_node *n, struct ctype *t);

/* The same for a call. */
bool code_function(struct code *c, const struct pf_node *n, struct ctype *t);

#endif
