// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * definition: parses the user's definition of a synthetic event: its name, its events, which
 * conditions are keys, and which values of a start have to be kept.
 */
#include "run/synthetic/definition.h"

#include "base/ascii.h"
#include "base/glob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 64

static bool is_word(const char *s, size_t len)
{
	if (!len || len > NAME_LEN || ascii_digit(*s))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!ascii_alnum(s[i]) && s[i] != '_')
			return false;
	return true;
}

static int take_name(struct synthetic_def *d, const char *name, struct err *e)
{
	const char *colon = strchr(name, ':'), *event = colon ? colon + 1 : "";

	event += *event == ':';
	if (!colon || !is_word(name, colon - name) || !is_word(event, strlen(event)))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "invalid event name '%.80s': expected SYSTEM:EVENT, of letters, "
			       "digits and _, at most %d each",
			       name, NAME_LEN);
	d->system = arena_strndup(&d->arena, name, colon - name);
	d->name = arena_strndup(&d->arena, event, strlen(event));
	return 0;
}

static int take_events(struct words **w, const char *what, const char *list,
		       const struct stable *stable, struct catalog *c, struct err *e)
{
	if (!list)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s is missing: the events that %s it",
			       what, what);
	*w = words_new();
	if (words_add(*w, list, e) < 0 || words_bind(*w, stable, c, e) < 0)
		return err_within(e, "%s", what);
	return 0;
}

/* The abort may be an event that a kernel does not have: then no start is discarded. */
static int take_aborts(struct synthetic_def *d, const char *list, const struct stable *stable,
		       struct catalog *c, struct notes *n, struct err *e)
{
	char what[2 * NAME_LEN + 16];

	d->abort = words_new();
	if (words_add(d->abort, list, e) < 0)
		return err_within(e, "abort");
	snprintf(what, sizeof(what), "%s:%s: abort", d->system, d->name);
	words_bind_some(d->abort, stable, c, what, n);
	return 0;
}

static struct expr *parse(const char *what, const char *text, const char *other, struct err *e)
{
	const char *const sides[] = { "start", other };
	struct expr *x = expr_parse(text, 0, sides, e);

	if (!x)
		err_within(e, "%s", what);
	return x;
}

static int add_term(struct rule *r, const struct expr_node *n, const char *what, struct err *e)
{
	const struct expr_node *a, *b;
	unsigned reads = expr_reads(n), *count;
	const struct expr_node **list;

	if (expr_is_equal(n, &a, &b) && expr_reads(a) + expr_reads(b) == 3 && expr_reads(a) != 3 &&
	    expr_reads(b) != 3) {
		bool first = expr_reads(a) == 1;

		if (r->nkeys == SYNTHETIC_KEYS)
			return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: more than %d equalities",
				       what, SYNTHETIC_KEYS);
		r->start_keys[r->nkeys] = first ? a : b;
		r->end_keys[r->nkeys++] = first ? b : a;
		return 0;
	}
	list = reads == 1 ? r->start_if : reads == 3 ? r->both_if : r->end_if;
	count = reads == 1 ? &r->nstart_if : reads == 3 ? &r->nboth_if : &r->nend_if;
	if (*count == SYNTHETIC_TERMS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "%s: more than %d conditions", what,
			       SYNTHETIC_TERMS);
	list[(*count)++] = n;
	return 0;
}

/* The terms joined by "and". */
static int take_terms(struct rule *r, const struct expr_node *n, const char *what, struct err *e)
{
	const struct expr_node *a, *b;

	if (!expr_is_and(n, &a, &b))
		return add_term(r, n, what, e);
	TRY(take_terms(r, a, what, e));
	return take_terms(r, b, what, e);
}

static int take_rule(struct rule *r, const char *what, const char *text, const char *other,
		     struct err *e)
{
	if (!text)
		return 0;
	r->text = parse(what, text, other, e);
	return r->text ? take_terms(r, expr_top(r->text), what, e) : -1;
}

/* An abort is looked up by the keys of the match: put its own in their order. */
static int order_keys(struct synthetic_def *d, struct err *e)
{
	struct rule *r = &d->abort_match;
	const struct expr_node *ends[SYNTHETIC_KEYS];

	for (unsigned i = 0; i < d->match.nkeys; i++) {
		unsigned k = 0;

		while (k < r->nkeys && !expr_same(r->start_keys[k], d->match.start_keys[i]))
			k++;
		if (k == r->nkeys || r->nkeys != d->match.nkeys)
			return err_set(
				e, ERR_USAGE, ERR_NO_OFF,
				"abort_match has to compare by == the same values of start as "
				"match: by these a start is found");
		ends[i] = r->end_keys[k];
	}
	if (r->nkeys != d->match.nkeys)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "abort_match has an equality of start that match has not");
	if (r->nstart_if)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "abort_match: what concerns start alone belongs to match");
	memcpy(r->end_keys, ends, d->match.nkeys * sizeof(*ends));
	memcpy(r->start_keys, d->match.start_keys, sizeof(r->start_keys));
	return 0;
}

