// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tool_analysis: answer, why_late and explain_losses: an analysis of one trace.
 */
#include "programs/zedperl/explore/request.h"
#include "programs/zedperl/mcp/answer_tables.h"
#include "programs/zedperl/mcp/tool.h"

#include <inttypes.h>
#include <string.h>

/* ---- answer ---- */

static int take_option(struct analysis_words *words, const struct json_value *v, struct err *e)
{
	const char *value = v->kind == JSON_BOOL ? "" : v->text;
	struct request_arg arg;

	/* Left out: as if it was not given. */
	if (v->kind == JSON_BOOL && !v->number)
		return 0;
	if (request_arg(&arg, v->key, value) < 0)
		return err_set(
			e, ERR_USAGE, ERR_NO_OFF,
			"invalid option %.40s: options are limit, worst (a number), by, "
			"kind, unit, weight (a word), task (a text), new, strict-loss, legs, "
			"wall (true)",
			v->key);
	if (*arg.value)
		analysis_word(words, "--%s=%s", arg.name, arg.value);
	else
		analysis_word(words, "--%s", arg.name);
	return 0;
}

int analysis_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		  struct err *e)
{
	const struct json_value *options = a->of[ARG_OPTIONS];
	struct analysis_words *words = &w->shown;

	TRY(plan_trace(w, a, t, e));
	plan_begin(w, words, a);
	analysis_word(words, "%s", args_text(a, ARG_ANALYSIS));
	for (const struct json_value *v = options ? options->first : NULL; v; v = v->next)
		TRY(take_option(words, v, e));
	plan_analysis(w, a);
	return 0;
}

/* ---- why_late, explain_losses ---- */

int whylate_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		 struct err *e)
{
	const char *task = args_text(a, ARG_TASK), *from = args_text(a, ARG_FROM),
		   *to = args_text(a, ARG_TO);
	struct analysis_words *words = &w->shown;

	if (args_flag(a, ARG_WHOLE) && (!task || (!from && !to)))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "whole needs task, and from or to: the time that is explained");
	TRY(plan_trace(w, a, t, e));
	plan_begin(w, words, a);
	analysis_word(words, "why-late");
	if (task)
		analysis_word(words, "--task=%s", task);
	if (args_flag(a, ARG_WHOLE) && from)
		analysis_word(words, "--start=%s", from);
	if (args_flag(a, ARG_WHOLE) && to)
		analysis_word(words, "--end=%s", to);
	if (a->of[ARG_WORST])
		analysis_word(words, "--worst=%" PRIu64, args_number(a, ARG_WORST, 5));
	plan_analysis(w, a);
	return 0;
}

int losses_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		struct err *e)
{
	struct analysis_words *words = &w->shown;

	TRY(plan_trace(w, a, t, e));
	plan_begin(w, words, a);
	analysis_word(words, "lost");
	plan_analysis(w, a);
	return 0;
}

/* ---- the answer ---- */

int analysis_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e)
{
	struct arena arena = { .blocks = NULL };
	struct json_value page;
	struct printed p;

	TRY(work_json(w, 0, &p, &page, &arena, e));
	answer_head(t, w, &p, &page);
	answer_notes(t, &page);
	return answer_tables(t, &page, NULL, e);
}
