/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_CONTENT_H
#define ZED_PROGRAMS_ZEDPERL_MCP_CONTENT_H

#include "base/json_tree.h"
#include "programs/zedperl/mcp/arguments.h"

/*
 * The content of a result, within its budget: one shape for all tools, CONTENT_SCHEMA, and a text
 * of it for clients that show only that.  What does not fit is left out in rows, from the end of
 * each table, and the result says with which call they come.
 *
 * Texts of a trace have at most CONTENT_CELL bytes; of limits, notes, messages and findings there
 * are CONTENT_LINES each, in a part of the budget.
 */
#define CONTENT_CELL 300
#define CONTENT_LINES 10
#define CONTENT_OTHERS 5 /* rows of a table that is neither the first one nor asked for */

extern const char CONTENT_SCHEMA[];

struct content_lines {
	struct outbuf items; /* of a JSON array */
	size_t most;	     /* bytes of it */
	unsigned n;
	bool is_full;
};

/* The table that is being written. */
struct content_table {
	char name[64];
	uint64_t first; /* its first row that is asked for */
	uint64_t at;	/* rows that have come, shown or not */
	uint32_t shown, rows_most;
	bool is_full, named_columns, ended_columns, expects_sums;
	struct outbuf line;		   /* of the text, of its row */
	struct outbuf sums;		   /* its row of sums, and ... */
	struct outbuf *to;		   /* ... where cells go: there, or content.tables */
	size_t from, row_from, bytes_most; /* it begins, its row begins, it has to end */
	size_t bytes_one;		   /* ... if it is the first with one row */
	size_t longest;			   /* row of it, in bytes */
};

/* The first table of which something is left. */
struct content_cut {
	bool any;
	bool fits_no_row;
	char table[64];
	uint64_t first, left; /* left UINT64_MAX: how many is not known */
	char left_out[120];   /* names of tables for which there was no room */
};

struct content {
	const char *tool;
	const struct call_args *args;
	size_t most; /* bytes of the whole result */
	size_t rest; /* of them, those that are kept for what follows the tables */
	struct outbuf head, tables;
	struct content_lines limits, notes, messages, findings;
	struct outbuf text; /* lines */
	const char *only;   /* the table that is asked for; NULL: all */
	bool is_even;	    /* all tables have as many rows; else the first has most */
	unsigned ntables;   /* so far, with that being written */
	struct content_table now;
	struct content_cut cut;
};

/* For a call of TOOL with ARGS; both are borrowed. */
void content_init(struct content *t, const char *tool, const struct call_args *args);
void content_fini(struct content *t);

/* A member of the head, and a line of the text about all. */
void content_member(struct content *t, const char *key, const char *text, size_t len);
void content_number(struct content *t, const char *key, int64_t n);
void content_line(struct content *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What forbids a conclusion; what else is to be known; what was printed as a message. */
void content_limit(struct content *t, const char *text, size_t len);
void content_note(struct content *t, const char *text, size_t len);
void content_messages(struct content *t, const char *lines, size_t len);

/*
 * A sentence, and the call that shows it closer: the JSON text of that, or NULL.  Before tables.
 */
void content_finding(struct content *t, const char *text, const char *closer);

/* ---- tables ---- */

/*
 * Begin one.  False: it is not asked for, or there is no room, and nothing of it may be added.
 * OTHERS: so many more may follow, which get a part of the room.  SUMS: content_sums() will be
 * called.
 */
bool content_table_begin(struct content *t, const char *name, const char *title, unsigned others,
			 bool sums);
/* HEAD and UNIT may be NULL. */
void content_column(struct content *t, const char *key, const char *head, const char *unit);

/*
 * The next row.  False: it is not shown, and has no cells; the table may be ended.
 */
bool content_row(struct content *t);
/* One more cell of it, with the key of its column: a JSON text, or a text. */
void content_cell(struct content *t, const char *key, const char *json, size_t len);
void content_cell_text(struct content *t, const char *key, const char *text, size_t len);
void content_row_end(struct content *t);

/* After the rows: cells of the row of sums come next.  False: there is no room for it. */
bool content_sums(struct content *t);

/* No more rows: LEFT more were not given here (UINT64_MAX: an unknown number, at least one). */
void content_table_end(struct content *t, uint64_t left);

/* Append the members of the result; -1 with E (ERR_USAGE): they do not fit into the budget. */
int content_end(struct content *t, struct outbuf *o, struct err *e);

/* Append TEXT, cut to CONTENT_CELL bytes, as a JSON string. */
void content_put_text(struct outbuf *o, const char *text, size_t len);

#endif
