/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_FORMULA_FORMULA_PRIV_H
#define ZED_READER_FORMULA_FORMULA_PRIV_H

#include "base/mem.h"
#include "reader/formula/errnos.h"
#include "reader/formula/formula.h"
#include "reader/stable/syscalls.h"

/* The tree that parse.c makes, and the row of operations that bind.c lays down and run.c runs. */

enum formula_op {
	/* leaves */
	F_NUMBER,
	F_TEXT, /* a string in quotes, and what is the same for all events of a type */
	F_NAME, /* only in the tree: one of the following, or F_TEXT */
	F_U32,
	F_S32,
	F_U64, /* fields of our byte order */
	F_SCALAR,
	F_STRING, /* a FIELD_STR: up to its NUL */
	F_BYTES,
	F_TS,
	F_SECS,
	F_NSECS,
	F_CPU,
	F_PID,
	F_SEQUENCE,
	F_SOURCE,
	F_COMM, /* with a field: of the task whose pid that is */
	F_INSTANCE,
	/* of one value */
	F_NEG,
	F_INVERT,
	F_NOT,
	F_LOG2,
	F_SYMBOL,
	F_SYSCALL,
	F_ERRNO,
	F_DEV,
	/* of two values */
	F_MUL,
	F_DIV,
	F_MOD,
	F_ADD,
	F_SUB,
	F_SHL,
	F_SHR,
	F_LT,
	F_LE,
	F_GT,
	F_GE,
	F_EQ,
	F_NE,
	F_AND,
	F_XOR,
	F_OR,
	F_BOTH,	  /* && */
	F_EITHER, /* || */
};

struct formula_node {
	uint8_t op, side;
	uint8_t reads;	  /* bit for each record, as formula_reads() */
	bool is_time;	  /* F_NUMBER: it has a unit of time */
	uint32_t at;	  /* index in the text */
	uint64_t num;	  /* F_NUMBER */
	const char *text; /* F_NAME, F_TEXT; the arena's */
	uint32_t len;
	const struct formula_node *a, *b;
	const struct formula_node *next_name; /* F_NAME: the one before it in the text */
};

struct formula_text {
	char *text;
	const char *sides[FORMULA_SIDES]; /* NULL: there is one record */
	const struct formula_node *top, *names;
	unsigned n; /* nodes */
	struct arena arena;
};

#define FORMULA_DIGITS 24 /* bytes for a number of 64 bits, or the two of a device, in text */

/* A number in text.  The last one is kept: a record's is seldom another than that before it. */
struct formula_digits {
	uint64_t num;
	uint32_t len; /* 0: there is none yet */
	char text[FORMULA_DIGITS];
};

struct formula_step {
	uint8_t op, side;
	bool a_signed, b_signed; /* of the operands: decide how they are divided and compared */
	bool strings;		 /* F_EQ, F_NE: compare these */
	uint32_t off, len;
	uint64_t num;
	const struct field *field;
	const char *text;
	struct machine *machine;
	const void *names;	       /* F_SYSCALL: struct sysnames; F_ERRNO: struct errnos */
	struct formula_digits *digits; /* F_SYMBOL and up: where a number is written */
};

/* All of a bound formula; others see its head. */
struct formula_bound {
	struct formula head; /* must be first */
	struct sysnames sysnames;
	struct errnos errnos;
	struct arena arena;
	unsigned n;
	struct formula_step steps[];
};

#endif
