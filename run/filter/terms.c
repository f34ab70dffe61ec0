// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * terms: expressions that name the types they are about (-F).  They are bound to each type once,
 * before the run or when it is first met; a name that no input has is a mistake, with a hint.
 */
#include "run/filter/terms.h"

#include "base/ascii.h"
#include "base/glob.h"
#include "base/mem.h"
#include "expr/expr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One -F. */
struct term {
	struct term *next;
	char *text;	      /* as given */
	char *system, *event; /* globs; event NULL: all of the system */
	struct expr *expr;
};

void terms_init(struct terms *ts)
{
	memset(ts, 0, sizeof(*ts));
	ts->tail = &ts->list;
}

static void free_slots(struct terms *ts)
{
	struct term_bound *b;

	for (size_t i = 0; i < ts->cap_slots; i++) {
		while ((b = ts->slots[i].bound)) {
			ts->slots[i].bound = b->next;
			expr_test_free(b->where);
			free(b);
		}
	}
	free(ts->slots);
	ts->slots = NULL;
	ts->cap_slots = 0;
}

static void free_term(struct term *t)
{
	expr_free(t->expr);
	free(t->text);
	free(t->system);
	free(t->event);
	free(t);
}

void terms_fini(struct terms *ts)
{
	struct term *t;

	free_slots(ts);
	while ((t = ts->list)) {
		ts->list = t->next;
		free_term(t);
	}
}

/* Length of a name or glob at S: up to a blank, a colon or the end. */
static size_t name_len(const char *s)
{
	return strcspn(s, ": \t\r\n\v\f");
}

int terms_add(struct terms *ts, const char *text, struct err *e)
{
	size_t at = 0, len, event_at = 0, event_len = 0, gap;
	struct term *t;
	struct expr *x;

	while (ascii_space(text[at]))
		at++;
	len = name_len(text + at);
	gap = at + len + strspn(text + at + len, " \t");
	if (!len || text[gap] != ':')
		return expr_complain(e, text, gap,
				     "a filter reads 'SYSTEM: EXPRESSION' or "
				     "'SYSTEM:EVENT: EXPRESSION'");
	gap += text[gap + 1] == ':' ? 2 : 1; /* two in the names of -t */
	/* "sched:sched_switch: x" names an event, "sched:x == 1" does not. */
	event_len = name_len(text + gap);
	if (event_len && text[gap + event_len + strspn(text + gap + event_len, " \t")] == ':') {
		event_at = gap;
		gap += event_len + strspn(text + gap + event_len, " \t") + 1;
	}
	x = expr_parse(text, gap, NULL, e);
	if (!x)
		return -1;
	t = mem_zalloc(sizeof(*t));
	t->text = mem_strdup(text);
	t->system = mem_strndup(text + at, len);
	if (event_at)
		t->event = mem_strndup(text + event_at, event_len);
	t->expr = x;
	*ts->tail = t;
	ts->tail = &t->next;
	return 0;
}

/* ---- binding to types ---- */

bool terms_take_type(const struct terms *ts, const struct etype *t)
{
	return !ts->takes || ts->takes(ts->takes_arg, t);
}

static bool term_names(const struct term *t, const struct etype *type)
{
	return etype_matches(type, t->system, t->event ? t->event : "*");
}

static struct term_slot *slot_of(struct terms *ts, unsigned idx)
{
	if (idx >= ts->cap_slots)
		ts->slots = mem_grow_zeroed(ts->slots, &ts->cap_slots, (size_t)idx + 1,
					    sizeof(*ts->slots));
	return &ts->slots[idx];
}

/* Bind T to TYPE (resolved).  -1 with E if that fails; *LACKS as in expr_test_bind(). */
static int bind_term(struct terms *ts, const struct term *t, const struct etype *type, bool *lacks,
		     struct err *e)
{
	struct term_slot *s = slot_of(ts, type->idx);
	struct expr_test *w = expr_test_bind(t->expr, type, &ts->names, lacks, e);
	struct term_bound *b;

	if (!w)
		return -1;
	b = mem_zalloc(sizeof(*b));
	b->where = w;
	b->next = s->bound;
	s->bound = b;
	return 0;
}

enum candidate { CAND_SYSTEM, CAND_EVENT, CAND_EVENT_OF_SYSTEM };

struct term_candidates {
	const struct terms *ts;
	const struct term *t;
	enum candidate what;
	unsigned i;
};

static const char *next_candidate(void *arg)
{
	struct term_candidates *c = arg;
	const struct etype *type;

	while (c->i < catalog_count(c->ts->catalog)) {
		type = catalog_at(c->ts->catalog, c->i++);
		if (!type->known)
			continue;
		if (c->what == CAND_SYSTEM)
			return type->system;
		if (c->what == CAND_EVENT || glob_match(c->t->system, type->system))
			return type->name;
	}
	return NULL;
}

static const char *nearest(const struct terms *ts, const struct term *t, const char *name,
			   enum candidate what)
{
	struct term_candidates c = { .ts = ts, .t = t, .what = what };

