/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_FILTER_EXPR_H
#define ZED_READER_FILTER_EXPR_H

#include "base/cpulist.h"
#include "base/err.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The text of a filter expression as a tree of comparisons, which knows no event type yet.  Bounds:
 * EXPR_TEXT bytes of text, EXPR_PREDS comparisons, EXPR_DEPTH levels of parentheses and "not".
 */
#define EXPR_TEXT 65536
#define EXPR_PREDS 1024
#define EXPR_DEPTH 100
#define EXPR_CPUS CPULIST_MAX

/* A tree of comparisons; the names and values are the arena's. */
enum op { OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_AND, OP_GLOB };

enum node_type { NODE_PRED, NODE_AND, NODE_OR, NODE_NOT };

struct node {
	uint8_t type, op;
	bool quoted;
	uint32_t at, value_at;	   /* index in the text, of the field and of the value */
	const char *field, *value; /* the arena's */
	const struct node *a, *b;
};

struct expr {
	char *text;
	const struct node *top;
	unsigned preds;
	struct arena arena;
};

/*
 * Parse what stands from TEXT[FROM] on.  Columns in errors count from 1 at TEXT[0].  NULL with E;
 * its message is one line and, behind newlines, the text with a caret under the column.
 */
struct expr *expr_new(const char *text, size_t from, struct err *e);
void expr_free(struct expr *x);

/*
 * Fill E (ERR_USAGE) with the message "column COL: ..." and, on further lines, TEXT with a caret.
 * Returns -1.
 */
int expr_complain(struct err *e, const char *text, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
