/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * named: a handler by name (an event or a glob, names of arguments, a filter) or an aggregation:
 * which types it is for, and which of its fields the trace does not have.
 */
#include "interp/common/named.h"

#include "base/bytes.h"
#include "base/glob.h"
#include "base/mem.h"
#include "interp/common/mixed_name.h"
#include "trace/pseudo.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 255
#define LISTED 4 /* events named in a notice */
#define LONG 6	 /* letters: in shorter names two edits make a different word */
#define SLIPS 2

/* One half of EVENT as a glob: no colon, blank or control byte in it. */
static bool is_glob(const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if ((unsigned char)s[i] <= ' ' || s[i] == ':' || s[i] == 0x7f)
			return false;
	return len && len <= NAME_MAX_LEN;
}

struct named *named_new(const char *event, const struct stable *s, const struct named_words *words,
			struct err *e)
{
	const char *colon = strchr(event, ':'), *name = colon ? colon + 1 : event + strlen(event);
	size_t system = colon ? (size_t)(colon - event) : strlen(event);
	struct named *h;

	if (colon && *name == ':')
		name++;
	if (!is_glob(event, system) || (*name && !is_glob(name, strlen(name)))) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"invalid event '%.80s': expected SYSTEM:EVENT (either may be a glob), or "
			"SYSTEM",
			event);
		return NULL;
	}
	h = mem_zalloc(sizeof(*h));
	h->words = words;
	h->fn = words->on;
	h->text = mem_strdup(event);
	h->system = mem_strndup(event, system);
	h->event = mem_strdup(*name ? name : "*");
	h->stable = s ? stable_find(s, h->system, h->event) : NULL;
	return h;
}

void named_free(struct named *h)
{
	free(h->text);
	free(h->system);
	free(h->event);
	free(h->where);
	expr_free(h->expr);
	free(h->at);
	arg_names_fini(&h->args);
	measure_plan_free(h->plan);
	free(h);
}

static uint64_t hash_text(uint64_t hash, const char *s)
{
	return bytes_hash(hash, s, strlen(s) + 1);
}

uint64_t named_key(const struct named *h)
{
	uint64_t key = hash_text(hash_text(0, h->at), h->text);
	const char *text;
	bool is_value;
	unsigned i;

	for (i = 0; i < h->args.n; i++)
		key = hash_text(key, h->args.v[i]);
	for (i = 0; h->plan && (text = measure_plan_text(h->plan, i, &is_value)); i++)
		key = hash_text(key, text);
	return h->where ? hash_text(key, h->where) : key;
}

enum named_match named_matches(const struct named *h, const struct catalog *c,
			       const struct etype *t, unsigned *from)
{
	int line;

	if (etype_matches(t, h->system, h->event))
		return NAMED_RAW;
	line = h->stable ? stable_takes(h->stable, c, t) : -1;
	if (line < 0)
		return NAMED_NO;
	*from = line;
	return NAMED_STABLE;
}

/* ---------------------------------------------------------------- missing events and fields */

/* A type that H is for, as its code sees it. */
struct seen {
	const struct etype *type;
	struct stable_map *map; /* the stable event whose type it is, or NULL: a raw one */
};

struct handler_check {
	const struct named *h;
	struct catalog *c;
	struct seen *seen;
	size_t n, cap;
};

static void check_fini(struct handler_check *k)
{
	while (k->n)
		stable_map_free(k->seen[--k->n].map);
	free(k->seen);
}

/*
 * All types of the catalog that H is for.  Formats that cannot be read are reported when first met.
 */
static void find_types(struct handler_check *k)
{
	unsigned i, from = 0;
	struct err e;

	for (i = 0; i < catalog_count(k->c); i++) {
		const struct etype *t = catalog_at(k->c, i);
		enum named_match match = named_matches(k->h, k->c, t, &from);
		struct stable_map *map = NULL;

		if (match == NAMED_NO)
			continue;
		if (match == NAMED_STABLE) {
			map = stable_map_new(k->h->stable, k->c, from, t, NULL, &e);
			if (!map)
				continue;
			t = stable_map_type(map);
		} else if (etype_resolve(k->c, t, &e) < 0 || !t->known) {
			continue;
		}
		k->seen = mem_grow(k->seen, &k->cap, k->n + 1, sizeof(*k->seen));
		k->seen[k->n++] = (struct seen){ .type = t, .map = map };
	}
}

