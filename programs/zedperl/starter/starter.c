/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starter: zedperl -g, the events meant by the words after it, and the script for them.
 */
#include "programs/zedperl/starter/starter.h"

#include "programs/event_counts.h"
#include "programs/zedperl/starter/starter_priv.h"
#include "reader/open.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * WORD, or WORD.dat, as source_open() takes it.  A folder such as a kernel's block/ is not a trace.
 */
static bool is_trace(const char *word)
{
	char longer[4096];
	struct stat st;

	snprintf(longer, sizeof(longer), "%s.dat", word);
	if (stat(word, &st) == 0 && (!S_ISDIR(st.st_mode) || source_is_trace(word)))
		return true;
	return stat(longer, &st) == 0;
}

/* Does word AT of C name events, not a trace? */
static bool names_events(const struct cli *c, int at)
{
	const char *word = c->words.args[at];

	if (!strcmp(word, "-") || strchr(word, '/') || is_trace(word) ||
	    (!strchr(word, ':') && strchr(word, '.')))
		return false;
	return at + 1 < c->words.nargs || c->words.inputs.n || !strcmp(word, "all") ||
	       strpbrk(word, ":*?[,") || access("trace.dat", F_OK) == 0;
}

static int ask(struct starter_ask *a, const char *word, struct err *e)
{
	if (!strcmp(word, "all")) {
		a->all = true;
		return 0;
	}
	if (!a->words)
		a->words = words_new();
	return words_add(a->words, word, e);
}

int starter_word(struct starter_ask *a, struct cli *c, int at, struct err *e)
{
	if (names_events(c, at))
		return ask(a, c->words.args[at], e);
	cli_input(c, c->words.args[at]);
	return 0;
}

void starter_ask_fini(struct starter_ask *a)
{
	words_free(a->words);
}

static int write_short(struct cli *c)
{
	struct event_counts k = { 0 };
	int status = count_events(c, &k);

	starter_short(c->run.pump.catalog, k.v, k.n, c->words.inputs.v[0], &c->run.notes, stdout);
	free(k.v);
	return status;
}

int starter_write(struct cli *c, const struct starter_ask *a, bool perf)
{
	/* --event names events as well; they are bound already. */
	const struct words *words = a->words ? a->words : c->choice.events;
	int status = CLI_OK;
	struct err e;

	if (a->words && words_bind(a->words, c->choice.stable, c->run.pump.catalog, &e) < 0) {
		err_within(&e, "-g");
		cli_say_err(c, &e);
		return CLI_USAGE;
	}
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
