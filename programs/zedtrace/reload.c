// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * reload: a file of settings that changed, for a recording that continues; and its check, without
 * one.
 */
#include "programs/zedtrace/reload.h"

#include "base/mem.h"
#include "kernel/filter_text.h"
#include "programs/config.h"
#include "programs/session/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the check ---- */

/* Is TEXT a filter, of events that this kernel has?  KERNEL: NULL, if that is not known. */
static int check_filter(const char *text, const struct tracefs_events *kernel, struct err *e)
{
	char *pattern, *expr;
	bool *named;
	int rc;

	TRY(kfilter_split(text, &pattern, &expr, e));
	named = mem_zalloc(kernel ? kernel->n + 1u : 1);
	rc = kernel ? tracefs_match(kernel, pattern, named, e) : 0;
	free(named);
	free(pattern);
	free(expr);
	return rc < 0 ? -1 : 0;
}

/* One that C was given.  A mistake in one from a file has its line. */
static int check_given(const struct cli *c, const char *text, const struct tracefs_events *kernel,
		       struct err *e)
{
	if (check_filter(text, kernel, e) == 0)
		return 0;
	return config_blame(c, text, e) ? -1 : err_within(e, "--filter");
}

static int check_filters(const struct cli *c, const struct zedtrace *z,
			 const struct tracefs_events *kernel, struct err *e)
{
	const struct cli_texts *all = &z->words.filters;

	for (unsigned i = 0; i < all->n; i++)
		TRY(check_given(c, all->v[i], kernel, e));
	return 0;
}

int zedtrace_check(struct cli *c, struct zedtrace *z)
{
	bool known = !z->instance, good = true;
	struct err e;

	if (known && zedtrace_events(c, z, &e) < 0) {
		known = false;
		/* Where it is written, tracefs may be missing, or not for this user. */
		if (e.kind == ERR_SYS)
			err_within(&e, "events were not checked");
		else
			good = false;
		cli_say_err(c, &e);
	}
	for (unsigned i = 0; i < z->words.filters.n; i++) {
		if (check_given(c, z->words.filters.v[i], known ? &z->events.kernel : NULL, &e) ==
		    0)
			continue;
		cli_say_err(c, &e);
		good = false;
	}
	return good ? CLI_OK : CLI_USAGE;
}

/* ---- what has changed ---- */

/* A reload changes what these mean; what is recorded, besides, by the words. */
static bool is_live(const char *name)
{
	return !strcmp(name, "filter") || !strcmp(name, "for");
}

/* The next one given of option O, from *AT on; NULL: no more. */
static const struct cli_given *next_of(const struct cli *c, const struct cli_opt *o, size_t *at)
{
	while (*at < c->ngiven)
		if (c->given[(*at)++].row->opt == o)
			return &c->given[*at - 1];
	return NULL;
}

static bool is_given_alike(const struct cli *a, const struct cli *b, const struct cli_opt *o)
{
	const struct cli_given *x, *y;
	size_t i = 0, k = 0;

	do {
		x = next_of(a, o, &i);
		y = next_of(b, o, &k);
		if (!x || !y)
			return x == y;
	} while (!strcmp(x->value ? x->value : "", y->value ? y->value : ""));
	return false;
}

/* Name the options that differ and that a running recorder keeps. */
static void say_kept(struct cli *c, const struct cli *again)
{
	char names[300] = "";
	unsigned n = 0;
	size_t len = 0;

	for (unsigned i = 0; i < c->nrows && len < sizeof(names); i++) {
		const struct cli_opt *o = c->rows[i].opt;

		if (is_live(o->name) || is_given_alike(c, again, o))
			continue;
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", n++ ? ", " : "",
					o->name);
	}
	if (n)
		cli_say(c, "%s changed: %s effect at the next start", names,
			n > 1 ? "they take" : "it takes");
}

/* ---- the reload ---- */

static int change(struct cli *again, struct zedtrace *next, struct session *s, pid_t command,
		  struct err *e)
{
	struct session_opts o = { .notes = &again->run.notes };
	struct command runs = { .pid = command, .fd = -1 };

	TRY(zedtrace_events(again, next, e));
	TRY(check_filters(again, next, &next->events.kernel, e));
	TRY(session_words_mean(&next->words, &runs, &next->events, &o, e));
	o.tracer = next->tracer;
	return session_change(s, &o, e);
}

bool reload_begin(struct cli *c, const struct zedtrace *z, struct session *s, pid_t command)
{
	struct zedtrace next = ZEDTRACE_INIT;
	bool begun = false;
	struct cli again;
	struct err e;
	int status;

	cli_init(&again, &ZEDTRACE_SPEC, &next);
	again.session = &next.words;
	again.chooser = &SESSION_CHOOSER;
	if (cli_parse(&again, z->unattended.argc, z->unattended.argv, &status) &&
	    zedtrace_asked(&again, &next) == RECORD) {
		begun = change(&again, &next, s, command, &e) == 0;
		if (!begun)
			cli_say_err(c, &e);
	}
	if (begun)
		say_kept(c, &again);
	else
		cli_say(c, "not reloaded: it records as before");
	cli_fini(&again);
	zedtrace_fini(&next);
	return begun;
}

void reload_end(struct cli *c, const struct zedtrace *z, struct session *s)
{
	struct err e;
	unsigned n;

	/* There may be system calls among the events now. */
	if (session_exclude(s, getpid(), &e) < 0 || session_words_exclude(&z->words, s, &e) < 0)
		note_err(&c->run.notes, NOTE_WARN, &e);
	session_events(s, &n);
	cli_say(c, "reloaded: %u event%s", n, plural(n));
}
