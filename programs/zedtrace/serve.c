// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve: zedtrace -l, the server with the limits that the options or the defaults set.
 */
#include "base/plain.h"
#include "programs/session/priority.h"
#include "programs/stop.h"
#include "programs/zedtrace/signals.h"
#include "programs/zedtrace/zedtrace.h"
#include "record/net/server/server.h"

#include <string.h>

/* A message of the server may be a report: lines that belong together. */
static void say_lines(void *arg, const char *text)
{
	cli_put_line("", text, strlen(text), PLAIN_LINES);
}

int zedtrace_serve(struct cli *c, struct zedtrace *z)
{
	const struct serving *s = &z->serving;
	struct server_opts o = {
		.addr = s->addr,
		.port = s->port,
		.dir = s->dir,
		.user = s->user,
		.max_size = z->max_size,
		.max_total = s->max_total,
		.idle_ms = s->idle,
		.max_cpus = s->max_cpus,
		.to_stdout = z->output != NULL,
		.stay = s->stay,
		.token = z->token_file ? &z->token : NULL,
		.stop = &cli_stop,
		.say = say_lines,
		.notes = &c->run.notes,
	};
	struct err e;

	/* A stream does not fill our disk: it may have any length. */
	if (!cli_given(c, "max-size"))
		o.max_size = o.to_stdout ? 0 : DEFAULT_MAX_SIZE;
	/* The reader of the stream waits for it. */
	if (o.to_stdout)
		priority_soon(true);
	signals_leave("", "");
	signals_catch();
	if (server_run(&o, &e) < 0) {
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	return c->run.notes.damage ? CLI_DAMAGE : CLI_OK;
}
