// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_options: the options about the run of a script that do not depend on its language, and
 * their conflicts.
 */
#include "programs/script/script_options.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "5s", "5s,total" */
static int set_every(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	struct script_words *s = c->script;
	size_t len = strcspn(value, ",");
	char text[64];

	if (len >= sizeof(text) || (value[len] && strcmp(value + len, ",total") != 0))
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "'%s': it is a time, 5s, or 5s,total",
			       value);
	snprintf(text, sizeof(text), "%.*s", (int)len, value);
	TRY(times_duration(text, &s->every, e));
	s->every_total = value[len];
	return s->every ? 0 : err_set(e, ERR_USAGE, ERR_NO_OFF, "the interval must be above 0");
}

static int set_live(struct cli *c, const struct cli_opt *o, const char *value, struct err *e)
{
	c->script->live = true;
	c->chooser = &SESSION_CHOOSER;
	if (value)
		c->script->run.events = value;
	return 0;
}

const struct cli_opt SCRIPT_OPTIONS[] = {
	{ "live", 0, "[=EVENTS]",
	  "run the script on what this kernel does now, until Ctrl-C: on\n"
	  "the events that it handles (or that its line \"# zedtrace:\"\n"
	  "names), or on EVENTS:  --live=sched,block:block_rq_*; or, with\n"
	  "--instance NAME, on what another program's instance traces",
	  OPT_CALL(set_live) },
	{ "generate", 'g', NULL,
	  "[EVENT]... TRACE: print a starter script for the named events, as\n"
	  "--event takes them; for \"all\"; or else for a few that the trace has",
	  OPT_ASKS, .modes = SCRIPT_GENERATES },
	{ "list", 't', NULL, "list the trace's events with their counts (-v: also absent ones)",
	  OPT_ASKS, .modes = SCRIPT_LISTS },
	{ "every", 0, "TIME[,total]",
	  "call trace_interval and print aggregations after each 5s of the\n"
	  "trace: those of that time; with ',total', those of all so far",
	  OPT_CALL(set_every), .modes = SCRIPT_RUNS },
	{ "keep-going", 0, NULL,
	  "go on after an error in a handler, which ends that call; exit status 1",
	  OPT_FLAG(script_words, keep_going) },
	{ .name = NULL },
};

const struct cli_rule SCRIPT_RULES[] = {
	{ 0, "head tail", CLI_NOT_WITH, "generate list",
	  "it chooses what a script is given, and all is looked at" },
	{ 0, "synthetic", CLI_NOT_WITH, "generate list",
	  "it makes events for a script or an export" },
	{ 0, "list", CLI_NOT_WITH, "live",
	  "it counts the events of a recording; zedtrace -t lists what this kernel offers" },
	{ 0, "input", CLI_NOT_WITH, "live", "it reads this kernel and no file" },
	{ 0, "live=* SETS", CLI_NOT_WITH, "live+instance", "who made it has set what is traced" },
	{ .these = NULL },
};

const char *script_name(const struct script_words *s)
{
	return s->path ? s->path : "-e";
}

void script_add_code(struct script_words *s, const char *line)
{
	size_t len = s->code ? strlen(s->code) : 0, size = len + strlen(line) + 2;

	s->code = mem_realloc(s->code, size);
	snprintf(s->code + len, size - len, "%s\n", line);
}

bool script_one_instance(struct cli *c)
{
	if (!c->script->live || c->words.instances.n <= 1)
		return true;
	cli_usage(c, false, "--live reads one --instance");
	return false;
}

void script_words_fini(struct script_words *s)
{
	command_drop(&s->run.command);
	livebudget_fini(&s->run.budget);
	session_words_fini(&s->run.words);
	free(s->code);
}
