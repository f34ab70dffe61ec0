/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PARSE_H
#define ZED_READER_TEXT_PARSE_H

#include "base/mem.h"
#include "reader/model/event.h"

/*
 * Our reading of a print format: enough to know that libtraceevent can print a record of it safely,
 * and the tables of __print_flags and __print_symbolic.  Bounded in size and nesting.
 *
 * libtraceevent shapes its trees in ways of its own (operators of equal rank group to the right, a
 * parenthesis does not always hold), and it is these trees that decide what is divided by what.  So
 * printfmt_parse() builds the same trees, and text.c checks those that the library has really
 * built.
 */

/* An entry of a __print_flags or __print_symbolic table. */
struct flag_name {
	uint64_t value;
	const char *name;
	bool is_word; /* the value is a name, which the library takes for 0 */
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

/* All tables of T's print format (T resolved), in its order; NULL: none.  Owned by A. */
const struct flag_table *printfmt_tables(const struct etype *t, struct arena *a);

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
	PF_FUNC,     /* text(a, a->next, ...): a function that a plugin brings */
	PF_UNKNOWN,  /* something that a newer library has built */
};

struct pf_node {
	enum pf_kind kind;
	char op[4];
	int prio;
	/* PF_ATOM: was 'x', which libraries to 1.7 take for a word, and so for 0 */
	bool letter;
	const char *text;
	const struct field *field;
	unsigned elem; /* PF_FIELD: bytes of an item, as the library understands it */
	struct pf_node *a, *b, *c, *next;
	const struct flag_table *table;
};

/* What older libraries do not know: text.c asks the one at hand. */
enum {
	PF_LACKS_CHAR = 1, /* %c: printed as ">c<", and no argument is taken for it */
	/* sizeof(u64) cannot be parsed, sizeof(REC->f) reads freed memory: to 1.7 */
	PF_LACKS_SIZEOF = 2,
};

enum pf_conv_kind { CONV_NUMBER, CONV_POINTER, CONV_STRING };

/* A conversion of the format string with its argument. */
struct pf_conv {
	enum pf_conv_kind kind;
	const char *spec; /* from its '%' on, spec_len bytes */
	unsigned spec_len;
	char letter; /* d u x ... s; for pointers what follows the p */
	int longs;   /* count of l less that of h */
	const struct pf_node *arg, *width;
};

struct printfmt {
	const struct etype *type;
	const char *text;     /* the format string, escapes as in the file */
	struct pf_node *args; /* linked by next */
	unsigned lacks;	      /* of the library: PF_LACKS_* */
	struct pf_conv *convs;
	unsigned nconvs;
	/* more conversions than arguments: the library gives it up */
	bool short_of_args;
	bool risky;	      /* records have to pass printfmt_record_ok() */
	unsigned table_steps; /* what its tables cost: printfmt_parse() */
	const struct flag_table *tables;
};

/*
 * Parse the print format of T (resolved) as a library that LACKS some things (PF_LACKS_*) would.
 * NULL when the library cannot parse it, or would die trying; *WHY says what is wrong with it.
 * Owned by A.
 */
struct printfmt *printfmt_parse(const struct etype *t, unsigned lacks, struct arena *a,
				const char **why);

/*
 * Match the conversions of PF->text with PF->args and look at every expression: -1 with *WHY if no
 * record could be printed safely; else PF->convs and PF->risky are set.
 */
int printfmt_check(struct printfmt *pf, struct arena *a, const char **why);

/*
 * Can this record be printed?  Divisors are evaluated, arrays and dynamic fields have to lie inside
 * of the record.  EV->data is followed by at least 128 KiB of readable zeroes.
 */
bool printfmt_record_ok(const struct printfmt *pf, const struct event *ev);

/*
 * The next conversion of a format string at or after *P: fills C (without its arguments) and moves
 * *P behind it. Returns 1, 0 at the end, -1 if it is one that must not reach vsnprintf() (*WHY).
 * *STARS: how many arguments it takes for widths.  *WIDTH gets what its literal widths add up to.
 */
int printfmt_conv(const char **p, struct pf_conv *c, unsigned *stars, unsigned *width,
		  const char **why);

/*
 * The arguments of T's print format (T resolved), linked by next, up to the first that cannot be
 * parsed.  The trees are the library's: "f & (A | B)" comes as "(f & A) | B".  Owned by A.
 */
const struct pf_node *printfmt_args(const struct etype *t, struct arena *a);

#define PF_MAX_SIZE 65536 /* bytes of a print format; the longest of 6.18 has 4,840 */
#define PF_MAX_DEPTH 64	  /* t/unit/print_format tries all formats of the running kernel */
#define PF_MAX_WIDTH 1024 /* of one conversion */
#define PF_MAX_TEXT 4096  /* bytes of a format string; the longest of 6.18 has 301 */

/*
 * What printing a record may cost, in steps of some 20 ns: conversions, operators and values of the
 * arguments, entries of tables.  The dearest format of 6.18, kvm_exit, has 500.
 */
#define PF_MAX_STEPS 2048
#define PF_CONV_STEPS 8
#define PF_WORD_STEPS 4 /* a table's value that is a name */

/* How long the text of a record of SIZE bytes may be, and what is put together for it. */
#define PF_TEXT_FIXED 1024
#define PF_TEXT_PER_BYTE 32

static inline uint64_t pf_text_max(uint32_t size)
{
	return PF_TEXT_FIXED + (uint64_t)PF_TEXT_PER_BYTE * size;
}

#endif