struct field_names {
	const struct handler_check *k;
	size_t type;
	unsigned i, pseudo;
};

static const char *next_field(void *arg)
{
	struct field_names *f = arg;

	while (f->type < f->k->n) {
		const struct etype *t = f->k->seen[f->type].type;

		if (f->i < t->nfields)
			return t->fields[f->i++].name;
		f->type++;
		f->i = 0;
	}
	return pseudo_name(f->pseudo++);
}

/* "a:b, c:d ...": the types for which LACKS(T, ARG) is true; returns how many. */
static unsigned list_types(const struct handler_check *k,
			   bool (*lacks)(const struct etype *, void *), void *arg, char *list,
			   size_t size)
{
	unsigned lacking = 0;
	size_t i, at = 0;

	*list = 0;
	for (i = 0; i < k->n; i++) {
		const struct etype *t = k->seen[i].type;

		if (!lacks(t, arg))
			continue;
		if (lacking++ < LISTED && at < size)
			at += snprintf(list + at, size - at, "%s%.64s:%.64s", at ? ", " : "",
				       t->system, t->name);
	}
	if (lacking > LISTED && at < size)
		snprintf(list + at, size - at, " ...");
	return lacking;
}

static bool lacks_field(const struct etype *t, void *arg)
{
	return !args_has(t, arg, false);
}

static void check_arg(const struct handler_check *k, char *name, struct notes *n)
{
	struct field_names names = { .k = k };
	const char *none = k->h->words->none;
	char list[700];
	unsigned lacking = list_types(k, lacks_field, name, list, sizeof(list));
	const char *near;

	/* A module that takes what there is does without what only some tracers add. */
	if (!lacking || (k->h->optional && !strncmp(name, "common_", 7)))
		return;
	near = lacking == k->n ? nearest_name(name, next_field, &names) : NULL;
	if (near && !strcmp(near, name)) /* a stable event's field without a value */
		near = NULL;
	if (k->n == 1)
		note_say(n, NOTE_WARN,
			 "%s: %s: %s of this trace has no field '%.64s': it is %s%s%s%s", k->h->at,
			 k->h->fn, list, name, none, near ? "; did you mean '" : "",
			 near ? near : "", near ? "'?" : "");
	else if (lacking == k->n)
		note_say(n, NOTE_WARN,
			 "%s: %s: no event that %s names has a field '%.64s': it is %s%s%s%s",
			 k->h->at, k->h->fn, k->h->text, name, none, near ? "; did you mean '" : "",
			 near ? near : "", near ? "'?" : "");
	else
		note_say(n, NOTE_WARN,
			 "%s: %s: %u of %zu events %s no field '%.64s': it is %s there: %s",
			 k->h->at, k->h->fn, lacking, k->n, lacking == 1 ? "has" : "have", name,
			 none, list);
}

static bool fails_where(const struct etype *t, void *arg)
{
	struct expr_test *w;
	struct err e;
	bool lacks;

	w = expr_test_bind(arg, t, NULL, &lacks, &e);
	expr_test_free(w);
	return !w;
}

static int check_where(const struct handler_check *k, struct notes *n, struct err *e)
{
	bool lacks = true;
	unsigned failing;
	struct expr_test *w;
	char list[700];
	size_t i;

	failing = list_types(k, fails_where, k->h->expr, list, sizeof(list));
	/* A field of the wrong kind is more informative than a missing one. */
	for (i = 0; failing == k->n && i < k->n && lacks; i++) {
		w = expr_test_bind(k->h->expr, k->seen[i].type, NULL, &lacks, e);
		expr_test_free(w);
	}
	if (failing == k->n)
		return -1;
	if (failing)
		note_say(n, NOTE_WARN,
			 "%s: %s: %u of %zu events can never pass where '%.200s', which needs "
			 "fields that %s: %s",
			 k->h->at, k->h->fn, failing, k->n, k->h->where,
			 failing == 1 ? "it lacks" : "they lack", list);
	return 0;
}

