/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_TREE_H
#define ZED_READER_TEXT_PRINTFMT_TREE_H

#include "reader/model/event.h"

/*
 * A print format as we read it.
 *
 * libtraceevent does not follow C in its trees (operators of equal rank group to the right, a
 * parenthesis does not always hold), and its trees decide what is divided by what.  So
 * printfmt_parse() builds the same ones, and reader/text also checks those that the library has
 * really built.
 */

struct pf_conv;

/* An entry of a __print_flags or __print_symbolic table. */
struct flag_name {
	uint64_t value;
	const char *name;
	bool is_word;		    /* the value is a name, which the library takes for 0 */
	const struct pf_node *tree; /* the value as it stands in the format */
};

struct flag_table {
	/* the field whose value is looked up, NULL if it is an expression */
	const struct field *field;
	/* __print_flags: what joins names; NULL for __print_symbolic */
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
	PF_FLAGS,    /* __print_flags(a, delim, table) */
	PF_SYMBOLIC, /* __print_symbolic(a, table) */
	PF_HEX,	     /* __print_hex(a, b), __print_hex_str(a, b) */
	PF_ARRAY,    /* __print_array(a, b, c) */
	PF_GET_STR,  /* __get_str(field), __get_rel_str(field) */
	PF_BITMASK,  /* __get_bitmask, __get_cpumask and their rel kinds: field */
	PF_DYN,	     /* __get_dynamic_array(field) */
	PF_DYN_LEN,  /* __get_dynamic_array_len(field) */
	PF_FUNC,     /* text(a, a->next, ...): a function that a plugin adds */
	PF_UNKNOWN,  /* something that a newer library has built */
};

struct pf_node {
	enum pf_kind kind;
	char op[4];
	int prio;
	/* PF_ATOM: written 'x', which libraries up to 1.7 take for a word, and so for 0 */
	bool letter;
	const char *text;
	const struct field *field;
	unsigned elem; /* PF_FIELD: bytes of an item, as the library understands it */
	struct pf_node *a, *b, *c, *next;
	const struct flag_table *table;
};

/* What older libraries do not know: reader/text asks the one at hand. */
enum {
	PF_LACKS_CHAR = 1, /* %c: printed as ">c<", and no argument is taken for it */
	/* sizeof(u64) cannot be parsed, sizeof(REC->f) reads freed memory: up to 1.7 */
	PF_LACKS_SIZEOF = 2,
};

/*
 * What printing a record may cost, in steps of some 20 ns: conversions, operators and values of the
 * arguments, entries of tables.  The dearest format of 6.18, kvm_exit, has 500.
 */
#define PF_MAX_STEPS 2048
#define PF_CONV_STEPS 8
#define PF_WORD_STEPS 4 /* a table's value that is a name */

struct printfmt {
	const struct etype *type;
	const char *text;     /* the format string, escapes as in the file */
	struct pf_node *args; /* linked by next */
	unsigned lacks;	      /* of the library: PF_LACKS_* */
	struct pf_conv *convs;
	unsigned nconvs;
	bool risky;	      /* records have to pass printfmt_record_ok() */
	unsigned table_steps; /* what its tables cost: printfmt_parse() */
	const struct flag_table *tables;
};

#endif
