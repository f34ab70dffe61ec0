// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plan: the words of command lines that tools have in common: the trace, and which part of it.
 */
#include "programs/zedperl/mcp/answer_tables.h"
#include "programs/zedperl/mcp/tool.h"

int plan_trace(struct work *w, const struct call_args *a, const struct mcp_traces *t, struct err *e)
{
	const struct mcp_trace *trace = mcptraces_named(t, args_text(a, ARG_TRACE), e);

	if (!trace)
		return -1;
	w->traces[w->ntraces++] = trace;
	return 0;
}

/* A value is joined to its option: it may begin with '-'. */
static void add_option(struct analysis_words *words, const char *name, const char *value)
{
	if (value)
		analysis_word(words, "--%s=%s", name, value);
}

void plan_begin(const struct work *w, struct analysis_words *words, const struct call_args *a)
{
	analysis_word(words, "zedperl");
	/* why_late explains the whole of the time itself. */
	if (!args_flag(a, ARG_WHOLE)) {
		add_option(words, "start", args_text(a, ARG_FROM));
		add_option(words, "end", args_text(a, ARG_TO));
	}
	add_option(words, "around", args_text(a, ARG_AROUND));
	add_option(words, "cpu", args_text(a, ARG_CPU));
	add_option(words, "pid", args_text(a, ARG_PID));
	add_option(words, "comm", args_text(a, ARG_COMM));
	/* As a first word it could be a script by now, or a command by its name. */
	analysis_word(words, "-i");
	analysis_word(words, "%s", w->traces[0]->shown);
}

void plan_analysis(struct work *w, const struct call_args *a)
{
	struct analysis_words *run = &w->runs[w->nruns++];

	work_words(run, &w->shown);
	answer_words(run, a);
}
