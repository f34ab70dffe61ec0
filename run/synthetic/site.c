// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * site: a definition on one machine: which types of event play which role, with its formulas bound
 * to them, and where the values of a start are kept.
 */
#include "run/synthetic/synthetic_priv.h"

#include "trace/machine.h"
#include "trace/pseudo.h"

#include <stdlib.h>
#include <string.h>

#define COMM_ROOM 32 /* bytes that are kept of a task's name */

static void formulas_free(struct formulas *f)
{
	for (unsigned i = 0; i < f->n; i++)
		expr_value_free(f->v[i]);
	free(f->v);
}

void part_free(struct part *b)
{
	formulas_free(&b->keys);
	formulas_free(&b->alone);
	formulas_free(&b->both);
	formulas_free(&b->values);
	stable_map_free(b->map);
	free(b);
}

void synthetic_site_free(struct site *site)
{
	pending_fini(&site->pending);
	free(site->kept);
	free(site->rooms);
	free(site);
}

struct slot *synthetic_slot_at(struct synthetic *s, unsigned idx)
{
	if (idx >= s->nslots)
		s->slots = mem_grow_zeroed(s->slots, &s->nslots, (size_t)idx + 1,
					   sizeof(*s->slots));
	return &s->slots[idx];
}

static void insert(struct synthetic *s, struct part *b)
{
	struct part **at = &synthetic_slot_at(s, b->idx)->list;

	while (*at && ((*at)->site->event->number < b->site->event->number ||
		       ((*at)->site == b->site && (*at)->role <= b->role)))
		at = &(*at)->next;
	b->next = *at;
	*at = b;
}

/* ---- formulas on a type ---- */

static int bind_all(struct formulas *out, const struct expr *x,
		    const struct expr_node *const *nodes, unsigned n,
		    const struct etype *const *types, struct err *e)
{
	out->v = mem_zalloc((n + 1) * sizeof(*out->v));
	for (; out->n < n; out->n++) {
		out->v[out->n] = expr_value_bind(x, nodes[out->n], types, e);
		if (!out->v[out->n])
			return -1;
	}
	return 0;
}

static int bind_start(struct part *b, struct err *e)
{
	const struct synthetic_event *x = b->site->event;
	const struct rule *r = &x->def->match;
	const struct etype *const types[] = { b->seen, b->seen };

	TRY(bind_all(&b->keys, r->text, r->start_keys, r->nkeys, types, e));
	TRY(bind_all(&b->alone, r->text, r->start_if, r->nstart_if, types, e));
	b->values.v = mem_zalloc((x->def->ncaptured + 1) * sizeof(*b->values.v));
	for (; b->values.n < x->def->ncaptured; b->values.n++) {
		const struct expr *name = x->captured[b->values.n];

		b->values.v[b->values.n] = expr_value_bind(name, expr_top(name), types, e);
		if (!b->values.v[b->values.n])
			return -1;
	}
	return 0;
}

/* An end, or an abort. */
static int bind_other(struct part *b, struct err *e)
{
	const struct synthetic_def *d = b->site->event->def;
	const struct rule *r = b->role == ROLE_END ? &d->match : &d->abort_match;
	const struct etype *const types[] = { &b->site->start, b->seen };

	TRY(bind_all(&b->keys, r->text, r->end_keys, r->nkeys, types, e));
	TRY(bind_all(&b->alone, r->text, r->end_if, r->nend_if, types, e));
	TRY(bind_all(&b->both, r->text, r->both_if, r->nboth_if, types, e));
	if (b->role == ROLE_ABORT)
		return 0;
	b->values.v = mem_zalloc((d->nfields + 1) * sizeof(*b->values.v));
	for (; b->values.n < d->nfields; b->values.n++) {
		const struct expr *x = d->fields[b->values.n].text;

		b->values.v[b->values.n] = expr_value_bind(x, expr_top(x), types, e);
		if (!b->values.v[b->values.n])
			return err_within(e, "field %s", d->fields[b->values.n].name);
	}
	return 0;
}