	return nearest_name(name, next_candidate, &c);
}

/* T names no type of the inputs. */
static int nothing_named(const struct terms *ts, const struct term *t, struct err *e)
{
	bool system = false;
	const char *near;
	size_t at = strspn(t->text, " \t\r\n\v\f");

	for (unsigned i = 0; i < catalog_count(ts->catalog); i++) {
		const struct etype *type = catalog_at(ts->catalog, i);

		if (!type->known)
			continue;
		system |= glob_match(t->system, type->system);
		/* trace-cmd's filters begin with the event's name only. */
		if (!t->event && !strcmp(type->name, t->system))
			return expr_complain(e, t->text, at,
					     "no input has a system '%s', but %s has an event of "
					     "that name: write '%s:%s:'",
					     t->system, type->system, type->system, type->name);
	}
	if (t->event && ts->other && ts->other(ts->other_arg, t->system, t->event)) {
		near = nearest(ts, t, t->event, CAND_EVENT_OF_SYSTEM);
		return expr_complain(e, t->text, at,
				     "%s:%s is a stable event, and -F looks at the fields of the "
				     "trace's own%s%s%s%s (--stable-check shows what it is made "
				     "of)",
				     t->system, t->event, near ? ": perhaps " : "",
				     near ? t->system : "", near ? ":" : "", near ? near : "");
	}
	if (!system) {
		near = nearest(ts, t, t->system, CAND_SYSTEM);
		return expr_complain(e, t->text, at, "no input has a system '%s'%s%s%s", t->system,
				     near ? "; did you mean '" : "", near ? near : "",
				     near ? "'?" : "");
	}
	near = nearest(ts, t, t->event, CAND_EVENT_OF_SYSTEM);
	at += strcspn(t->text + at, ":");
	at += strspn(t->text + at, ":");
	return expr_complain(e, t->text, at, "no input has an event '%s' in '%s'%s%s%s", t->event,
			     t->system, near ? "; did you mean '" : "", near ? near : "",
			     near ? "'?" : "");
}

#define NAMED 4 /* events named in a notice */

static int compile_term(struct terms *ts, const struct term *t, struct err *e)
{
	unsigned took = 0, failed = 0, named = 0, looked = 0, lacking = 0;
	char list[400] = "";
	struct err first, now;
	size_t n = 0;

	for (unsigned i = 0; i < catalog_count(ts->catalog); i++) {
		const struct etype *type = catalog_at(ts->catalog, i);
		bool lacks = false;

		if (!type->known || !term_names(t, type))
			continue;
		/* A damaged format is reported when the first event of its type is met. */
		if (etype_resolve(ts->catalog, type, &now) < 0 || !type->known)
			continue;
		named++;
		/* An event that is left out anyway may lack the field. */
		if (!terms_take_type(ts, type))
			continue;
		looked++;
		if (bind_term(ts, t, type, &lacks, &now) == 0) {
			took++;
			continue;
		}
		/* A field of the wrong kind is more informative than a missing one. */
		if (!failed || (lacking == failed && !lacks))
			first = now;
		lacking += lacks;
		if (failed++ < NAMED && n < sizeof(list))
			n += snprintf(list + n, sizeof(list) - n, "%s%.64s:%.64s", n ? ", " : "",
				      type->system, type->name);
	}
	if (!named)
		return nothing_named(ts, t, e);
	if (!took && failed) {
		*e = first;
		return -1;
	}
	if (failed)
		note_say(ts->notes, NOTE_WARN,
			 "filter '%.200s': %u of %u events %s no such field and %s unfiltered: "
			 "%s%s",
			 t->text, failed, looked, failed == 1 ? "has" : "have",
			 failed == 1 ? "passes" : "pass", list, failed > NAMED ? " ..." : "");
	return 0;
}

int terms_compile(struct terms *ts, struct catalog *c, struct notes *n, struct err *e)
{
	ts->catalog = c;
	ts->notes = n;
	free_slots(ts);
	for (const struct term *t = ts->list; t; t = t->next)
		TRY(compile_term(ts, t, e));
	for (unsigned i = 0; (ts->list || ts->takes) && i < catalog_count(c); i++) {
		struct term_slot *s = slot_of(ts, i);

		s->met = true;
		s->refused = !terms_take_type(ts, catalog_at(c, i));
	}
	return 0;
}

struct term_slot *terms_meet(struct terms *ts, const struct etype *type)
{
	struct term_slot *s = slot_of(ts, type->idx);
	struct err e;
	bool lacks;

	if (s->met)
		return s;
	s->met = true;
	s->refused = !terms_take_type(ts, type);
	for (const struct term *t = ts->list; t; t = t->next)
		if (type->known && term_names(t, type) && bind_term(ts, t, type, &lacks, &e) < 0)
			note_say(ts->notes, NOTE_WARN,
				 "filter '%.200s': %s:%s has no such field and passes unfiltered",
				 t->text, type->system, type->name);
	return s;
}