/* One of an aggregation's formulas. */
struct planned {
	const struct measure_plan *plan;
	unsigned i;
};

static bool fails_formula(const struct etype *t, void *arg)
{
	const struct planned *p = arg;
	struct err e;

	return measure_plan_check(p->plan, p->i, t, &e) < 0;
}

/* A field that only some types have is missing in the others; one that none has is an error. */
static int check_formula(const struct handler_check *k, struct planned *p, const char *text,
			 bool is_value, struct notes *n, struct err *e)
{
	char list[700];
	unsigned failing = list_types(k, fails_formula, p, list, sizeof(list));
	const char *what = is_value ? "not counted" : k->h->words->none;

	if (!failing)
		return 0;
	if (failing == k->n && !measure_plan_promised(p->plan, p->i, k->seen[0].type))
		return measure_plan_check(p->plan, p->i, k->seen[0].type, e);
	if (k->n == 1)
		note_say(n, NOTE_WARN,
			 "%s: %s: this trace does not provide '%.200s' of %s: it is %s", k->h->at,
			 k->h->fn, text, list, what);
	else
		note_say(n, NOTE_WARN,
			 "%s: %s: %u of %zu events %s not provide '%.200s': %s %s%s: %s", k->h->at,
			 k->h->fn, failing, k->n, failing == 1 ? "does" : "do", text,
			 is_value ? "they are" : "it is", what, is_value ? "" : " there", list);
	return 0;
}

static int check_plan(const struct handler_check *k, struct notes *n, struct err *e)
{
	struct planned p = { .plan = k->h->plan };
	const char *text;
	bool is_value;

	for (; (text = measure_plan_text(p.plan, p.i, &is_value)); p.i++)
		TRY(check_formula(k, &p, text, is_value, n, e));
	return 0;
}

struct known_events {
	const struct catalog *c;
	const struct stable *s;
	unsigned i, stable, other;
	bool systems; /* only these */
	struct arena kept;
};

static const char *next_event(void *arg)
{
	struct known_events *v = arg;
	const char *system, *event;
	char name[600];

	while (v->i < catalog_count(v->c) && !catalog_at(v->c, v->i)->known)
		v->i++;
	if (v->i < catalog_count(v->c)) {
		system = catalog_at(v->c, v->i)->system;
		event = catalog_at(v->c, v->i++)->name;
	} else if (v->s && v->stable < stable_count(v->s)) {
		system = stable_at(v->s, v->stable)->system;
		event = stable_at(v->s, v->stable++)->name;
	} else {
		event = catalog_other(v->c, v->other++, &system);
		if (!event)
			return NULL;
	}
	if (v->systems)
		return system;
	snprintf(name, sizeof(name), "%s:%s", system, event);
	return arena_strndup(&v->kept, name, strlen(name));
}

/*
 * The event that H's text "sched_switch" names without its system, with at most SLIPS edits, into
 * BUF: "sched:sched_switch".  False: none.
 */
static bool find_event(const struct handler_check *k, const struct stable *s, unsigned slips,
		       char *buf, size_t size)
{
	struct known_events names = { .c = k->c, .s = s };
	const char *name, *colon;
	bool found = false;

	while (!strchr(k->h->text, ':') && !found && (name = next_event(&names))) {
		colon = strchr(name, ':'); /* none in a text too long to be kept in full */
		found = colon && edit_distance(k->h->text, colon + 1) <= slips;
		if (found)
			snprintf(buf, size, "%s", name);
	}
	arena_fini(&names.kept);
	return found;
}

