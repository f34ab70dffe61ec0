// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * shape: the columns of a type of event, and the steps that fill them.
 */
#include "sink/parquet/shape.h"

#include "sink/parquet/name.h"
#include "trace/chain.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/utf8_text.h"
#include "text/field_value.h"

#include <stdlib.h>
#include <strings.h>

enum cell_how {
	HOW_NUMBER,
	HOW_FLOAT,
	HOW_TEXT,
	HOW_BYTES,
	HOW_ARRAY,
	HOW_LIST,
	HOW_SHOWN, /* as -f json shows it, without quotes */
	HOW_JSON,  /* structures */
	HOW_NONE,
};

struct shape_step {
	const struct field *f;
	enum cell_how how;
};

struct shape {
	enum shape_kind kind;
	const struct etype *type;
	const struct shape_traits *with;
	bool chains;
	struct parquet_column *columns;
	unsigned n, nsteps;
	struct shape_step *steps;
	struct arena names;
};

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
static const char *const AT_TIMES[] = { "machine", "file", "callchain" };

static void add_fields(struct shape *s)
{
	const struct etype *t = s->type;
	struct column_names names = { 0 };
	struct outbuf name = { 0 };

	/* Some engines treat names that differ only in case as equal. */
	for (unsigned i = 0; i < s->n; i++)
		name_take(&names, s->columns[i].name);
	for (size_t i = 0; i < sizeof(AT_TIMES) / sizeof(AT_TIMES[0]); i++)
		name_take(&names, AT_TIMES[i]);
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		struct parquet_column c = { 0 };
		struct shape_step *step = &s->steps[s->nsteps++];

		step->f = &t->fields[i];
		shape_field(step, &c);
		name.len = 0;
		name_column(&name, step->f->name, &names);
		c.name = arena_strndup(&s->names, name.p, strlen(name.p));
		s->columns[s->n++] = c;
	}
	outbuf_fini(&name);
	name_fini(&names);
}

#define FIXED 12 /* columns that are not fields, at most */

