/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_EXPR_H
#define ZED_EXPR_EXPR_H

#include "base/cpulist.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Expressions over the fields of a record ("prio < 100 && comm ~ \"kw*\"", "bytes >> 9",
 * "symbol(ip)"), or of two ("end.ts - start.ts").
 *
 *	numbers   all of 64 bits: decimal, 0x, 0octal, with ns us ms s a time in ns ("1.5ms" too)
 *	strings   "..." and '...'
 *	sets      CPUS{0,2-5}, which == != and & compare with a set of bits or a CPU
 *	names     a field; else, whatever the type, a pseudo field (pseudo.h; event is
 *		  "sched:sched_switch")
 *	operators of C with its precedence: - ~  * / %  + -  << >>  < <= > >=  == != and ~ (the
 *		  string on the left matches the glob on the right)  &  ^  |  ! && ||, and the words
 *		  not, and, or.  As in the kernel's filters, ! negates a whole comparison: !a == 1
 *		  is !(a == 1)
 *	functions log2(x): of the highest bit, -1 for 0 and less; symbol(x): the function or
 *		  object at that address; syscall(x): the call of that number, by the trace's
 *		  machine; errno(x): "ENOENT" of -2, as calls return errors; a positive number
 *		  is a result; dev(x): "8:16", the kernel's dev_t, which has 20 bits of minor
 *		  number.  Without a name, the number as text
 *	bare words after == != ~ if a name (or a function that gives a string) precedes:
 *		  up to a blank, a bracket, & | or a quote.  The name of one of an enumeration's
 *		  values, else of a field, else, if a string is compared, a text ("kworker/0:1")
 *
 * As in C a number is signed, unless it comes from an unsigned field of 8 bytes: then an operation
 * with it is unsigned.  (Unsigned fields of fewer bytes fit into a signed number, and so do times.)
 * Overflow wraps.  x / 0 and x % 0 are 0; shifts by less than 0 or more than 63 give 0, or -1 for a
 * negative number shifted right.  Comparisons give 0 or 1, mathematically correct for any signs; a
 * field is compared with a constant as the kernel does it: 0xffffffff for an int is -1.
 *
 * Parsed once, bound to types once (test.h, value.h), run for each record without an allocation.
 */
#define EXPR_TEXT 65536			  /* bytes of text */
#define EXPR_COMPARISONS 1024		  /* of == != ~ < <= > >= */
#define EXPR_NODES (5 * EXPR_COMPARISONS) /* names, constants and operators */
#define EXPR_DEPTH 100			  /* levels of parentheses, functions and signs */
#define EXPR_STACK 32			  /* values on the stack at once */
#define EXPR_SIDES 2
#define EXPR_CPUS CPULIST_MAX

/* A parsed expression, and a part of one; independent of event types. */
struct expr;
struct expr_node;

/*
 * Parse the text from TEXT[FROM] on.  SIDES: the names of the EXPR_SIDES records ("start", "end",
 * before a dot); NULL: one record, names have no prefix.  NULL with E (see expr_complain(); columns
 * count from TEXT[0]).
 */
struct expr *expr_parse(const char *text, size_t from, const char *const *sides, struct err *e);
void expr_free(struct expr *x);

/* The root of the tree. */
const struct expr_node *expr_top(const struct expr *x);
/* Is N "A && B", or "A == B"?  Then its two parts. */
bool expr_is_and(const struct expr_node *n, const struct expr_node **a, const struct expr_node **b);
bool expr_is_equal(const struct expr_node *n, const struct expr_node **a,
		   const struct expr_node **b);
/* Do A and B, of the same record's name or of two expressions, have the same meaning? */
bool expr_same(const struct expr_node *a, const struct expr_node *b);
/* The records that N reads: bit 0 the first, bit 1 the second. */
unsigned expr_reads(const struct expr_node *n);
/*
 * The I-th name that X reads of record SIDE, in order, without duplicates; NULL: no more.  With one
 * record also bare words that may be names.
 */
const char *expr_name(const struct expr *x, unsigned side, unsigned i);

/*
 * Fill E (ERR_USAGE) with the message "column COL: ...", where COL is AT + 1, and, on further
 * lines, TEXT with a caret under that column.  Returns -1.
 */
int expr_complain(struct err *e, const char *text, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
