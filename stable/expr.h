/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_EXPR_H
#define ZED_STABLE_EXPR_H

#include "stable/layout.h"

/*
 * Shared by catalogue.c and map.c: where a promised field comes from, as written in the catalogue.
 *
 *	SOURCE := ALT ("|" ALT)*	the first whose fields the raw type has
 *	ALT    := TERM ("or" TERM)*	the first value that is not 0
 *	TERM   := PRIM ["*" INT]
 *	PRIM   := RAWFIELD | INT | "string" | FUNC "(" ARG ")"
 *
 * Bounds: STABLE_MAX_ALTS alternatives of STABLE_MAX_TERMS terms.
 */
#define STABLE_MAX_ALTS 16
#define STABLE_MAX_TERMS 8

enum term_op {
	TERM_FIELD, /* name: a raw field, or one of the three that every record has: */
	TERM_PID,   /* common_pid */
	TERM_CPU,   /* common_cpu */
	TERM_COMM,  /* common_comm: the name of the task common_pid */
	TERM_INT,
	TERM_STR,
	TERM_LETTER, /* name: a raw field, as in those that follow */
	TERM_MARK,
	TERM_SYMBOL,
	TERM_RW,
	TERM_PRIO,
	TERM_SYSCALL,
	TERM_FROM, /* name: a raw event, "system:event" or "event" */
};

struct stable_term {
	uint8_t op; /* enum term_op */
	bool be64;  /* be64() around it: 8 bytes, big endian */
	bool neg;   /* TERM_INT: num is negative, in two's complement */
	const char *name;
	uint64_t num;
	uint64_t times;	 /* 1: no "*" */
	const char *str; /* TERM_STR: len bytes and a NUL */
	uint32_t len;
	uint32_t column; /* of the catalogue's line, for errors */
};

struct stable_alt {
	const struct stable_term *terms;
	unsigned n;
	const char *text; /* as in the catalogue, blanks squeezed */
};

enum default_kind { DEFAULT_NONE, DEFAULT_UNDEF, DEFAULT_VALUE };

struct stable_expr {
	const struct stable_alt *alts;
	unsigned n;
	uint8_t default_kind;	  /* enum default_kind */
	struct stable_term value; /* DEFAULT_VALUE: TERM_INT or TERM_STR */
	bool clip;
	bool stated; /* the line has more than the description */
};

/*
 * Parse the rest of LINE (LEN bytes) after the description, from byte FROM on: "= SOURCE", "default
 * VALUE", "clip", a comment.  NAME is the field's name, and its source if none is stated.  NULL
 * with E (desc_complain()).  Owned by A.
 */
const struct stable_expr *stableexpr_parse(const char *line, size_t len, size_t from,
					   unsigned line_no, const char *name, struct arena *a,
					   struct err *e);

/*
 * In promises.c: can item I of D (finished) be made from X?  A letter takes letter() or one
 * character, a number takes numbers that fit, a text takes texts.  -1 with E.
 */
int stablecheck(const struct stable_expr *x, const struct desc *d, unsigned i, struct err *e);

#endif
