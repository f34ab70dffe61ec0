// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shape: the columns of a type of event, and the steps that fill them.
 */
#include "sink/parquet/shape_priv.h"

#include "sink/parquet/name.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/utf8_text.h"

#include <stdlib.h>

/* ---- columns ---- */

static void add(struct shape *s, const char *name, enum parquet_type type, bool optional)
{
	s->columns[s->n++] = (struct parquet_column){
		.name = name,
		.type = type,
		.optional = optional,
	};
}

static enum parquet_type integer(unsigned size, bool is_signed)
{
	enum parquet_type type = size == 1 ? PARQUET_I8 :
				 size == 2 ? PARQUET_I16 :
				 size == 4 ? PARQUET_I32 :
					     PARQUET_I64;

	return is_signed ? type : (enum parquet_type)(type + PARQUET_U8 - PARQUET_I8);
}

/* A list of plain numbers. */
static bool is_list(const struct field *f)
{
	const struct field *m = f->kind == FIELD_LIST ? f->more->members : NULL;

	return m && f->elem && m->off == 0 && m->loc == FIELD_AT && m->size == f->elem &&
	       field_is_int(m);
}

static void shape_field(struct shape_step *s, struct parquet_column *c)
{
	const struct field *f = s->f;

	switch ((enum field_kind)f->kind) {
	case FIELD_UINT:
	case FIELD_INT:
		s->how = HOW_NUMBER;
		c->type = integer(f->size, f->is_signed);
		break;
	case FIELD_FLOAT:
		s->how = HOW_FLOAT;
		c->type = f->size == 4 ? PARQUET_FLOAT : PARQUET_DOUBLE;
		break;
	case FIELD_STR:
		s->how = HOW_TEXT;
		c->type = PARQUET_TEXT;
		break;
	case FIELD_BYTES:
		s->how = HOW_BYTES;
		c->type = PARQUET_BINARY;
		break;
	case FIELD_ARRAY:
		s->how = HOW_ARRAY;
		c->type = integer(f->elem, f->is_signed);
		c->list = true;
		break;
	case FIELD_LIST:
		s->how = is_list(f) ? HOW_LIST : HOW_JSON;
		c->list = s->how == HOW_LIST;
		c->type = c->list ? integer(f->elem, f->more->members->is_signed) : PARQUET_JSON;
		break;
	case FIELD_STRUCT:
		s->how = HOW_JSON;
		c->type = PARQUET_JSON;
		break;
	case FIELD_BITMASK:
	case FIELD_ENUM:
		s->how = HOW_SHOWN;
		c->type = PARQUET_TEXT;
		break;
	case FIELD_NONE:
		s->how = HOW_NONE;
		c->type = PARQUET_I32;
		c->optional = true;
		break;
	}
}

/* Columns that only some tables have: a field's column name must not depend on that. */
static const char *const AT_TIMES[] = { "machine", "file", "callchain", "stack" };

/* The next step fills C, whose name is made of NAME. */
static void add_step(struct shape *s, struct shape_step step, struct parquet_column c,
		     const char *name, struct column_names *names)
{
	struct outbuf text = { 0 };

	name_column(&text, name, names);
	c.name = arena_strndup(&s->names, text.p, strlen(text.p));
	outbuf_fini(&text);
	s->steps[s->nsteps++] = step;
	s->columns[s->n++] = c;
}

/* Columns for the names that values may have, after those of the values themselves. */
static void add_names(struct shape *s, struct column_names *names)
{
	const struct etype *t = s->type;
	const struct parquet_column c = { .type = PARQUET_TEXT, .optional = true };
	struct outbuf name = { 0 };

	for (unsigned i = t->ncommon; s->value_names && i < t->nfields; i++) {
		if (!value_name_any(s->value_names, t, i))
			continue;
		name.len = 0;
		out_str(&name, t->fields[i].name);
		out_str(&name, "_name");
		add_step(s, (struct shape_step){ &t->fields[i], HOW_NAME }, c, out_end(&name),
			 names);
	}
	outbuf_fini(&name);
}

