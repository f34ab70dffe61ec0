/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch_types: which types of events have all columns of a batch, and how wide these are.
 */
#include "interp/python/batch_types.h"

#include "interp/common/mixed_name.h"
#include "interp/python/base/column_object.h"
#include "interp/python/module.h"
#include "interp/python/pyrun.h"
#include "base/glob.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define LISTED 3 /* names of events in a message */

/* ---- the kind of a column ---- */

static char format_of(unsigned size, bool is_signed, bool is_float)
{
	static const char INTS[] = "BbHhIiQq";

	if (is_float)
		return size == 4 ? 'f' : 'd';
	return INTS[2 * __builtin_ctz(size) + is_signed];
}

static bool is_signed(char format)
{
	return format >= 'a' && !column_object_is_float(format);
}

/* The narrowest kind that has all numbers of both; 'O': there is none. */
static char common_format(char a, char b)
{
	unsigned n = column_object_size(a), m = column_object_size(b);

	if (!a || a == b)
		return b;
	if (a == 'O' || b == 'O')
		return 'O';
	if (column_object_is_float(a) && column_object_is_float(b))
		return 'd';
	if (column_object_is_float(a) || column_object_is_float(b))
		return (column_object_is_float(a) ? m : n) <= 4 ? 'd' : 'O';
	if (is_signed(a) == is_signed(b))
		return n > m ? a : b;
	/* Signed, and wider than the unsigned one. */
	n = is_signed(a) ? n : 2 * n;
	m = is_signed(b) ? m : 2 * m;
	return n > 8 || m > 8 ? 'O' : format_of(n > m ? n : m, true, false);
}

/* The kind of what S reads; 0: no type has it. */
static char step_format(struct batch_step *s)
{
	const struct field *f = s->step.field;

	switch (s->step.op) {
	case PY_TS:
	case PY_SECS:
		return 'q';
	case PY_CPU:
	case PY_PID:
	case PY_NSECS:
		return 'i';
	case PY_SEQUENCE:
		return 'Q';
	case PY_SOURCE:
		return 'I';
	case PY_STR:
	case PY_COMM:
	case PY_CGROUP:
	case PY_EVENT:
	case PY_INSTANCE:
	case PY_NONE:
		return 'O';
	default:
		if (!field_is_int(f) && f->kind != FIELD_FLOAT && f->kind != FIELD_ENUM)
			return 'O';
		s->size = f->size;
		s->is_signed = f->is_signed;
		s->is_float = f->kind == FIELD_FLOAT;
		return format_of(f->size, f->is_signed, s->is_float);
	}
}

/* ---- which types are taken ---- */

static void free_steps(struct batch_types *b, struct batch_step *steps)
{
	for (size_t i = 0; i < b->names.n; i++)
		py_step_fini(&steps[i].step);
	free(steps);
}

/* The steps of T (resolved); NULL: it lacks a column, *LACKS. */
static struct batch_step *find_steps(struct batch_types *b, const struct etype *t, size_t *lacks)
{
	struct batch_step *steps = mem_zalloc((b->names.n + 1) * sizeof(*steps));

	for (size_t i = 0; i < b->names.n; i++) {
		if (py_step_find(&steps[i].step, t, b->names.v[i]))
			continue;
		*lacks = i;
		free_steps(b, steps);
		return NULL;
	}
	return steps;
}

/* T is taken with STEPS; the columns are as wide as it needs. */
static void take_type(struct batch_types *b, const struct etype *t, struct batch_step *steps)
{
	if (t->idx >= b->nplans)
		b->plans = mem_grow_zeroed(b->plans, &b->nplans, t->idx + 1, sizeof(*b->plans));
	for (size_t i = 0; i < b->names.n; i++) {
		b->formats[i] = common_format(b->formats[i], step_format(&steps[i]));
	}
	b->plans[t->idx] = (struct batch_plan){ .state = BATCH_TAKEN, .steps = steps };
}

/* What has these very bytes is copied. */
static void find_plain(struct batch_types *b)
{
	for (size_t i = 0; i < b->nplans; i++) {
		struct batch_step *steps = b->plans[i].steps;

		for (size_t k = 0; steps && k < b->names.n; k++) {
			struct batch_step *s = &steps[k];

			s->plain = s->size && !s->step.field->swap &&
				   format_of(s->size, s->is_signed, s->is_float) == b->formats[k];
		}
	}
}

/* The names of columns that the types have, for a message. */
struct names_of_types {
	const struct pyrun *run;
	unsigned type, field;
};

static const char *next_field(void *arg)
{
	struct names_of_types *n = arg;
	const struct catalog *c = n->run->pump->catalog;

	for (; n->type < catalog_count(c); n->type++, n->field = 0) {
		const struct etype *t = catalog_at(c, n->type);

		if (t->resolved && n->field < t->nfields)
			return t->fields[n->field++].name;
	}
	return NULL;
}

