/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_FILTER_PROGRAM_PRIV_H
#define ZED_READER_FILTER_PROGRAM_PRIV_H

#include "base/mem.h"
#include "reader/filter/expr.h"
#include "reader/filter/program.h"

/* The row of comparisons that compile.c lays down and program.c runs. */

enum load {
	LOAD_U32,
	LOAD_S32,
	LOAD_U64, /* fields of our byte order */
	LOAD_SCALAR,
	LOAD_CPU,
	LOAD_PID,
	LOAD_TS,
	LOAD_SECS,
	LOAD_NSECS,
	LOAD_SEQUENCE,
	LOAD_SOURCE,
	LOAD_STR,
	LOAD_COMM, /* with a field: of the task whose pid that is */
	LOAD_INSTANCE,
	LOAD_MASK,
	LOAD_CONST
};

#define ACCEPT UINT16_MAX
#define REJECT (UINT16_MAX - 1)

struct pred {
	uint8_t load, op;
	bool is_and;	    /* a number passes if it has any of the bits of num */
	bool outside;	    /* else if it is in num ... num + span; or, with this, if it is not */
	uint16_t yes, no;   /* the next comparison, ACCEPT or REJECT */
	uint32_t off;	    /* of the field, bytes */
	uint32_t len;	    /* of str, bytes; of mask, words */
	uint64_t num, span; /* LOAD_CONST: num is 0 or 1 */
	const struct field *field;
	const char *str;
	const uint64_t *mask; /* CPUS{}: the list as bits */
};

/* All of a program; others see its head. */
struct compiled {
	struct program head; /* must be first */
	struct expr *own;    /* program_new(): the expression is ours */
	struct machine *machine;
	const uint64_t *base; /* of program_names */
	unsigned n;
	uint16_t entry;
	struct arena arena;
	struct pred preds[];
};

/* Does the string S pass P? */
bool program_string(const struct pred *p, const char *s, size_t len);

#endif