static void add_fields(struct shape *s)
{
	const struct etype *t = s->type;
	struct column_names names = { 0 };

	/* Some engines treat names that differ only in case as equal. */
	for (unsigned i = 0; i < s->n; i++)
		name_take(&names, s->columns[i].name);
	for (size_t i = 0; i < sizeof(AT_TIMES) / sizeof(AT_TIMES[0]); i++)
		name_take(&names, AT_TIMES[i]);
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		struct parquet_column c = { 0 };
		struct shape_step step = { .f = &t->fields[i] };

		shape_field(&step, &c);
		add_step(s, step, c, step.f->name, &names);
	}
	add_names(s, &names);
	name_fini(&names);
}

#define FIXED 13 /* columns that are not fields, at most */

struct shape *shape_new(enum shape_kind kind, const struct etype *t, bool chains,
			const struct shape_traits *w)
{
	struct shape *s = mem_zalloc(sizeof(*s));
	unsigned nfields = t ? t->nfields - t->ncommon : 0;

	s->kind = kind;
	s->type = t;
	s->with = w;
	s->chains = chains && kind == SHAPE_EVENT;
	s->stacks = w->stacks && (s->chains || (t && t->stack));
	s->value_names = t && w->names ? value_names_of(w->names, t) : NULL;
	s->columns = mem_zalloc((FIXED + 2 * nfields) * sizeof(*s->columns));
	s->steps = mem_zalloc((2 * nfields + 1) * sizeof(*s->steps));
	add(s, "ts", w->ticks ? PARQUET_U64 : PARQUET_TIME, false);
	s->columns[0].spread = true;
	add(s, "cpu", PARQUET_I32, false);
	if (kind != SHAPE_LOST) {
		add(s, "pid", PARQUET_I32, false);
		add(s, "comm", PARQUET_TEXT, false);
		add(s, "seq", PARQUET_U64, false);
		s->columns[s->n - 1].spread = true;
	}
	add(s, "lost", PARQUET_U32, true);
	add(s, "instance", PARQUET_TEXT, false);
	if (!w->no_machine)
		add(s, "machine", PARQUET_TEXT, true);
	if (w->has_file)
		add(s, "file", PARQUET_TEXT, false);
	if (s->chains) {
		add(s, "callchain", PARQUET_U64, true);
		s->columns[s->n - 1].list = true;
	}
	if (s->stacks) {
		add(s, "stack", PARQUET_TEXT, true);
		s->columns[s->n - 1].list = true;
	}
	if (kind == SHAPE_OTHER) {
		add(s, "event", PARQUET_TEXT, false);
		add(s, "fields", PARQUET_JSON, false);
	} else if (t) {
		add_fields(s);
	}
	return s;
}

void shape_free(struct shape *s)
{
	if (!s)
		return;
	free(s->columns);
	free(s->steps);
	arena_fini(&s->names);
	free(s);
}

const struct parquet_column *shape_columns(const struct shape *s, unsigned *n)
{
	*n = s->n;
	return s->columns;
}

bool shape_equal(const struct shape *a, const struct shape *b)
{
	if (a->n != b->n || a->kind != b->kind)
		return false;
	for (unsigned i = 0; i < a->n; i++) {
		const struct parquet_column *x = &a->columns[i], *y = &b->columns[i];

		if (strcmp(x->name, y->name) != 0 || x->type != y->type || x->list != y->list ||
		    x->optional != y->optional)
			return false;
	}
	return true;
}

/* "Linux HOST RELEASE MACHINE", as uname -snrm prints it. */
struct shape_machine shape_machine_of(struct machine *m)
{
	struct shape_machine host = { NULL, 0 };
	struct outbuf o = { 0 };
	size_t n;
	const char *text = machine_raw(m, TEXT_UNAME, &n), *end, *from;

	if (!n)
		return host;
	n = strnlen(text, n);
	end = memchr(text, '\n', n);
	end = end ? end : text + n;
	from = memchr(text, ' ', (size_t)(end - text));
	if (!from)
		return host;
	from++;
	text = memchr(from, ' ', (size_t)(end - from));
	utf8_text(&o, from, (size_t)((text ? text : end) - from));
	host.len = (uint32_t)o.len;
	out_char(&o, '\0');
	host.name = o.p;
	return host;
}
