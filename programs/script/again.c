// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * again: the same inputs, and the same choice of events, for another process of this program: an
 * answer that is made from several runs starts these.
 */
#include "programs/script/again.h"

#include "base/mem.h"
#include "programs/reading.h"
#include "reader/open.h"

#include <string.h>

/* It is about reading, and is not one of the inputs themselves, which positionals are, too. */
static bool is_for_all(const struct cli_given *g)
{
	const struct cli_opt *opts = g->row->table->opts;

	return (opts == READING || opts == CHOOSING) && strcmp(g->row->opt->name, "input") != 0 &&
	       strcmp(g->row->opt->name, "stats") != 0;
}

char **again_words(const struct cli *c, struct err *e)
{
	size_t at = 0;
	char **words;

	for (unsigned i = 0; i < c->words.inputs.n; i++)
		if (source_is_read_once(c->words.inputs.v[i])) {
			err_set(e, ERR_USAGE, ERR_NO_OFF, "%s can be read only once",
				strcmp(c->words.inputs.v[i], "-") ? c->words.inputs.v[i] :
								    "standard input");
			return NULL;
		}
	words = mem_zalloc((c->ngiven + 2ul * c->words.inputs.n + 1) * sizeof(*words));
	for (size_t i = 0; i < c->ngiven; i++)
		if (is_for_all(&c->given[i]))
			words[at++] = cli_given_word(&c->given[i]);
	for (unsigned i = 0; i < c->words.inputs.n; i++) {
		words[at++] = mem_strdup("-i");
		words[at++] = mem_strdup(c->words.inputs.v[i]);
	}
	return words;
}