static int take_fields(struct synthetic_def *d, const struct synthetic_spec *s, struct err *e)
{
	if (s->nfields > SYNTHETIC_FIELDS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "more than %d fields", SYNTHETIC_FIELDS);
	d->fields = arena_alloc(&d->arena, (s->nfields + 1) * sizeof(*d->fields));
	for (unsigned i = 0; i < s->nfields; i++) {
		const char *name = s->names[i];
		char what[NAME_LEN + 16];

		if (!is_word(name, strlen(name)) || !strncmp(name, "common_", 7))
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "invalid field name '%.80s': expected letters, digits "
				       "and _, not common_",
				       name);
		for (unsigned k = 0; k < i; k++)
			if (!strcmp(name, s->names[k]))
				return err_set(e, ERR_USAGE, ERR_NO_OFF,
					       "there are two fields '%s'", name);
		snprintf(what, sizeof(what), "field %s", name);
		d->fields[i].name = arena_strndup(&d->arena, name, strlen(name));
		d->fields[i].text = parse(what, s->formulas[i], "end", e);
		if (!d->fields[i].text)
			return -1;
		d->nfields++;
	}
	return 0;
}

/* The fields of the start that X reads. */
static void capture(struct synthetic_def *d, const struct expr *x, size_t *cap)
{
	const char *name;

	for (unsigned i = 0; x && (name = expr_name(x, SIDE_START, i)); i++) {
		unsigned k = 0;

		while (k < d->ncaptured && strcmp(d->captured[k], name))
			k++;
		if (k < d->ncaptured)
			continue;
		d->captured = mem_grow(d->captured, cap, d->ncaptured + 1, sizeof(*d->captured));
		d->captured[d->ncaptured++] = name;
	}
}

/* The fields that a start is matched by are kept too, for listing the starts that wait. */
static void find_captured(struct synthetic_def *d)
{
	size_t cap = 0;

	for (unsigned i = 0; i < d->nfields; i++)
		capture(d, d->fields[i].text, &cap);
	capture(d, d->match.text, &cap);
	if (d->abort_match.nboth_if)
		capture(d, d->abort_match.text, &cap);
}

static int fill(struct synthetic_def *d, const struct synthetic_spec *s,
		const struct stable *stable, struct catalog *c, struct notes *n, struct err *e)
{
	TRY(take_name(d, s->name, e));
	TRY(take_events(&d->start, "start", s->start, stable, c, e));
	TRY(take_events(&d->end, "end", s->end, stable, c, e));
	TRY(take_rule(&d->match, "match", s->match, "end", e));
	if (s->abort) {
		TRY(take_aborts(d, s->abort, stable, c, n, e));
		if (s->abort_match)
			TRY(take_rule(&d->abort_match, "abort_match", s->abort_match, "abort", e));
		else
			TRY(take_rule(&d->abort_match, "match", s->match, "end", e));
		if (s->abort_match)
			TRY(order_keys(d, e));
	} else if (s->abort_match) {
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "abort_match without abort");
	}
	TRY(take_fields(d, s, e));
	if (s->nest && s->keep != SYNTHETIC_LAST)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "nest keeps all starts: without keep");
	if (s->max_pending > UINT32_MAX / 64)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "max_pending: at most %u",
			       UINT32_MAX / 64);
	d->keep = s->keep;
	d->nest = s->nest;
	d->max_pending = s->max_pending ? s->max_pending : SYNTHETIC_PENDING;
	find_captured(d);
	return 0;
}

struct synthetic_def *synthetic_def_new(const struct synthetic_spec *s, const struct stable *stable,
					struct catalog *c, struct notes *n, struct err *e)
{
	struct synthetic_def *d = mem_zalloc(sizeof(*d));

	if (fill(d, s, stable, c, n, e) == 0)
		return d;
	e->kind = ERR_USAGE;
	synthetic_def_free(d);
	return NULL;
}

void synthetic_def_free(struct synthetic_def *d)
{
	words_free(d->start);
	words_free(d->end);
	words_free(d->abort);
	expr_free(d->match.text);
	expr_free(d->abort_match.text);
	for (unsigned i = 0; i < d->nfields; i++)
		expr_free(d->fields[i].text);
	free(d->captured);
	arena_fini(&d->arena);
	free(d);
}
