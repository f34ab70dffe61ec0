/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_TREE_H
#define ZED_TEXT_PRINTFMT_TREE_H

#include "trace/event.h"

/* A print format as the kernel's compiler reads it: C expression trees. */

/* An entry of a __print_flags or __print_symbolic table. */
struct flag_name {
	uint64_t value;
	bool known; /* its value is known; else value is 0 */
	const char *name;
	const struct pf_node *tree; /* the value as written in the format */
};

struct flag_table {
	/* the field that is looked up, NULL if it is an expression */
	const struct field *field;
	const struct pf_node *of; /* what is looked up, as written in the format */
	/* __print_flags: the delimiter; NULL for __print_symbolic */
	const char *delim;
	const struct flag_name *names; /* in the format's order */
	unsigned n;
	const struct flag_table *next;
};

enum pf_kind {
	PF_NONE,     /* the missing left side of a unary operator */
	PF_ATOM,     /* a number or a bare word: text */
	PF_STRING,   /* "text" */
	PF_FIELD,    /* REC->field */
	PF_OP,	     /* op; a and b: "?" has its ":" as b, "[" its index */
	PF_CAST,     /* (text)a */
	PF_FLAGS,    /* __print_flags(a, delim, table), of either width: text is its name */
	PF_SYMBOLIC, /* __print_symbolic(a, table), the same */
	PF_FUNC,     /* text(a, a->next, ...): any other function; fields are bare words */
};

struct pf_node {
	enum pf_kind kind;
	char op[4];
	const char *text;
	const struct field *field;
	struct pf_node *a, *b, *next;
	const struct flag_table *table;
};

struct printfmt {
	const char *text;     /* the format string, escapes as in the file */
	struct pf_node *args; /* linked by next */
	const struct flag_table *tables;
};

#endif
