/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter: zedperl -g, the events meant by the words after it, and the script for them.
 */
#include "programs/zedperl/starter/starter.h"

#include "programs/event_counts.h"
#include "programs/zedperl/starter/starter_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_short(struct cli *c)
{
	struct event_counts k = { 0 };
	int status = count_events(c, &k);

	starter_short(c->run.pump.catalog, k.v, k.n, c->words.inputs.v[0], &c->run.notes, stdout);
	free(k.v);
	return status;
}

int starter_write(struct cli *c, struct starter_ask *a, bool perf)
{
	const struct words *words;
	int status = CLI_OK;

	if (!starter_bind(a, c, &words))
		return CLI_USAGE;
	if (a->all || perf)
		starter_all(c->run.pump.catalog, a->all ? NULL : words, c->words.inputs.v[0], perf,
			    &c->run.notes, stdout);
	else if (words)
		starter_named(c->run.pump.catalog, words, c->words.inputs.v[0], &c->run.notes,
			      stdout);
	else
		status = write_short(c);
	return status == CLI_OK && (c->run.failed || c->run.notes.damage) ? CLI_DAMAGE : status;
}
