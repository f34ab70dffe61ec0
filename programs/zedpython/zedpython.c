// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedpython: the program's main, which runs a Python script over traces or the running kernel, or
 * lists the events of a trace.
 */
#include "programs/zedpython/zedpython.h"

#include "programs/open_inputs.h"
#include "programs/script/listing.h"
#include "programs/script/script_host.h"
#include "programs/session/priority.h"
#include "programs/zedpython/python_starter.h"

#include <stdlib.h>

/* Everything after the command line was read; returns the exit status. */
static int run(struct cli *c, struct zedpython *z)
{
	int status;

	if (!cli_stable(c))
		return CLI_USAGE;
	status = script_prepare(c, SCRIPT_PYTHON);
	if (status != CLI_OK || !cli_open(c, &status))
		return status;
	if (!z->script.live && pump_is_live(&c->run.pump))
		priority_soon(false);
	if (z->mode == SCRIPT_LISTS)
		return listing_print(c);
	if (z->mode == SCRIPT_GENERATES)
		return python_starter_write(c, &z->starter);
	return script_has_events(c) ? zedpython_run(c, z) : CLI_USAGE;
}

int main(int argc, char **argv)
{
	struct zedpython z = { .script.run.words = SESSION_WORDS_INIT };
	struct cli c;
	int status = 0;

	cli_init(&c, &ZEDPYTHON_SPEC, &z);
	c.words.source.slack = SESSION_SLACK;
	c.session = &z.script.run.words;
	c.script = &z.script;
	if (cli_parse(&c, argc, argv, &status) && zedpython_words(&c, &z, &status))
		status = run(&c, &z);
	cli_fini(&c);
	script_words_fini(&z.script);
	starter_ask_fini(&z.starter);
	texts_fini(&z.folders);
	return status;
}