static struct part *new_part(struct synthetic *s, struct site *site, enum role role,
			     const struct etype *t, const struct stable_event *ev, int from,
			     struct err *e)
{
	struct part *b = mem_zalloc(sizeof(*b));
	int rc = etype_resolve(s->catalog, t, e);

	b->site = site;
	b->role = role;
	b->seen = t;
	if (rc == 0 && ev) {
		b->map = stable_map_new(ev, s->catalog, from, t, s->notes, e);
		rc = b->map ? 0 : -1;
		b->seen = b->map ? stable_map_type(b->map) : t;
	}
	if (rc == 0)
		rc = role == ROLE_START ? bind_start(b, e) : bind_other(b, e);
	if (rc == 0)
		return b;
	part_free(b);
	return NULL;
}

/* ---- the types of a role ---- */

struct found {
	struct part **v; /* for one machine and role */
	unsigned n;
	size_t cap;
	bool failed;
	struct err first; /* what is missing for the first that failed */
};

static void try_type(struct synthetic *s, struct site *site, enum role role, const struct etype *t,
		     const struct stable_event *ev, int from, struct found *f)
{
	struct err e;
	struct part *b;

	b = new_part(s, site, role, t, ev, from, &e);
	if (b) {
		b->idx = t->idx;
		f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof(struct part *));
		f->v[f->n++] = b;
	} else if (!f->failed) {
		f->failed = true;
		f->first = e;
	}
}

/* May X be made from T?  Not if X makes T, or if T is defined later. */
static bool may_take(struct synthetic *s, const struct synthetic_event *x, const struct etype *t)
{
	if (!t->known)
		return false;
	if (!synthetic_slot_at(s, t->idx)->made)
		return true;
	for (const struct synthetic_event *o = s->events; o && o != x; o = o->next)
		for (const struct site *site = o->sites; site; site = site->next)
			if (site->type == t)
				return true;
	return false;
}

static void find_type(struct synthetic *s, struct site *site, enum role role, const struct words *w,
		      const struct etype *t, struct found *f)
{
	const struct stable_event *ev;
	unsigned i = 0;
	int from;

	if (t->machine != site->machine || !may_take(s, site->event, t))
		return;
	if (words_take_raw(w, t))
		try_type(s, site, role, t, NULL, 0, f);
	while ((ev = words_stable(w, t, &i, &from)))
		try_type(s, site, role, t, ev, from, f);
}

static const struct words *words_of(const struct synthetic_def *d, enum role role)
{
	return role == ROLE_START ? d->start : role == ROLE_END ? d->end : d->abort;
}

static void find_types(struct synthetic *s, struct site *site, enum role role, struct found *f)
{
	const struct words *w = words_of(site->event->def, role);

	f->n = 0;
	f->failed = false;
	for (unsigned i = 0; w && i < catalog_count(s->catalog); i++)
		find_type(s, site, role, w, catalog_at(s->catalog, i), f);
}

static void drop_found(struct found *f)
{
	while (f->n)
		part_free(f->v[--f->n]);
	free(f->v);
	f->v = NULL;
	f->cap = 0;
}

/* ---- where a start's values are kept ---- */

/* Bytes that a string of F may need; 0: it is a number. */
static uint32_t room_of(const struct expr_value *f, const char *name)
{
	if (f->kind == EXPR_NUMBER)
		return 0;
	if (f->field && f->field->loc == FIELD_AT && f->field->size < SYNTHETIC_STRING)
		return f->field->size;
	return !f->field && pseudo_named(name, PSEUDO_ALL) == PSEUDO_COMM ? COMM_ROOM :
									    SYNTHETIC_STRING;
}

/*
 * Do all starts of F have value I in the same number of bytes, fewer than 8, and with the same
 * sign?
 */
static bool is_small(const struct found *f, unsigned i)
{
	const struct expr_value *first = f->v[0]->values.v[i];

	for (unsigned k = 1; k < f->n; k++)
		if (f->v[k]->values.v[i]->size != first->size ||
		    f->v[k]->values.v[i]->has_sign != first->has_sign)
			return false;
	return first->size < 8;
}

