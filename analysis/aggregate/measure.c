/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure: computes, for each event of a type, the key and the number of an aggregate.
 */
#include "analysis/aggregate/measure.h"

#include "base/mem.h"
#include "trace/machine.h"
#include "trace/pseudo.h"

#include <stdlib.h>

/* A formula with the text that it was parsed from; both NULL: none. */
struct wanted {
	struct expr *x;
	char *text;
};

struct measure_plan {
	struct aggregate *agg;
	struct wanted value, by[KEY_PARTS], fields[KEY_PARTS]; /* fields[0]: comm */
	unsigned nby, nfields;
	const uint64_t *base;
	struct key key; /* of the current event */
};

/* How the value of a formula becomes a part of a key. */
enum part_how { PART_UNDEF, PART_NUMBER, PART_CHARS16, PART_TEXT, PART_LABEL, PART_BITS };

struct measured_part {
	struct expr_value *f; /* NULL for PART_UNDEF */
	enum part_how how;
	bool big; /* PART_BITS */
};

struct measure {
	struct measure_plan *plan;
	struct aggregate *agg;
	enum agg_kind kind;
	struct expr_value *value;
	unsigned nby, nfields;
	enum part_how alone; /* the only part of its key; PART_UNDEF: there are others, or none */
	struct measured_part by[KEY_PARTS], fields[KEY_PARTS];
};

static void wanted_free(struct wanted *w)
{
	expr_free(w->x);
	free(w->text);
}

void measure_plan_free(struct measure_plan *p)
{
	unsigned i;

	if (!p)
		return;
	wanted_free(&p->value);
	for (i = 0; i < KEY_PARTS; i++) {
		wanted_free(&p->by[i]);
		wanted_free(&p->fields[i]);
	}
	agg_put(p->agg);
	free(p);
}

static int parse(struct wanted *to, const char *text, const char *what, struct err *e)
{
	to->text = mem_strdup(text);
	to->x = expr_parse(text, 0, NULL, e);
	return to->x ? 0 : err_within(e, "%s", what);
}

static int parse_all(struct measure_plan *p, const struct measure_texts *texts, bool top,
		     struct err *e)
{
	unsigned i;

	if (texts->nby > KEY_PARTS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "by: at most %d parts in a key",
			       KEY_PARTS);
	if (texts->nfields > MEASURE_FIELDS)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "fields: at most %d", MEASURE_FIELDS);
	if (texts->value)
		TRY(parse(&p->value, texts->value, "field", e));
	for (i = 0; i < texts->nby; i++)
		TRY(parse(&p->by[p->nby++], texts->by[i], "by", e));
	if (top)
		TRY(parse(&p->fields[p->nfields++], "comm", "fields", e));
	for (i = 0; i < texts->nfields; i++)
		TRY(parse(&p->fields[p->nfields++], texts->fields[i], "fields", e));
	return 0;
}

struct measure_plan *measure_plan_new(struct agg_spec *spec, const struct measure_texts *texts,
				      const char *at, const uint64_t *base, struct notes *n,
				      struct err *e)
{
	struct measure_plan *p = mem_zalloc(sizeof(*p));

	p->base = base;
	if (parse_all(p, texts, spec->kind == AGG_TOP, e) < 0) {
		measure_plan_free(p);
		return NULL;
	}
	spec->nby = p->nby;
	spec->nfields = p->nfields;
	p->agg = agg_new(spec, at, n);
	return p;
}

struct aggregate *measure_plan_aggregate(const struct measure_plan *p)
{
	return p->agg;
}

static const struct wanted *wanted_at(const struct measure_plan *p, unsigned i, bool *is_value)
{
	*is_value = p->value.x && !i;
	if (*is_value)
		return &p->value;
	i -= p->value.x != NULL;
	if (i < p->nby)
		return &p->by[i];
	i -= p->nby;
	return i < p->nfields ? &p->fields[i] : NULL;
}

const char *measure_plan_text(const struct measure_plan *p, unsigned i, bool *is_value)
{
	const struct wanted *w = wanted_at(p, i, is_value);

	return w ? w->text : NULL;
}

/* ---------------------------------------------------------------- for a type */

