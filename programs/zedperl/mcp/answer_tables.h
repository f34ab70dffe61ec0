/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_ANSWER_TABLES_H
#define ZED_PROGRAMS_ZEDPERL_MCP_ANSWER_TABLES_H

#include "programs/zedperl/mcp/content.h"
#include "programs/zedperl/mcp/work.h"

/*
 * The answer of an analysis as content: what --page-data prints (Zed::Page::data) with times after
 * 0.  Times become texts of seconds, as zedprint shows them, since numbers of JSON have 53 bits in
 * most programs; the span of a row, which an analysis declares, becomes the arguments that show it
 * closer.
 */
#define ANSWER_ROWS 5000       /* rows of each table that a run prints ... */
#define ANSWER_ROWS_ALL 999999 /* ... for a call with `first` beyond them */

/* Append the words that make a run print that, for a call with ARGS. */
void answer_words(struct analysis_words *w, const struct call_args *args);

/* The trace, and the command line that gives the same. */
void answer_command(struct content *t, const struct work *w);

/* The status of its run, and what that has printed as messages. */
void answer_status(struct content *t, const struct printed *p);

/* Both, and the time that PAGE is about.  Status 1 also if PAGE says that a trace was damaged. */
void answer_head(struct content *t, const struct work *w, const struct printed *p,
		 const struct json_value *page);

/* Its limits and notes. */
void answer_notes(struct content *t, const struct json_value *page);

/*
 * Its tables, without those rows for which LEAVES_OUT (or NULL) is true.  -1 with E (ERR_USAGE): it
 * has no table of the name that is asked for.
 */
int answer_tables(struct content *t, const struct json_value *page,
		  bool (*leaves_out)(const char *table, const struct json_value *row),
		  struct err *e);

/* Append the time V of PAGE as a text, a JSON string; null, if it is not one. */
void answer_put_time(struct outbuf *o, const struct json_value *page, const struct json_value *v);

#endif
