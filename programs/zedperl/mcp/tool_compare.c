// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tool_compare: compare: an analysis of two traces, of two groups of them, or of two times of one.
 */
#include "programs/zedperl/mcp/answer_tables.h"
#include "programs/zedperl/mcp/tool.h"

#include <string.h>

/* The traces of the side ID; an only one is both sides. */
static int take_side(struct work *w, struct analysis_words *words, const struct call_args *a,
		     enum arg_id id, const struct mcp_traces *t, struct err *e)
{
	unsigned n = 0;

	do {
		const struct mcp_trace *trace = mcptraces_named(t, args_item(a, id, n), e);

		if (!trace)
			return err_within(e, id == ARG_A ? "a" : "b");
		w->traces[w->ntraces++] = trace;
		/* "vs" is the word between the sides. */
		analysis_word(words, "%s%s", strcmp(trace->shown, "vs") ? "" : "./", trace->shown);
	} while (args_item(a, id, ++n));
	return 0;
}

/* An option that is given once for both sides, or for each. */
static int take_times(struct analysis_words *words, const char *option, const char *a,
		      const char *b, const char *names, struct err *e)
{
	if (!a && !b)
		return 0;
	if (!a || !b)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s go together", names);
	analysis_word(words, "--%s=%s", option, a);
	analysis_word(words, "--%s=%s", option, b);
	return 0;
}

int compare_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		 struct err *e)
{
	struct analysis_words *words = &w->shown;

	analysis_word(words, "zedperl");
	analysis_word(words, "compare");
	analysis_word(words, "%s", args_text(a, ARG_ANALYSIS));
	TRY(take_side(w, words, a, ARG_A, t, e));
	analysis_word(words, "vs");
	TRY(take_side(w, words, a, ARG_B, t, e));
	TRY(take_times(words, "start", args_text(a, ARG_A_FROM), args_text(a, ARG_B_FROM),
		       "a_from and b_from", e));
	TRY(take_times(words, "end", args_text(a, ARG_A_TO), args_text(a, ARG_B_TO),
		       "a_to and b_to", e));
	plan_analysis(w, a);
	return 0;
}
