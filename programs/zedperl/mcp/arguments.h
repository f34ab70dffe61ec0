/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_ARGUMENTS_H
#define ZED_PROGRAMS_ZEDPERL_MCP_ARGUMENTS_H

#include "base/json_tree.h"
#include "base/outbuf.h"
#include "programs/zedperl/mcp/traces.h"

/*
 * The arguments of tools: one table has their types and bounds, from which their input schemas are
 * made and by which each call is checked.  They are data: none names a file, or is code.
 */
enum arg_id {
	ARG_TRACE,
	ARG_FROM,
	ARG_TO,
	ARG_AROUND,
	ARG_CPU,
	ARG_PID,
	ARG_COMM,
	ARG_ANALYSIS,
	ARG_OPTIONS,
	ARG_EVENT,
	ARG_FILTER,
	ARG_FIELDS,
	ARG_KIND,
	ARG_VALUE,
	ARG_BY,
	ARG_WHERE,
	ARG_TASK,
	ARG_WHOLE,
	ARG_WORST,
	ARG_A,
	ARG_B,
	ARG_A_FROM,
	ARG_A_TO,
	ARG_B_FROM,
	ARG_B_TO,
	ARG_TABLE,
	ARG_FIRST,
	ARG_ROWS,
	ARG_CHARS,
	ARGS
};

#define ARG(id) (1u << ARG_##id)
/* What all tools that read one trace take, and what all tools do. */
#define ARGS_CHOICE (ARG(TRACE) | ARG(FROM) | ARG(TO) | ARG(CPU) | ARG(PID) | ARG(COMM))
#define ARGS_BUDGET (ARG(TABLE) | ARG(FIRST) | ARG(ROWS) | ARG(CHARS))

#define ARG_ITEMS 8	 /* of a list of texts */
#define ARG_PAIRS 8	 /* options of an analysis */
#define ARG_SIDE 16	 /* traces of a side of compare */
#define CHARS_LEAST 3000 /* of a result */
#define CHARS_MOST 60000
#define CHARS_USUAL 8000
#define ROWS_MOST 1000
#define ROWS_USUAL 20

/* The arguments of a call, checked. */
struct call_args {
	const struct json_value *all;	   /* the object; or NULL: none */
	const struct json_value *of[ARGS]; /* NULL: not given */
};

/*
 * Check the object ALL (NULL: none) for a tool WHO that takes the arguments TAKES and needs NEEDS.
 * -1 with E (ERR_USAGE): one is unknown, missing or out of its bounds.
 */
int args_take(struct call_args *a, const struct json_value *all, const char *who, unsigned takes,
	      unsigned needs, struct err *e);

/* A text, or the digits of a number; NULL: not given. */
const char *args_text(const struct call_args *a, enum arg_id id);
uint64_t args_number(const struct call_args *a, enum arg_id id, uint64_t otherwise);
bool args_flag(const struct call_args *a, enum arg_id id);

/* The I-th text of a list, or the text alone as the only one; NULL: no more. */
const char *args_item(const struct call_args *a, enum arg_id id, unsigned i);

/* Append the input schema of a tool. */
void args_schema(struct outbuf *o, unsigned takes, unsigned needs, const struct mcp_traces *t);

/*
 * Append the arguments of the call that continues one: A's, with another TABLE (NULL: A's), FIRST
 * and CHARS (0: A's).
 */
void args_put_next(struct outbuf *o, const struct call_args *a, const char *table, uint64_t first,
		   uint64_t chars);

#endif
