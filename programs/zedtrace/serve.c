// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve: zedtrace -l, the server with the limits that the options or the defaults set.
 */
#include "base/plain.h"
#include "programs/stop.h"
#include "programs/zedtrace/signals.h"
#include "programs/zedtrace/zedtrace.h"
#include "record/net/server/server.h"

#include <string.h>

/* What the server says may be a report: lines that belong together. */
static void say_lines(void *arg, const char *text)
{
	cli_put(stderr, text, strlen(text), PLAIN_LINES);
	putc('\n', stderr);
}

int zedtrace_serve(struct cli *c, struct zedtrace *z)
{
	struct server_opts o = {
		.addr = z->addr,
		.port = z->port,
		.dir = z->dir,
		.user = z->user,
		.max_size = z->max_size,
		.max_total = z->max_total,
		.idle_ms = z->idle,
		.max_cpus = z->max_cpus,
		.to_stdout = z->output != NULL,
		.stay = z->stay,
		.stop = &cli_stop,
		.say = say_lines,
		.notes = &c->notes,
	};
	struct err e;

	/* A stream fills no disk of ours: it may be as long as its client likes. */
	if (!z->max_size_said)
		o.max_size = o.to_stdout ? 0 : DEFAULT_MAX_SIZE;
	if (!z->max_total_said)
		o.max_total = DEFAULT_MAX_TOTAL;
	if (!z->idle_said)
		o.idle_ms = DEFAULT_IDLE;
	if (!z->max_cpus_said)
		o.max_cpus = DEFAULT_MAX_CPUS;
	signals_leave("", "");
	signals_catch();
	if (server_run(&o, &e) < 0) {
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
	return c->notes.damage ? CLI_DAMAGE : CLI_OK;
}