struct shape *shape_new(enum shape_kind kind, const struct etype *t, bool chains,
			const struct shape_traits *w)
{
	struct shape *s = mem_zalloc(sizeof(*s));
	unsigned nfields = t ? t->nfields - t->ncommon : 0;

	s->kind = kind;
	s->type = t;
	s->with = w;
	s->chains = chains && kind == SHAPE_EVENT;
	s->columns = mem_zalloc((FIXED + nfields) * sizeof(*s->columns));
	s->steps = mem_zalloc((nfields + 1) * sizeof(*s->steps));
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

/* ---- one event ---- */

static void put_text(struct column *c, const void *p, size_t len, struct shape_scratch *with,
		     struct column_tools *tools)
{
	if (!plain_ascii(p, len)) {
		with->text.len = 0;
		out_room(&with->text, len);
		utf8_text(&with->text, p, len);
		p = with->text.p;
		len = with->text.len;
	}
	column_text(c, p, (uint32_t)len, tools);
}

static void put_name(struct column *c, const char *name, struct shape_scratch *with,
		     struct column_tools *tools)
{
	put_text(c, name, strlen(name), with, tools);
}

static uint64_t *put_items(struct column *c, const struct span *s, unsigned elem)
{
	return column_list(c, s->len / elem);
}

static void put_array(struct column *c, const struct field *f, const struct event *ev)
{
	struct span s;
	uint64_t *to;

	field_span(f, ev, &s);
	to = put_items(c, &s, f->elem);
	for (uint32_t i = 0; i + f->elem <= s.len; i += f->elem)
		*to++ = f->is_signed ? (uint64_t)field_load_signed(s.p + i, f->elem, f->swap) :
				       field_load(s.p + i, f->elem, f->swap);
}

static void put_list(struct column *c, const struct field *f, const struct event *ev)
{
	struct span s;
	uint64_t *to;

	field_span(f, ev, &s);
	to = put_items(c, &s, f->elem);
	for (uint32_t i = 0; i + f->elem <= s.len; i += f->elem) {
		struct event in = field_inside(ev, s.p + i);

		*to++ = field_scalar(f->more->members, &in);
	}
}

static void put_chain(struct column *c, const struct event *ev)
{
	uint64_t *to;
	uint32_t n = 0;

	if (!ev->nchain || !ev->type->format_len) {
		column_null(c);
		return;
	}
	for (uint32_t i = 0; i < ev->nchain; i++) {
		n += !chain_is_mark(ev->chain[i]);
		i += chain_has_cookie(ev->chain[i]);
	}
	to = column_list(c, n);
	for (uint32_t i = 0; i < ev->nchain; i++) {
		if (!chain_is_mark(ev->chain[i]))
			*to++ = ev->chain[i];
		i += chain_has_cookie(ev->chain[i]);
	}
}

static void bare_text(struct outbuf *o, const struct span *s)
{
	utf8_text(o, s->p, strnlen((const char *)s->p, s->len));
}

static void json_text(struct outbuf *o, const struct span *s)
{
	out_char(o, '"');
	utf8_json(o, s->p, strnlen((const char *)s->p, s->len));
	out_char(o, '"');
}

static const struct value_style BARE = {
	.string = bare_text,
	.quote = "",
	.between = ",",
	.time = "",
	.none = "",
};

static const struct value_style JSON = {
	.string = json_text,
	.quote = "\"",
	.between = ",",
	.time = "",
	.none = "null",
	.names_quoted = true,
};

static void put_shown(struct column *c, const struct field *f, const struct event *ev,
		      const struct value_style *style, struct shape_scratch *with,
		      struct column_tools *tools)
{
	with->text.len = 0;
	out_room(&with->text, 1);
	value_print(&with->text, f, ev, style);
	column_text(c, with->text.p, (uint32_t)with->text.len, tools);
}

static void put_field(struct column *c, const struct shape_step *s, const struct event *ev,
		      struct shape_scratch *with, struct column_tools *tools)
{
	struct span span;

	switch (s->how) {
	case HOW_NUMBER:
		column_number(c, field_scalar(s->f, ev));
		break;
	case HOW_FLOAT:
		column_double(c, field_float(s->f, ev));
		break;
	case HOW_TEXT:
		field_span(s->f, ev, &span);
		put_text(c, span.p, strnlen((const char *)span.p, span.len), with, tools);
		break;
	case HOW_BYTES:
		field_span(s->f, ev, &span);
		column_text(c, span.p, span.len, tools);
		break;
	case HOW_ARRAY:
		put_array(c, s->f, ev);
		break;
	case HOW_LIST:
		put_list(c, s->f, ev);
		break;
	case HOW_SHOWN:
		put_shown(c, s->f, ev, &BARE, with, tools);
		break;
	case HOW_JSON:
		put_shown(c, s->f, ev, &JSON, with, tools);
		break;
	case HOW_NONE:
		column_null(c);
		break;
	}
}

/* The name and the fields of an event whose type does not have its own table. */
static void put_other(struct column *c, const struct event *ev, struct shape_scratch *with,
		      struct column_tools *tools)
{
	const struct etype *t = ev->type;
	struct outbuf *o = &with->text;

	o->len = 0;
	utf8_text(o, t->system, strlen(t->system));
	out_str(o, "::");
	utf8_text(o, t->name, strlen(t->name));
	column_text(c++, o->p, (uint32_t)o->len, tools);
	o->len = 0;
	out_char(o, '{');
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		const struct span name = { (const uint8_t *)t->fields[i].name,
					   (uint32_t)strlen(t->fields[i].name) };

		if (i > t->ncommon)
			out_char(o, ',');
		json_text(o, &name);
		out_char(o, ':');
		value_print(o, &t->fields[i], ev, &JSON);
	}
	out_char(o, '}');
	column_text(c, o->p, (uint32_t)o->len, tools);
}

static uint64_t time_of(const struct shape *s, const struct event *ev, struct shape_scratch *with)
{
	uint64_t ts = ev->ts - s->with->base;

	if (s->with->ticks || ts <= INT64_MAX)
		return ts;
	with->late++;
	return INT64_MAX;
}

static void put_machine(struct column *c, const struct shape_machine *m, struct column_tools *tools)
{
	if (m->len)
		column_text(c, m->name, m->len, tools);
	else
		column_null(c);
}

void shape_row(const struct shape *s, struct parquet_table *to, const struct event *ev,
	       struct shape_scratch *with)
{
	struct column_tools *tools = parquet_table_tools(to);
	struct column *c = parquet_table_columns(to);

	column_number(c++, time_of(s, ev, with));
	column_number(c++, (uint64_t)(int64_t)ev->cpu);
	if (s->kind != SHAPE_LOST) {
		column_number(c++, (uint64_t)(int64_t)ev->pid);
		put_name(c++, comms_name(ev->type->machine->comms, ev->pid), with, tools);
		column_number(c++, ev->seq);
	}
	if (ev->lost == LOST_UNKNOWN)
		column_null(c++);
	else
		column_number(c++, ev->lost);
	put_name(c++, ev->from->instance, with, tools);
	if (!s->with->no_machine)
		put_machine(c++, &s->with->machines[ev->from->source], tools);
	if (s->with->has_file)
		put_name(c++, ev->from->path, with, tools);
	if (s->chains)
		put_chain(c++, ev);
	if (s->kind == SHAPE_OTHER)
		put_other(c, ev, with, tools);
	for (unsigned i = 0; i < s->nsteps; i++)
		put_field(c++, &s->steps[i], ev, with, tools);
}