/*
 * Describe what is kept of the starts of F as value I.  A number takes 8 bytes, of which a field
 * reads as many as it has in the record: so comparing it with a constant gives the same result.
 */
static void describe(struct field *f, const struct found *found, unsigned i, const char *name)
{
	const struct expr_value *from = found->v[0]->values.v[i];
	bool number = from->kind == EXPR_NUMBER, small = number && is_small(found, i);
	bool is_signed = small ? from->has_sign : number && from->is_signed;
	uint32_t size = small ? from->size : 8;

	*f = (struct field){
		.name = name,
		.type = !number	  ? "char" :
			is_signed ? "s64" :
				    "u64",
		.off = i * 8 + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 8 - size : 0),
		.size = size,
		.elem = number ? size : 1,
		.kind = !number	  ? FIELD_STR :
			is_signed ? FIELD_INT :
				    FIELD_UINT,
		.loc = number ? FIELD_AT : FIELD_SPAN,
		.is_signed = is_signed,
		.is_time = from->means == MEANS_TIME,
	};
	if (!from->field)
		return;
	f->type = from->field->type;
	if (!number || from->field->kind == FIELD_ENUM)
		f->kind = from->field->kind;
	if (from->field->kind == FIELD_ENUM)
		f->more = from->field->more;
	if (!number) {
		f->elem = from->field->elem;
		f->is_signed = from->field->is_signed;
		f->swap = from->field->swap;
	}
}

/* Lay out the kept values of all starts of F. */
static void lay_out(struct site *site, const struct found *f)
{
	const struct synthetic_def *d = site->event->def;
	uint32_t size = d->ncaptured * 8;

	site->kept = mem_zalloc((d->ncaptured + 1) * sizeof(*site->kept));
	site->rooms = mem_zalloc((d->ncaptured + 1) * sizeof(*site->rooms));
	for (unsigned i = 0; i < d->ncaptured; i++) {
		const char *name = d->captured[i];

		describe(&site->kept[i], f, i, name);
		for (unsigned k = 0; k < f->n; k++) {
			uint32_t room = room_of(f->v[k]->values.v[i], name);

			if (room > site->rooms[i])
				site->rooms[i] = room;
		}
		size += site->rooms[i];
	}
	site->only_numbers = size == d->ncaptured * 8;
	site->start = (struct etype){
		.system = f->v[0]->seen->system,
		.name = f->v[0]->seen->name,
		.fields = site->kept,
		.nfields = d->ncaptured,
		.fixed = size,
		.known = true,
		.resolved = true,
		.format = "",
		.print = "",
		.machine = site->machine,
	};
}

/* ---- a whole site ---- */

/* Are the starts of one CPU ended and aborted only on that CPU? */
static bool is_by_cpu(const struct found *f, const struct part *start)
{
	for (unsigned i = 0; i < start->keys.n; i++) {
		bool all = start->keys.v[i]->quick == VALUE_CPU;

		for (unsigned k = 0; k < f->n; k++)
			all &= f->v[k]->keys.v[i]->quick == VALUE_CPU;
		if (all)
			return true;
	}
	return false;
}

/* Does B have the kinds of keys and values of the first of its role?  -1 with E. */
static int check_kinds(const struct part *b, struct err *e)
{
	const struct site *site = b->site;

	for (unsigned i = 0; i < b->keys.n; i++)
		if ((b->keys.v[i]->kind == EXPR_STRING) != site->string_key[i])
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "match: a number is compared with a string, of %s:%s",
				       b->seen->system, b->seen->name);
	for (unsigned i = 0; i < b->values.n; i++) {
		bool string = b->role == ROLE_START ? site->rooms[i] : site->string_field[i];

		if ((b->values.v[i]->kind == EXPR_STRING) != string)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "%s is a %s for %s:%s, and not for others",
				       b->role == ROLE_START ? site->event->def->captured[i] :
							       site->event->def->fields[i].name,
				       string ? "number" : "string", b->seen->system,
				       b->seen->name);
	}
	return 0;
}

