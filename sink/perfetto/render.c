// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * render: the steps that build a message from a record.  A field's key, and for generic events its
 * name, are encoded once and copied.
 */
#include "sink/perfetto/perfetto_priv.h"

#include "base/suffix.h"
#include "sink/perfetto/proto.h"
#include "trace/field.h"
#include "trace/lttng_event.h"
#include "text/field_value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FtraceEvent and GenericFtraceEvent (protos/perfetto/trace/ftrace). */
#define EVENT_GENERIC 327
#define GENERIC_NAME 1
#define GENERIC_FIELD 2
#define FIELD_NAME 1
#define FIELD_STRING 3
#define FIELD_SIGNED 4
#define FIELD_UNSIGNED 5

enum render_how { HOW_NUMBER, HOW_TEXT, HOW_SYMBOL, HOW_NUMBERS, HOW_RWBS, HOW_CONSTANT };

struct render_step {
	const struct field *f; /* HOW_CONSTANT: NULL */
	enum render_how how;
	unsigned number; /* own messages: the field's */
	int64_t plus;	 /* HOW_NUMBER: added; HOW_CONSTANT: the value */
	char *name;	 /* generic: the message of its name, whole */
	size_t name_len;
};

struct render {
	const struct known_event *known; /* NULL: generic */
	const struct field *marker;	 /* print: its text, which decides which message is used */
	struct render *generic;		 /* print: the plan for other texts */
	char *head;			 /* generic: the message of its name */
	size_t head_len;
	unsigned n;
	struct render_step steps[];
};

static bool is_number(const struct field *f)
{
	return field_is_int(f) || f->kind == FIELD_ENUM;
}

static bool is_numbers(const struct field *f)
{
	return f->kind == FIELD_ARRAY && f->elem == 8;
}

/* A copy of the contents of O, which is freed. */
static char *taken(struct outbuf *o, size_t *len)
{
	*len = o->len;
	return o->p;
}

static char *named(unsigned field, const char *name, size_t *len)
{
	struct outbuf text = { 0 }, o = { 0 };

	out_str(&text, name);
	proto_plain(&text, 0);
	proto_bytes(&o, field, text.p, text.len);
	outbuf_fini(&text);
	return taken(&o, len);
}

/*
 * F of T as the kernel's own event calls it, into BUF, returned; "": it has none.  LTTng's pid is
 * that of the process where there is a tid, which is the kernel's pid.
 */
static const char *kernel_name(const struct etype *t, const struct field *f, char *buf, size_t size)
{
	size_t len = strlen(f->name);
	bool is_tid = len >= 3 && !strcmp(f->name + len - 3, "tid");
	bool is_pid = len >= 3 && !strcmp(f->name + len - 3, "pid");

	snprintf(buf, size, "%s", f->name);
	if (!t->lttng || len >= size || (!is_tid && !is_pid))
		return buf;
	buf[len - 3] = is_tid ? 'p' : 't';
	buf[len - 2] = 'i';
	if (is_tid)
		return buf;
	if (field_find_in(t->fields, t->nfields, buf))
		return "";
	return f->name;
}

static enum render_how how_of(const struct field *f, const char *name, int symbol)
{
	if (is_numbers(f))
		return HOW_NUMBERS;
	if (!is_number(f))
		return HOW_TEXT;
	return symbol ? HOW_SYMBOL : !strcmp(name, "rwbs") ? HOW_RWBS : HOW_NUMBER;
}

/* prio, prev_prio, next_prio */
static bool is_prio(const struct field *f, const char *name)
{
	return is_number(f) && (!strcmp(name, "prio") || suffix_is(name, "_prio"));
}

static void bind_own(struct render *p, const struct etype *t)
{
	const struct lttng_event *l = t->lttng;
	int symbol = 0;

	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		const struct field *f = &t->fields[i];
		char buf[64];
		const char *name = kernel_name(t, f, buf, sizeof(buf));
		unsigned number = known_field(p->known, name, &symbol);

		if (!number)
			continue;
		p->steps[p->n++] = (struct render_step){
			.f = f,
			.number = number,
			.how = how_of(f, name, symbol),
			.plus = l && is_prio(f, name) ? LTTNG_PRIO : 0,
		};
	}
	if (l && l->call_field)
		p->steps[p->n++] = (struct render_step){
			.f = l->call_field,
			.number = known_field(p->known, "id", &symbol),
			.how = HOW_NUMBER,
		};
	if (l && l->call_name)
		p->steps[p->n++] = (struct render_step){
			.number = known_field(p->known, "id", &symbol),
			.how = HOW_CONSTANT,
			.plus = l->call_nr,
		};
}

/* LTTng has an event for each system call, the kernel one for all. */
static const struct known_event *known_of(const struct etype *t)
{
	if (!t->known || t->stable || t->synthetic)
		return NULL;
	if (t->lttng && t->lttng->call != LTTNG_NO_CALL)
		return known_find("raw_syscalls",
				  t->lttng->call == LTTNG_ENTER ? "sys_enter" : "sys_exit");
	return known_find(t->system, t->name);
}

