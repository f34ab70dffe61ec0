// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_line: the words around a script: the command of a live run, the trace that is in this
 * folder, and traces that stand where they are not read.
 */
#include "programs/script/script_line.h"

#include "reader/open.h"

#include <string.h>
#include <unistd.h>

void line_take_command(struct cli *c)
{
	struct cli_words *w = &c->words;
	bool code = c->script->code, dashed = code && w->dashes;
	int at = !code && w->nargs;

	while (!dashed && at < w->nargs && strcmp(w->args[at], "--"))
		at++;
	if (!dashed && at == w->nargs)
		return;
	w->command = w->args + at + !dashed;
	w->nargs = at;
}

void line_take_script(struct cli *c, int *at)
{
	if (!c->script->code && c->words.nargs)
		c->script->path = c->words.args[(*at)++];
}

void line_say_arguments(struct cli *c, int at)
{
	const char *first = NULL, *script = c->script->path, *prog = c->spec->prog;
	unsigned n = 0;

	for (; at < c->words.nargs; at++)
		if (source_is_trace(c->words.args[at]) && !n++)
			first = c->words.args[at];
	if (n > 1)
		cli_say(c,
			"%u traces after the script (%s, ...) are arguments of %s: to read "
			"them too, write -i before each trace, and the script last",
			n, first, script);
	else if (n)
		cli_say(c,
			"%s after the script is an argument of %s: to read it too, %s -i "
			"%s -i %s %s",
			first, script, prog, c->words.inputs.v[0], first, script);
}

bool line_trace_here(struct cli *c)
{
	if (access("trace.dat", F_OK) < 0)
		return false;
	cli_input(c, "trace.dat");
	return true;
}
