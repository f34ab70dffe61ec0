/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_EXPR_PRIV_H
#define ZED_EXPR_EXPR_PRIV_H

#include "base/mem.h"
#include "expr/expr.h"

#include <stdbool.h>

/* The tree that parse.c makes; its operators are also those of bound steps (bound.h). */

enum expr_op {
	/* numbers of a record: the first three are fields of our byte order */
	OP_U32,
	OP_S32,
	OP_U64,
	OP_SCALAR,
	OP_CPU,
	OP_PID,
	OP_TS,
	OP_SECS,
	OP_NSECS,
	OP_SEQUENCE,
	OP_SOURCE,
	/* strings of a record */
	OP_STRING, /* a FIELD_STR: up to its NUL */
	OP_BYTES,
	OP_COMM,   /* with a field: of the task with that pid */
	OP_CGROUP, /* the same */
	OP_INSTANCE,
	/* only in comparisons */
	OP_BITS,  /* a FIELD_BITMASK with a set of CPUs */
	OP_CONST, /* the same for all records */
	OP_STEPS, /* a row of steps does not give 0 */
	/* only in rows of steps */
	OP_COMPARISON,
	/* leaves of the tree; the first two in rows of steps as well */
	OP_NUMBER,
	OP_TEXT, /* a quoted string, or a text that is the same for all events of a type */
	OP_CPUS,
	OP_WORD, /* a bare word after == != ~, and its meaning as an expression */
	OP_NAME,
	/* of one value */
	OP_NEG,
	OP_INVERT,
	OP_NOT,
	OP_LOG2,
	OP_SYMBOL, /* these give strings ... */
	OP_SYSCALL,
	OP_ERRNO,
	OP_DEV, /* ... up to here */
	/* of two values */
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_ADD,
	OP_SUB,
	OP_SHL,
	OP_SHR,
	OP_LT,
	OP_LE,
	OP_GT,
	OP_GE,
	OP_EQ,
	OP_NE,
	OP_GLOB,
	OP_AND,
	OP_XOR,
	OP_OR,
	OP_BOTH,   /* && */
	OP_EITHER, /* || */
};

static inline bool op_compares(uint8_t op)
{
	return op >= OP_LT && op <= OP_GLOB;
}

struct expr_node {
	uint8_t op, side;
	uint8_t reads;			   /* bit for each record, as expr_reads() */
	bool is_time;			   /* OP_NUMBER: it has a unit of time */
	bool is_bits;			   /* OP_NUMBER: hex or octal, so it may be a bit pattern */
	bool is_again;			   /* OP_NAME: repeats an earlier one */
	uint32_t at;			   /* index in the text */
	uint32_t len;			   /* of text; OP_CPUS: words of bits */
	uint64_t num;			   /* OP_NUMBER */
	const char *text;		   /* OP_NAME, OP_TEXT, OP_WORD; the arena's */
	const uint64_t *bits;		   /* OP_CPUS */
	const struct expr_node *a, *b;	   /* OP_WORD: a is the expression, or NULL ... */
	const char *why;		   /* ... with what is wrong with it ... */
	uint32_t why_at;		   /* ... and where */
	const struct expr_node *next_name; /* OP_NAME: the one before it in the text */
};

struct expr {
	char *text;
	const char *sides[EXPR_SIDES]; /* NULL: one record */
	const struct expr_node *top, *names;
	unsigned n, comparisons; /* nodes, and those of op_compares() */
	struct arena arena;
};

#endif