static void bind_generic(struct render *p, const struct etype *t)
{
	p->head = named(GENERIC_NAME, t->name, &p->head_len);
	for (unsigned i = t->ncommon; i < t->nfields; i++) {
		struct render_step *s = &p->steps[p->n++];

		s->f = &t->fields[i];
		s->how = is_number(s->f) ? HOW_NUMBER : HOW_TEXT;
		s->name = named(FIELD_NAME, s->f->name, &s->name_len);
	}
}

/* The text of a trace_marker. */
static const struct field *marker_of(const struct etype *t)
{
	for (unsigned i = t->ncommon; i < t->nfields; i++)
		if (!strcmp(t->fields[i].name, "buf"))
			return &t->fields[i];
	return NULL;
}

struct render *render_new(const struct etype *t, bool own)
{
	struct render *p = mem_zalloc(sizeof(*p) + (t->nfields + 1) * sizeof(p->steps[0]));

	p->known = own ? known_of(t) : NULL;
	if (!p->known) {
		bind_generic(p, t);
		return p;
	}
	bind_own(p, t);
	if (!strcmp(t->name, "print")) {
		p->marker = marker_of(t);
		p->generic = render_new(t, false);
	}
	return p;
}

void render_free(struct render *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < p->n; i++)
		free(p->steps[i].name);
	render_free(p->generic);
	free(p->head);
	free(p);
}

/* ---- one event ---- */

static void text(struct outbuf *o, const struct span *s)
{
	out_bytes(o, (const char *)s->p, strnlen((const char *)s->p, s->len));
}

static const struct value_style STYLE = {
	.string = text,
	.quote = "",
	.between = ", ",
	.time = " ns",
	.none = "undef",
};

/* A text is bounded by its record, as a printed line is; it may contain anything. */
static void put_text(struct outbuf *o, unsigned number, const struct field *f,
		     const struct event *ev)
{
	size_t at = proto_begin(o, number);

	value_print(o, f, ev, &STYLE);
	if (f->kind == FIELD_STR)
		while (o->len > at && o->p[o->len - 1] == '\n')
			o->len--;
	proto_plain(o, at);
	proto_end(o, at);
}

static void put_numbers(struct outbuf *o, unsigned number, const struct field *f,
			const struct event *ev)
{
	struct span s;

	if (!field_span(f, ev, &s))
		return;
	for (uint32_t at = 0; at + 8 <= s.len; at += 8)
		proto_uint(o, number, field_load(s.p + at, 8, f->swap));
}

static void put_symbol(struct outbuf *o, unsigned number, uint64_t address, const struct event *ev,
		       const struct render_env *env)
{
	const char *name;
	unsigned id = symbol_ids_get(env->symbols, ev->type->machine, address, &name);

	if (name)
		env->interned(env->arg, id, name);
	if (id)
		proto_uint(o, number, id);
}

static void put_rwbs(struct outbuf *o, unsigned number, uint64_t mask)
{
	char letters[LTTNG_RWBS_LETTERS];

	lttng_rwbs(mask, letters);
	proto_str(o, number, letters);
}

static void own_event(const struct render *p, const struct event *ev, struct outbuf *o,
		      const struct render_env *env)
{
	size_t at = proto_begin(o, p->known->number);

	for (unsigned i = 0; i < p->n; i++) {
		const struct render_step *s = &p->steps[i];

		switch (s->how) {
		case HOW_NUMBER:
			proto_uint(o, s->number, field_scalar(s->f, ev) + (uint64_t)s->plus);
			break;
		case HOW_CONSTANT:
			proto_uint(o, s->number, (uint64_t)s->plus);
			break;
		case HOW_RWBS:
			put_rwbs(o, s->number, field_scalar(s->f, ev));
			break;
		case HOW_SYMBOL:
			put_symbol(o, s->number, field_scalar(s->f, ev), ev, env);
			break;
		case HOW_NUMBERS:
			put_numbers(o, s->number, s->f, ev);
			break;
		case HOW_TEXT:
			put_text(o, s->number, s->f, ev);
			break;
		}
	}
	proto_end(o, at);
}

static void generic_event(const struct render *p, const struct event *ev, struct outbuf *o)
{
	size_t at = proto_begin(o, EVENT_GENERIC), in;

	out_bytes(o, p->head, p->head_len);
	for (unsigned i = 0; i < p->n; i++) {
		const struct render_step *s = &p->steps[i];

		in = proto_begin(o, GENERIC_FIELD);
		out_bytes(o, s->name, s->name_len);
		if (s->how == HOW_NUMBER)
			proto_uint(o, s->f->is_signed ? FIELD_SIGNED : FIELD_UNSIGNED,
				   field_scalar(s->f, ev));
		else
			put_text(o, FIELD_STRING, s->f, ev);
		proto_end(o, in);
	}
	if (*ev->from->instance) {
		in = proto_begin(o, GENERIC_FIELD);
		proto_str(o, FIELD_NAME, "instance");
		proto_str(o, FIELD_STRING, ev->from->instance);
		proto_end(o, in);
	}
	proto_end(o, at);
}

void render_event(struct render *p, const struct event *ev, struct outbuf *o,
		  const struct render_env *env)
{
	struct span s;

	if (!p->known)
		generic_event(p, ev, o);
	else if (p->marker &&
		 !(field_span(p->marker, ev, &s) && known_is_atrace((const char *)s.p, s.len)))
		generic_event(p->generic, ev, o);
	else
		own_event(p, ev, o, env);
}