/* No type has all columns; LACKS is one that the last type had not; NULL: no type is chosen. */
static int say_none(struct batch_types *b, const char *lacks)
{
	struct names_of_types n = { .run = b->run };
	const char *near = lacks ? nearest_name(lacks, next_field, &n) : NULL;

	/* Others have it, but not this one. */
	if (near && !strcmp(near, lacks))
		near = NULL;
	if (lacks)
		zed_raise_text(NULL,
			       "batches: no event that is chosen has all columns, such as '%.64s'"
			       "%s%.64s%s",
			       lacks, near ? "; did you mean '" : "", near ? near : "",
			       near ? "'?" : "");
	else
		zed_raise_text(NULL, "batches: no event is chosen that can be read");
	return -1;
}

/* Of the events that were named, N have not all columns: LIST names some. */
static int say_left_out(unsigned n, const char *list)
{
	return PyErr_WarnFormat(zed_warning(), 1,
				"batches: %u of the events that are named %s not all columns: left "
				"out: %s%s",
				n, n == 1 ? "has" : "have", list, n > LISTED ? " ..." : "");
}

/* A column that is a field of some events that are taken, and not of others. */
static int say_mixed(const struct batch_types *b)
{
	int rc = 0;

	for (size_t k = 0; k < b->names.n && rc == 0; k++) {
		struct mixed_name m = { .name = b->names.v[k] };
		char text[900];

		for (unsigned i = 0; i < b->nwant; i++)
			if (b->plans[i].state == BATCH_TAKEN)
				mixed_name_take(&m, catalog_at(b->run->pump->catalog, i));
		if (mixed_name_text(&m, text, sizeof(text)))
			rc = PyErr_WarnFormat(zed_warning(), 1, "batches: %s", text);
	}
	return rc;
}

int batch_types_find(struct batch_types *b)
{
	struct catalog *catalog = b->run->pump->catalog;
	unsigned n = catalog_count(catalog), taken = 0, left = 0, others = 0;
	size_t lacks = 0;
	const char *lacking = NULL;
	char list[LISTED * 140] = "";
	struct err e;

	b->formats = mem_zalloc(b->names.n + 1);
	b->want = mem_zalloc((size_t)n + 1);
	b->nwant = n;
	b->plans = mem_grow_zeroed(b->plans, &b->nplans, n, sizeof(*b->plans));
	for (unsigned i = 0; i < n; i++) {
		const struct etype *t = catalog_at(catalog, i);
		struct batch_step *steps;

		b->plans[i].state = BATCH_LEFT_OUT;
		if (!filter_takes_type(b->run->pump->filter, t))
			continue;
		others++;
		if ((b->events && !words_take(b->events, t)) || etype_resolve(catalog, t, &e) < 0 ||
		    !t->known)
			continue;
		steps = find_steps(b, t, &lacks);
		if (steps) {
			take_type(b, t, steps);
			b->want[i] = WANT_ORDER;
			taken++;
			continue;
		}
		lacking = b->names.v[lacks];
		if (left++ < LISTED)
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%.64s:%.64s",
				 *list ? ", " : "", t->system, t->name);
	}
	if (taken == others) {
		free(b->want);
		b->want = NULL;
	}
	if (!taken && n)
		return say_none(b, lacking);
	find_plain(b);
	if (say_mixed(b) < 0)
		return -1;
	return left && b->events ? say_left_out(left, list) : 0;
}

struct batch_plan *batch_types_late(struct batch_types *b, const struct etype *t)
{
	struct batch_step *steps = NULL;
	size_t lacks;

	if (t->idx >= b->nplans)
		b->plans = mem_grow_zeroed(b->plans, &b->nplans, t->idx + 1, sizeof(*b->plans));
	b->plans[t->idx].state = BATCH_LEFT_OUT;
	if (b->events && !words_take(b->events, t))
		return &b->plans[t->idx];
	steps = find_steps(b, t, &lacks);
	for (size_t i = 0; steps && i < b->names.n; i++) {
		char format = b->formats[i];

		if (common_format(format, step_format(&steps[i])) != format || !format) {
			free_steps(b, steps);
			steps = NULL;
		}
	}
	if (steps)
		b->plans[t->idx] = (struct batch_plan){ .state = BATCH_TAKEN, .steps = steps };
	return &b->plans[t->idx];
}

void batch_types_fini(struct batch_types *b)
{
	for (size_t i = 0; i < b->nplans; i++)
		if (b->plans[i].steps)
			free_steps(b, b->plans[i].steps);
	free(b->plans);
	free(b->want);
	free(b->formats);
	while (b->names.n)
		free(b->names.v[--b->names.n]);
	free(b->names.v);
	words_free(b->events);
}
