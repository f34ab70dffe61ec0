// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * row: an event becomes a row, by the steps of its type.
 */
#include "sink/parquet/shape_priv.h"

#include "trace/chain.h"
#include "trace/chain_frame.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/field_value.h"
#include "text/utf8_text.h"

#include <stdlib.h>

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

/* The names of EV's stack, each with its offset. */
static void put_stack(struct column *c, const struct event *ev, struct shape_scratch *with,
		      struct column_tools *tools)
{
	const struct chain chain = stack_chain_of(&with->chain, ev);
	char text[CHAIN_TEXT_MAX];
	struct cached_frame *f;
	bool kernel = false;
	uint64_t address;
	uint32_t i = 0, n = 0;

	if (!chain.n) {
		column_null(c);
		return;
	}
	with->text.len = 0;
	out_room(&with->text, 1);
	frame_cache_event(&with->frames, ev);
	while (chain_next(&chain, &i, &address, &kernel)) {
		size_t at = with->text.len;

		f = frame_cache_at(&with->frames, address, kernel);
		if (!f->text.len) {
			chain_text(&f->frame, address, text, sizeof(text));
			utf8_text(&f->text, text, strlen(text));
		}
		out_bytes(&with->text, f->text.p, f->text.len);
		with->items = mem_grow(with->items, &with->cap_items, n + 1, sizeof(*with->items));
		with->items[n++] = (struct column_item){ at, (uint32_t)(with->text.len - at) };
	}
	column_texts(c, with->text.p, with->items, n, tools);
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

/* The name of the value of F, a field of the type of S. */
static void put_value_name(struct column *c, const struct shape *s, const struct field *f,
			   const struct event *ev, struct shape_scratch *with,
			   struct column_tools *tools)
{
	struct outbuf *o = &with->name;

	o->len = 0;
	out_room(o, 1);
	if (value_name_put(s->value_names, (unsigned)(f - s->type->fields), ev, o))
		put_text(c, o->p, o->len, with, tools);
	else
		column_null(c);
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
	case HOW_NAME: /* put_value_name() */
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
	if (s->stacks)
		put_stack(c++, ev, with, tools);
	if (s->kind == SHAPE_OTHER)
		put_other(c, ev, with, tools);
	for (unsigned i = 0; i < s->nsteps; i++)
		if (s->steps[i].how == HOW_NAME)
			put_value_name(c++, s, s->steps[i].f, ev, with, tools);
		else
			put_field(c++, &s->steps[i], ev, with, tools);
}

void shape_scratch_fini(struct shape_scratch *with)
{
	outbuf_fini(&with->text);
	outbuf_fini(&with->name);
	stack_chain_fini(&with->chain);
	frame_cache_fini(&with->frames);
	free(with->items);
}
