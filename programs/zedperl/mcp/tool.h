/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_MCP_TOOL_H
#define ZED_PROGRAMS_ZEDPERL_MCP_TOOL_H

#include "programs/zedperl/mcp/content.h"
#include "programs/zedperl/mcp/work.h"

/*
 * A tool: which arguments it takes, what it has to do for a call (in the server, which never opens
 * a trace), and how that becomes content (in a process of the call's own).
 */
struct tool {
	const char *name, *title;
	const char *about;
	unsigned takes, needs; /* ARG() bits */
	/* The command lines of W.  -1 with E (ERR_USAGE): arguments do not go together. */
	int (*plan)(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		    struct err *e);
	/* -1 with E: there is no answer. */
	int (*answer)(struct content *t, struct work *w, const struct call_args *a, struct err *e);
};

/* The I-th; NULL: no more. */
const struct tool *tool_at(unsigned i);
/* NULL: there is none of that name. */
const struct tool *tool_named(const char *name);

/* Append the members of the result of tools/list. */
void tools_put(struct outbuf *o, const struct mcp_traces *t);

/* ---- for plans: plan.c ---- */

/* The trace that A names, or the only one, becomes W's. */
int plan_trace(struct work *w, const struct call_args *a, const struct mcp_traces *t,
	       struct err *e);

/* Append this program, the part of the trace that A chooses, and W's first trace to WORDS. */
void plan_begin(const struct work *w, struct analysis_words *words, const struct call_args *a);

/* W's words that are shown run an analysis: one more run does, which prints its data. */
void plan_analysis(struct work *w, const struct call_args *a);

/* ---- the tools ---- */

int summary_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		 struct err *e);
int summary_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e);
int analysis_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		  struct err *e);
int whylate_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		 struct err *e);
int losses_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		struct err *e);
int compare_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		 struct err *e);
/* Of all tools that run one analysis. */
int analysis_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e);
int events_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		struct err *e);
int events_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e);
int aggregate_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		   struct err *e);
int aggregate_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e);

#endif