static int value_bind(struct expr_value **to, const struct wanted *w, const struct etype *t,
		      struct err *e)
{
	*to = expr_value_bind(w->x, expr_top(w->x), &t, e);
	if (!*to)
		return -1;
	if ((*to)->kind == EXPR_NUMBER)
		return 0;
	expr_value_free(*to);
	*to = NULL;
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "'%.60s' of %s:%s is not a number: only numbers can be summed and compared",
		       w->text, t->system, t->name);
}

static int part_bind(struct measured_part *to, const struct wanted *w, const struct etype *t,
		     struct err *e)
{
	struct expr_value *f = expr_value_bind(w->x, expr_top(w->x), &t, e);
	const struct field *field = f ? f->field : NULL;

	memset(to, 0, sizeof(*to));
	if (!f)
		return -1;
	if (field && field->kind == FIELD_ARRAY) {
		expr_value_free(f);
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "'%s' of %s:%s is an array: a key takes numbers, strings and masks",
			       field->name, t->system, t->name);
	}
	to->f = f;
	to->how = field && field->kind == FIELD_BITMASK ? PART_BITS :
		  field && field->kind == FIELD_ENUM	? PART_LABEL :
		  f->quick == VALUE_CHARS16		? PART_CHARS16 :
		  f->kind == EXPR_STRING		? PART_TEXT :
							  PART_NUMBER;
	to->big = field && field->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return 0;
}

int measure_plan_check(const struct measure_plan *p, unsigned i, const struct etype *t,
		       struct err *e)
{
	bool is_value;
	const struct wanted *w = wanted_at(p, i, &is_value);
	struct expr_value *f = NULL;
	struct measured_part part;

	if (is_value) {
		TRY(value_bind(&f, w, t, e));
		expr_value_free(f);
		return 0;
	}
	if (part_bind(&part, w, t, e) < 0)
		return err_within(e, "%s", w < p->fields ? "by" : "fields");
	expr_value_free(part.f);
	return 0;
}

bool measure_plan_promised(const struct measure_plan *p, unsigned i, const struct etype *t)
{
	bool is_value, none = false;
	const struct wanted *w = wanted_at(p, i, &is_value);
	const struct field *f;
	const char *name;
	unsigned k;

	for (k = 0; (name = expr_name(w->x, 0, k)); k++) {
		f = field_find(t, name);
		if (!f)
			return false;
		none |= f->kind == FIELD_NONE;
	}
	return none;
}

struct measure *measure_new(struct measure_plan *p, const struct etype *t, struct err *e)
{
	struct measure *f = mem_zalloc(sizeof(*f));
	struct err lacks;
	unsigned i;

	f->plan = p;
	f->agg = p->agg;
	f->kind = p->agg->spec.kind;
	f->nby = p->nby;
	f->nfields = p->nfields;
	if (p->value.x && value_bind(&f->value, &p->value, t, e) < 0) {
		measure_free(f);
		return NULL;
	}
	f->agg->is_time |= f->value && f->value->means == MEANS_TIME;
	/* A part that the type lacks stays PART_UNDEF. */
	for (i = 0; i < p->nby; i++)
		part_bind(&f->by[i], &p->by[i], t, &lacks);
	for (i = 0; i < p->nfields; i++)
		part_bind(&f->fields[i], &p->fields[i], t, &lacks);
	f->alone = f->nby == 1 ? f->by[0].how : PART_UNDEF;
	return f;
}

void measure_free(struct measure *f)
{
	unsigned i;

	if (!f)
		return;
	expr_value_free(f->value);
	for (i = 0; i < KEY_PARTS; i++) {
		expr_value_free(f->by[i].f);
		expr_value_free(f->fields[i].f);
	}
	free(f);
}

bool measure_has_names(const struct measure *f)
{
	const struct measure_plan *p = f->plan;
	const struct wanted *w;
	const char *name;
	enum pseudo what;
	unsigned i, k;
	bool is_value;

	for (i = 0; (w = wanted_at(p, i, &is_value)); i++)
		for (k = 0; (name = expr_name(w->x, 0, k)); k++) {
			what = pseudo_named(name, PSEUDO_ALL);
			if (what == PSEUDO_COMM || what == PSEUDO_CGROUP)
				return true;
		}
	return false;
}

/* ---------------------------------------------------------------- for an event */

