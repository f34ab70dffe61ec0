// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tool_summary: summary: what is in a trace, which analyses suit it, and what sticks out.
 */
#include "programs/zedperl/explore/analysis_name.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/mcp/answer_tables.h"
#include "programs/zedperl/mcp/tool.h"

#include <string.h>

int summary_plan(struct work *w, const struct call_args *a, const struct mcp_traces *t,
		 struct err *e)
{
	struct analysis_words *words = &w->shown;

	TRY(plan_trace(w, a, t, e));
	plan_begin(w, words, a);
	work_words(&w->runs[1], words);
	analysis_word(words, "summary");
	plan_analysis(w, a);
	analysis_word(&w->runs[1], "report");
	analysis_word(&w->runs[1], "--findings");
	analysis_word(&w->runs[1], "--json");
	w->nruns = 2;
	return 0;
}

/* ---- what sticks out ---- */

/* A member of the arguments, with a comma before it. */
static void put_argument(struct outbuf *o, const char *key, const char *text)
{
	out_printf(o, ",\"%s\":", key);
	out_json(o, text, strlen(text));
}

static void put_times(struct outbuf *o, const struct json_value *page,
		      const struct json_value *found)
{
	out_str(o, "\"from\":");
	answer_put_time(o, page, json_member(found, "at"));
	out_str(o, ",\"to\":");
	answer_put_time(o, page, json_member(found, "to"));
}

/*
 * Of a wait what it consists of, whichever kind it is; of the rest its analysis, of that time.
 */
static void put_closer(struct outbuf *o, const struct json_value *page,
		       const struct json_value *found, const struct call_args *a)
{
	const char *key = json_member_text(found, "key"),
		   *answer = json_member_text(found, "answer");
	const struct json_value *pid = json_member(found, "pid");
	bool is_wait = key && !strcmp(key, "wait") && pid && pid->text;

	out_printf(o, "{\"tool\":\"%s\",\"arguments\":{", is_wait ? "why_late" : "answer");
	put_times(o, page, found);
	if (is_wait)
		out_printf(o, ",\"whole\":true,\"task\":\"%s\"", pid->text);
	else if (answer)
		put_argument(o, "analysis", answer);
	if (args_text(a, ARG_TRACE))
		put_argument(o, "trace", args_text(a, ARG_TRACE));
	out_str(o, "}}");
}

static void put_findings(struct content *t, const struct json_value *page,
			 const struct json_value *report, const struct call_args *a)
{
	const struct json_value *v = json_member(report, "findings");
	struct outbuf closer = { 0 };

	for (v = v ? v->first : NULL; v; v = v->next) {
		const char *text = json_member_text(v, "text");

		if (!text)
			continue;
		closer.len = 0;
		put_closer(&closer, page, v, a);
		content_finding(t, text, json_member(v, "at") ? out_end(&closer) : NULL);
	}
	outbuf_fini(&closer);
}

/* Analyses that gave none, and why. */
static void put_failed(struct content *t, const struct json_value *report)
{
	const struct json_value *v = json_member(report, "failed");

	for (v = v ? v->first : NULL; v; v = v->next) {
		const struct json_value *name = v->first, *why = name ? name->next : NULL;
		struct outbuf text = { 0 };

		if (!why || name->kind != JSON_STRING || why->kind != JSON_STRING)
			continue;
		out_printf(&text, "what sticks out is without %s: %s", name->text, why->text);
		content_limit(t, text.p, text.len);
		outbuf_fini(&text);
	}
}

/* ---- the answer ---- */

/* Analyses that do not suit, and scripts that answer does not run. */
static bool leaves_out(const char *table, const struct json_value *row)
{
	const char *suits = json_member_text(row, "suits"),
		   *script = json_member_text(row, "script");
	struct err e;

	return !strcmp(table, "scripts") && suits && script &&
	       (!strcmp(suits, "no") || analysis_check_name(script, &e) < 0);
}

int summary_answer(struct content *t, struct work *w, const struct call_args *a, struct err *e)
{
	struct arena arena = { .blocks = NULL };
	struct json_value page, report;
	struct printed p, found;

	TRY(work_json(w, 0, &p, &page, &arena, e));
	t->is_even = true;
	answer_head(t, w, &p, &page);
	answer_notes(t, &page);
	/* Without it the rest is an answer, too. */
	if (work_json(w, 1, &found, &report, &arena, e) == 0) {
		put_findings(t, &page, &report, a);
		put_failed(t, &report);
	} else {
		content_limit(t, e->msg, strlen(e->msg));
	}
	return answer_tables(t, &page, leaves_out, e);
}
