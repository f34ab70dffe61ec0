// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * chosen_events: the filter of the list and of a search, once the trace is open, so that what is
 * wrong with it is part of the answer.
 */
#include "programs/zedperl/explore/chosen_events.h"

#include "base/ascii.h"
#include "programs/zedperl/explore/explore_priv.h"

#include <stdio.h>
#include <string.h>

bool chosen_is_words(const char *text)
{
	const char *p = text;

	while (ascii_alnum(*p) || (*p && strchr("_:*?.,-[] ", *p)))
		p++;
	/* "sched: x" is an expression without an operator. */
	return !*p && !strstr(text, ": ");
}

static bool takes_type(void *arg, const struct etype *t)
{
	return words_take(arg, t);
}

static int take_words(struct cli *c, const char *text, struct err *e)
{
	struct words *w = words_new();

	/* C frees it. */
	c->choice.events = w;
	TRY(words_add(w, text, e));
	TRY(words_bind(w, c->choice.stable, c->run.pump.catalog, e));
	filter_types(c->run.pump.filter, takes_type, w);
	return 0;
}

int chosen_take(struct cli *c, const char *text, struct err *e)
{
	struct filter *f = c->run.pump.filter;

	if (!*text)
		return 0;
	if (chosen_is_words(text))
		TRY(take_words(c, text, e));
	else
		TRY(filter_expr(f, text, e));
	TRY(filter_compile(f, c->run.pump.catalog, &c->run.notes, e));
	cli_want(c, NULL);
	return 0;
}

void chosen_error(struct outbuf *o, const struct err *e)
{
	unsigned column = 0;
	int skip = 0;

	/* expr_complain() says it in words, as for all who print an error. */
	sscanf(e->msg, "column %u: %n", &column, &skip);
	out_str(o, "{\"text\":");
	out_json(o, e->msg + skip, strcspn(e->msg + skip, "\n"));
	out_str(o, ",\"at\":");
	if (skip && column)
		out_u64(o, column - 1);
	else
		out_str(o, "null");
	out_char(o, '}');
}
