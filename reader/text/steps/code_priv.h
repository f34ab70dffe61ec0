/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_STEPS_CODE_PRIV_H
#define ZED_READER_TEXT_STEPS_CODE_PRIV_H

#include "reader/text/steps/code.h"

/* For code.c, which makes operations, functions.c, which makes those of calls, and evaluate.c. */

enum {
	OP_CONST,
	OP_LOAD,  /* size bytes at offset arg of the record */
	OP_SPAN,  /* the address of a field's bytes */
	OP_LEN,	  /* how many these are */
	OP_INDEX, /* item: address, index -> number */
	OP_SHIFT, /* address, number of bytes -> address */
	OP_CONV,  /* to size bytes, extended anew */
	OP_BSWAP, /* size bytes the other way round */
	OP_BOOL,  /* 1 if it is not 0 */
	OP_NOT,	  /* 1 if it is 0 */
	OP_NEG,
	OP_INVERT,
	OP_JZ, /* to arg, if it is 0 */
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

/* Note WHY unless something was wrong before.  Returns false. */
bool code_fail(struct code *c, const char *why);

/* Append an operation; DEPTH: what it does to the height of the stack. */
struct op *code_emit(struct code *c, int op, int depth);
void code_sized(struct code *c, int op, int depth, struct ctype t);
void code_const(struct code *c, uint64_t v);

/* The address of F's items. */
struct ctype code_items(const struct field *f);

/* Append what leaves the value of N on the stack; *T: its type. */
bool code_value(struct code *c, const struct pf_node *n, struct ctype *t);

/* The same for a call. */
bool code_function(struct code *c, const struct pf_node *n, struct ctype *t);

#endif
