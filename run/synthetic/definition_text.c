// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * definition_text: a definition in one line, as --synthetic takes it: the name, then WORD=VALUE.
 */
#include "run/synthetic/synthetic.h"

#include "base/ascii.h"
#include "base/glob.h"
#include "base/mem.h"
#include "expr/value.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct definition_line {
	const char *p;
	struct arena arena;
	const char *names[SYNTHETIC_FIELDS + 1], *formulas[SYNTHETIC_FIELDS + 1];
	struct synthetic_spec spec;
};

static void skip_blanks(struct definition_line *l)
{
	while (ascii_space(*l->p))
		l->p++;
}

/* A value: up to a blank, or a text in quotes.  NULL with E. */
static const char *take_value(struct definition_line *l, const char *word, struct err *e)
{
	const char *from = l->p, *end;
	char quote = *from == '"' || *from == '\'' ? *from : 0;

	if (quote) {
		end = strchr(++from, quote);
		if (!end || (end[1] && !ascii_space(end[1]))) {
			err_set(e, ERR_USAGE, ERR_NO_OFF,
				end ? "%s: missing blank after the closing quote" :
				      "%s: the quote is not closed",
				word);
			return NULL;
		}
	} else {
		end = from + strcspn(from, " \t\r\n");
	}
	if (end == from) {
		err_set(e, ERR_USAGE, ERR_NO_OFF, "%s= has no value", word);
		return NULL;
	}
	l->p = end + !!quote;
	return arena_strndup(&l->arena, from, end - from);
}

static int take_count(const char *word, const char *value, uint32_t *out, struct err *e)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (!ascii_digit(*value) || *end || errno || !n || n > UINT32_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s=%.40s: a number from 1 on is needed",
			       word, value);
	*out = (uint32_t)n;
	return 0;
}

int synthetic_keep_of(const char *value, enum synthetic_keep *out, struct err *e)
{
	*out = strcmp(value, "first") ? SYNTHETIC_LAST : SYNTHETIC_FIRST;
	if (*out == SYNTHETIC_LAST && strcmp(value, "last"))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "keep is first or last, not '%.40s': which of two starts counts",
			       value);
	return 0;
}

/* Is WORD one of ours with a typing error, and VALUE not an expression that one would compute? */
static int check_field(const char *word, const char *value, struct err *e)
{
	static const char *const ours[] = {
		"start", "end", "match", "abort", "abort_match", "keep", "nest", "max_pending",
	};
	static const char *const sides[] = { "start", "end" };
	struct expr *x = expr_parse(value, 0, sides, e);
	const struct expr_node *top = x ? expr_top(x) : NULL, *a, *b;
	bool odd = !x || !expr_reads(top) || expr_is_and(top, &a, &b) || expr_is_equal(top, &a, &b);

	expr_free(x);
	for (size_t i = 0; odd && i < sizeof(ours) / sizeof(ours[0]); i++)
		if (edit_distance(word, ours[i]) <= (strlen(ours[i]) > 4 ? 2 : 1))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s=%.60s: did you mean %s=? (a field of this name would be "
				       "computed from start. and end.)",
				       word, value, ours[i]);
	return 0;
}

static int take_word(struct definition_line *l, const char *word, const char *value, struct err *e)
{
	struct synthetic_spec *s = &l->spec;
	const struct {
		const char *word;
		const char **to;
	} texts[] = {
		{ "start", &s->start },
		{ "end", &s->end },
		{ "abort", &s->abort },
		{ "match", &s->match },
		{ "abort_match", &s->abort_match },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(word, texts[i].word))
			continue;
		if (*texts[i].to)
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s= is given twice", word);
		*texts[i].to = value;
		return 0;
	}
	if (!strcmp(word, "keep"))
		return synthetic_keep_of(value, &s->keep, e);
	if (!strcmp(word, "max_pending"))
		return take_count(word, value, &s->max_pending, e);
	if (!strcmp(word, "nest")) {
		s->nest = !strcmp(value, "1");
		return s->nest || !strcmp(value, "0") ?
			       0 :
			       err_set(e, ERR_USAGE, ERR_NO_OFF, "nest is 0 or 1");
	}
	TRY(check_field(word, value, e));
	if (s->nfields <= SYNTHETIC_FIELDS) {
		l->names[s->nfields] = word;
		l->formulas[s->nfields++] = value;
	}
	return 0;
}

static int parse(struct definition_line *l, struct err *e)
{
	size_t len;

	skip_blanks(l);
	len = strcspn(l->p, " \t\r\n=");
	l->spec.name = arena_strndup(&l->arena, l->p, len);
	if (!len || l->p[len] == '=')
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "it begins with a name: 'wait:cpu start=... end=... match=...'");
	l->p += len;
	for (skip_blanks(l); *l->p; skip_blanks(l)) {
		const char *word, *value;

		len = strcspn(l->p, " \t\r\n=");
		word = arena_strndup(&l->arena, l->p, len);
		if (l->p[len] != '=' || !len)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "'%.60s': write WORD=VALUE, a value with blanks in quotes",
				       word);
		l->p += len + 1;
		value = take_value(l, word, e);
		if (!value)
			return -1;
		TRY(take_word(l, word, value, e));
	}
	return 0;
}

struct synthetic_event *synthetic_add_text(struct synthetic *s, const char *text, struct err *e)
{
	struct definition_line l = { .p = text };
	struct synthetic_event *x = NULL;

	l.spec.names = l.names;
	l.spec.formulas = l.formulas;
	if (parse(&l, e) == 0)
		x = synthetic_add(s, &l.spec, e);
	arena_fini(&l.arena);
	return x;
}