/* H is for no type. */
static void say_nothing(const struct handler_check *k, const struct stable *s, struct notes *n)
{
	struct known_events names = { .c = k->c, .s = s };
	char why[500] = "", wanted[600];
	const char *near;
	unsigned i;

	/* "*" in a trace that describes no events yet: not a mistake. */
	if (!strcmp(k->h->text, "*:*"))
		return;
	if (k->h->stable) {
		for (i = 0; i < catalog_count(k->c) && !*why; i++)
			stable_available(k->h->stable, k->c, catalog_at(k->c, i)->machine, why,
					 sizeof(why));
		note_say(n, NOTE_WARN, "%s: %s: the stable event %s:%s is not available: %s",
			 k->h->at, k->h->fn, k->h->system, k->h->event,
			 *why ? why : "the trace describes no events");
		return;
	}
	/* In "shed:*" it is the system that can be misspelt. */
	names.systems = strpbrk(k->h->event, "*?[") != NULL;
	snprintf(wanted, sizeof(wanted), "%s%s%s", k->h->system, names.systems ? "" : ":",
		 names.systems ? "" : k->h->event);
	near = find_event(k, s, 0, wanted, sizeof(wanted)) ?
		       wanted :
		       nearest_name(wanted, next_event, &names);
	if (!near && strlen(k->h->text) >= LONG && find_event(k, s, SLIPS, wanted, sizeof(wanted)))
		near = wanted;
	/* The system exists, but no event of it is similar. */
	if (near && near != wanted && !strcmp(near, wanted))
		near = NULL;
	note_say(n, NOTE_WARN, "%s: %s: no event in this trace matches %s%s%s%s", k->h->at,
		 k->h->fn, k->h->text, near ? ": did you mean " : " (",
		 near ? near : k->h->words->events, near ? "?" : " lists its events)");
	arena_fini(&names.kept);
}

/* NAME, an argument or a whole formula, means a field in some events, and not in others. */
static void check_mixed(const struct handler_check *k, const char *name, struct notes *n)
{
	struct mixed_name m = { .name = name };
	char text[900];

	for (size_t i = 0; i < k->n; i++)
		mixed_name_take(&m, k->seen[i].type);
	if (mixed_name_text(&m, text, sizeof(text)))
		note_say(n, NOTE_WARN, "%s: %s: %s", k->h->at, k->h->fn, text);
}

/* The comm of AGG_TOP's records, which the script did not ask for by name. */
static bool is_unasked(const struct measure_plan *p, unsigned i)
{
	const struct agg_spec *spec = &measure_plan_aggregate(p)->spec;

	return spec->kind == AGG_TOP && i == 1 + spec->nby;
}

static void check_meanings(const struct handler_check *k, struct notes *n)
{
	const char *text;
	bool is_value;
	unsigned i;

	/* A module that takes what there is knows what that means. */
	if (k->h->optional)
		return;
	for (i = 0; i < k->h->args.n; i++)
		check_mixed(k, k->h->args.v[i], n);
	for (i = 0; k->h->plan && (text = measure_plan_text(k->h->plan, i, &is_value)); i++)
		if (!is_unasked(k->h->plan, i))
			check_mixed(k, text, n);
}

int named_check(struct named *h, struct catalog *c, struct notes *n, struct err *e)
{
	struct handler_check k = { .h = h, .c = c };
	unsigned i;
	int rc = 0;

	/* Its syntax does not depend on the trace. */
	if (h->where && !h->expr)
		h->expr = expr_parse(h->where, 0, NULL, e);
	if (h->where && !h->expr)
		return -1;
	find_types(&k);
	h->late = !k.n && n && !h->optional;
	if (h->where && k.n)
		rc = check_where(&k, n, e);
	if (h->plan && k.n && rc == 0)
		rc = check_plan(&k, n, e);
	/* A handler that is refused needs no further messages. */
	for (i = 0; i < h->args.n && k.n && rc == 0; i++)
		check_arg(&k, h->args.v[i], n);
	if (rc == 0)
		check_meanings(&k, n);
	check_fini(&k);
	return rc;
}

void named_check_late(struct named *h, struct catalog *c, const struct stable *s, struct notes *n)
{
	const struct handler_check k = { .h = h, .c = c };
	struct err e;

	if (named_check(h, c, n, &e) < 0)
		note_say(n, NOTE_WARN, "%s: %s: %s", h->at, h->fn, e.msg);
	else if (h->late)
		say_nothing(&k, s, n);
	h->late = false;
}