static int check_found(const struct found *f, struct err *e)
{
	for (unsigned k = 0; k < f->n; k++)
		TRY(check_kinds(f->v[k], e));
	return 0;
}

/* The first start and end found determine the kinds of all. */
static void set_kinds(struct site *site, const struct part *first, const struct part *end)
{
	for (unsigned i = 0; i < first->keys.n; i++) {
		site->string_key[i] = first->keys.v[i]->kind == EXPR_STRING;
		site->unsigned_key[i] = !first->keys.v[i]->is_signed;
	}
	for (unsigned i = 0; i < end->values.n; i++)
		site->string_field[i] = end->values.v[i]->kind == EXPR_STRING;
}

/* Properties of B's keys that are computed once, not for each event. */
static void settle_keys(struct part *b)
{
	const struct expr_value *first = b->keys.n ? b->keys.v[0] : NULL;

	b->one_number = b->keys.n == 1 && first->kind == EXPR_NUMBER;
	b->not_below_0 = b->one_number && first->is_signed == b->site->unsigned_key[0];
}

static void keep_found(struct synthetic *s, struct found *f)
{
	if (f->failed)
		note_err(s->notes, NOTE_INFO, &f->first);
	for (unsigned k = 0; k < f->n; k++) {
		settle_keys(f->v[k]);
		match_choose(f->v[k]);
		insert(s, f->v[k]);
	}
	f->n = 0;
}

static int make(struct synthetic *s, struct site *site, struct found *by, struct err *e)
{
	struct found *start = &by[ROLE_START], *end = &by[ROLE_END], *stop = &by[ROLE_ABORT];

	find_types(s, site, ROLE_START, start);
	if (!start->n) {
		*e = start->first;
		return start->failed ? -1 : 0;
	}
	lay_out(site, start);
	find_types(s, site, ROLE_END, end);
	find_types(s, site, ROLE_ABORT, stop);
	if (!end->n) {
		*e = end->first;
		return end->failed ? -1 : 0;
	}
	if (!stop->n && stop->failed) {
		*e = stop->first;
		return -1;
	}
	set_kinds(site, start->v[0], end->v[0]);
	TRY(check_found(start, e));
	TRY(check_found(end, e));
	TRY(check_found(stop, e));
	TRY(synthetic_type_make(s, site, end->v[0], e));
	synthetic_slot_at(s, site->type->idx)->made = true;
	site->by_cpu = is_by_cpu(start, start->v[0]) && is_by_cpu(end, start->v[0]) &&
		       (!stop->n || is_by_cpu(stop, start->v[0]));
	pending_init(&site->pending, start->v[0]->keys.n, site->start.fixed,
		     site->event->def->max_pending);
	keep_found(s, start);
	keep_found(s, end);
	keep_found(s, stop);
	return 1;
}

int synthetic_site_make(struct synthetic *s, struct synthetic_event *x, struct machine *m,
			struct err *e)
{
	struct found *by = mem_zalloc(3 * sizeof(*by));
	struct site *site = mem_zalloc(sizeof(*site));
	int rc;

	site->event = x;
	site->machine = m;
	rc = make(s, site, by, e);
	for (unsigned i = 0; i < 3; i++)
		drop_found(&by[i]);
	free(by);
	if (rc <= 0) {
		synthetic_site_free(site);
		return rc;
	}
	site->next = x->sites;
	x->sites = site;
	return 1;
}

void synthetic_site_meet(struct synthetic *s, struct site *site, const struct etype *t)
{
	struct found *f = mem_zalloc(sizeof(*f));

	for (enum role role = ROLE_END; role <= ROLE_START; role++) {
		const struct words *w = words_of(site->event->def, role);

		if (!w)
			continue;
		f->n = 0;
		f->failed = false;
		find_type(s, site, role, w, t, f);
		if (check_found(f, &f->first) < 0) {
			f->failed = true;
			drop_found(f);
		}
		keep_found(s, f);
	}
	drop_found(f);
	free(f);
}