static inline void part_take(struct key *k, const struct measured_part *p, const struct event *ev)
{
	struct expr_result v;
	struct chars16 chars;
	const char *label;
	uint64_t num;

	switch (p->how) {
	case PART_UNDEF:
		key_undef(k);
		return;
	case PART_NUMBER:
		key_number(k, expr_value_number(p->f, &ev), p->f->is_signed);
		return;
	case PART_CHARS16:
		chars = expr_value_chars16(p->f, &ev);
		key_chars16(k, &chars);
		return;
	case PART_LABEL:
		num = expr_value_number(p->f, &ev);
		label = field_label(p->f->field, (int64_t)num);
		if (label)
			key_text(k, label, (uint32_t)strlen(label));
		else
			key_number(k, num, p->f->is_signed);
		return;
	case PART_TEXT:
		expr_value_run(p->f, &ev, &v);
		key_text(k, v.str, v.len);
		return;
	case PART_BITS:
		expr_value_run(p->f, &ev, &v);
		key_bits(k, (const uint8_t *)v.str, v.len, p->f->field->elem, p->big);
		return;
	}
}

static unsigned parts_take(struct measure *f, const struct measured_part *parts, unsigned n,
			   const struct event *ev)
{
	struct key *k = &f->plan->key;
	unsigned i;

	key_begin(k);
	for (i = 0; i < n; i++)
		part_take(k, &parts[i], ev);
	if (__builtin_expect(k->cut && !f->agg->cut, 0)) {
		f->agg->cut = true;
		note_say(f->agg->notes, NOTE_WARN,
			 "%s: a string in a key is longer than %d bytes: truncated", f->agg->at,
			 KEY_TEXT_MAX);
	}
	return key_end(k);
}

static __attribute__((noinline)) void take_record(struct measure *f, void *value, struct number v,
						  const struct event *ev)
{
	struct agg_record r = { .v = v, .ts = ev->ts, .seq = ev->seq, .cpu = ev->cpu };
	unsigned words;

	r.source = ev->from->source;
	if (!agg_top_wants(f->agg, &value, &r))
		return;
	words = parts_take(f, f->fields, f->nfields, ev);
	agg_top_keep(f->agg, value, &r, f->plan->key.w, words);
}

/* The value of the event's key, if that is one number. */
static inline void *value_of_number(struct measure *f, const struct event *ev)
{
	const struct expr_value *by = f->by[0].f;
	uint64_t v = expr_value_number(by, &ev), key = key_small((int32_t)v);

	if ((uint64_t)(int64_t)(int32_t)v == v && (by->is_signed || (int32_t)v >= 0))
		return agg_value(f->agg, &key, 1);
	return agg_value(f->agg, f->plan->key.w, parts_take(f, f->by, 1, ev));
}

/* And if it is one string of 16 bytes. */
static inline void *value_of_chars16(struct measure *f, const struct event *ev)
{
	struct chars16 chars = expr_value_chars16(f->by[0].f, &ev);
	uint64_t key[3];

	return agg_value(f->agg, key, key_of_chars16(key, &chars));
}

static inline void *value_for(struct measure *f, const struct event *ev)
{
	if (!f->nby)
		return f->agg->all;
	switch (f->alone) {
	case PART_NUMBER:
		return value_of_number(f, ev);
	case PART_CHARS16:
		return value_of_chars16(f, ev);
	default:
		return agg_value(f->agg, f->plan->key.w, parts_take(f, f->by, f->nby, ev));
	}
}

static inline void take(struct measure *f, const struct event *ev)
{
	void *value = value_for(f, ev);
	struct number v;

	if (f->kind == AGG_COUNT) {
		((struct agg_count *)value)->n++;
		return;
	}
	v = number_of(expr_value_number(f->value, &ev), f->value->is_signed);
	if (f->kind == AGG_TOP)
		take_record(f, value, v, ev);
	else
		agg_take(f->agg, value, v);
}

void measure_take(struct measure *f, const struct event *ev)
{
	struct event shown;

	if (__builtin_expect(!*f->plan->base, 1)) {
		take(f, ev);
		return;
	}
	shown = *ev;
	shown.ts -= *f->plan->base;
	take(f, &shown);
}
