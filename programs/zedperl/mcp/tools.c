// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tools: the table of all tools, as clients see it.
 */
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/mcp/tool.h"

#include <string.h>

static const struct tool TOOLS[] = {
	{ "summary", "What is in a trace",
	  "Begin here: what sticks out (each with the call that shows it closer), the events and "
	  "CPUs, what was lost, and which analyses suit the trace.",
	  ARGS_CHOICE | ARGS_BUDGET, 0, summary_plan, summary_answer },
	{ "answer", "The answer of an analysis",
	  "Run an analysis that summary lists (table scripts) over the trace, or over a part of "
	  "it: waits, wakeup-latency, off-cpu, sched-summary, syscalls, irq, block and others. The "
	  "first table is of all cases, `worst` has single ones with their times.",
	  ARGS_CHOICE | ARGS_BUDGET | ARG(ANALYSIS) | ARG(OPTIONS), ARG(ANALYSIS), analysis_plan,
	  analysis_answer },
	{ "events", "Single events",
	  "The events of a range in order of time, to look at a case that another answer has "
	  "found. Choose a narrow range, or events by name: a trace has millions.",
	  ARGS_CHOICE | ARGS_BUDGET | ARG(AROUND) | ARG(EVENT) | ARG(FILTER) | ARG(FIELDS), 0,
	  events_plan, events_answer },
	{ "aggregate", "Counts, sums and distributions",
	  "Compute over all events of a name, without reading them: count, sum, min, max, avg, "
	  "stats, hist, quantiles of a field, or its top values, by keys.",
	  ARGS_CHOICE | ARGS_BUDGET | ARG(EVENT) | ARG(KIND) | ARG(VALUE) | ARG(BY) | ARG(WHERE) |
		  ARG(FIELDS),
	  ARG(EVENT) | ARG(KIND), aggregate_plan, aggregate_answer },
	{ "why_late", "Where the time before a late run went",
	  "Explains the longest waits for a CPU (of a task, in a range) back to where the task "
	  "went to sleep: what it waited for, and what that waited for. With `whole` all of a "
	  "task's time between from and to.",
	  ARGS_CHOICE | ARGS_BUDGET | ARG(TASK) | ARG(WORST) | ARG(WHOLE), 0, whylate_plan,
	  analysis_answer },
	{ "explain_losses", "What is missing in a trace",
	  "Gaps by CPU, and how much time they hide. Ask before a conclusion from a count, a "
	  "maximum or an absence, if limits name losses.",
	  ARGS_CHOICE | ARGS_BUDGET, 0, losses_plan, analysis_answer },
	{ "compare", "What differs between traces",
	  "An analysis of two traces, of two groups of runs, or of two times of one trace: what "
	  "differs, by how much, and whether that is more than chance.",
	  ARGS_BUDGET | ARG(ANALYSIS) | ARG(A) | ARG(B) | ARG(A_FROM) | ARG(A_TO) | ARG(B_FROM) |
		  ARG(B_TO),
	  ARG(ANALYSIS) | ARG(A) | ARG(B), compare_plan, analysis_answer },
};

#define NTOOLS (sizeof(TOOLS) / sizeof(*TOOLS))

const struct tool *tool_at(unsigned i)
{
	return i < NTOOLS ? &TOOLS[i] : NULL;
}

const struct tool *tool_named(const char *name)
{
	for (unsigned i = 0; i < NTOOLS; i++)
		if (!strcmp(TOOLS[i].name, name))
			return &TOOLS[i];
	return NULL;
}

static void put_tool(struct outbuf *o, const struct tool *tool, const struct mcp_traces *t)
{
	out_printf(o, "{\"name\":\"%s\",\"title\":\"%s\",\"description\":", tool->name,
		   tool->title);
	out_json(o, tool->about, strlen(tool->about));
	out_str(o, ",\"inputSchema\":");
	args_schema(o, tool->takes, tool->needs, t);
	out_str(o, ",\"outputSchema\":");
	out_str(o, CONTENT_SCHEMA);
	out_str(o, ",\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":false,"
		   "\"idempotentHint\":true,\"openWorldHint\":false}}");
}

void tools_put(struct outbuf *o, const struct mcp_traces *t)
{
	out_str(o, "\"tools\":[");
	for (unsigned i = 0; i < NTOOLS; i++) {
		out_str(o, i ? "," : "");
		put_tool(o, &TOOLS[i], t);
	}
	out_char(o, ']');
}
