// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine: the text of an event, in the kernel's form or trace-cmd's: by the steps of its print
 * format, or by our own function if there is one.  A type is prepared at its first record.
 */
#include "text/engine.h"

#include "base/ascii.h"
#include "text/field_value.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/plugins.h"
#include "text/report/report_handlers.h"
#include "text/steps/tracers.h"
#include "text/steps/steps.h"
#include "text/syscall.h"

#include <stdlib.h>

/* How the records of a type are printed. */
struct print_kind {
	enum { KIND_RAW, KIND_STEPS, KIND_OWN } how;
	struct steps *steps;
	const struct plugin *plugin; /* prints what it supports */
	struct own own;
	uint8_t *binary; /* put_raw_fields() */
	struct flags flags;
};

struct engine {
	enum dialect dialect;
	struct memory memory;	 /* DIALECT_REPORT */
	struct plugins *plugins; /* the same */
	struct notes *notes;
	struct arena arena;
	struct print_kind **kinds; /* by index of the type */
	size_t compiled;	   /* bytes of print formats */
	size_t nkinds;
};

/*
 * Maximum bytes of compiled print formats; steps take up to 20 times as much.  All of Linux 6.18's
 * have 700,000.
 */
#define COMPILED_MAX (4u << 20)

#define CUT " [CUT]" /* ends a text that was cut */

/* ---- bare fields ---- */

static bool printable(const struct span *s)
{
	for (uint32_t i = 0; i < s->len && s->p[i]; i++)
		if (!ascii_print(s->p[i]) && !ascii_space(s->p[i]))
			return false;
	return true;
}

/* The library's test for text: an array whose type has one of these in its name. */
static bool is_text(const struct field *f)
{
	return f->loc == FIELD_LOC16 || strstr(f->type, "char") || strstr(f->type, "u8") ||
	       strstr(f->type, "s8");
}

static void raw_array(struct outbuf *o, const struct event *ev, const struct field *f,
		      uint8_t *binary)
{
	struct span s;

	/* A tail has no size in the format, so the library shows none of it. */
	if (f->loc == FIELD_TAIL)
		s = (struct span){ ev->data, 0 };
	else
		field_span(f, ev, &s);
	if (is_text(f) && !*binary && printable(&s)) {
		if (f->loc == FIELD_TAIL && f->off <= ev->size)
			s = (struct span){ ev->data + f->off, ev->size - f->off };
		out_bytes(o, (const char *)s.p, strnlen((const char *)s.p, s.len));
		return;
	}
	*binary = 1;
	out_str(o, "ARRAY[");
	for (uint32_t i = 0; i < s.len; i++) {
		char *p;

		if (i)
			out_bytes(o, ", ", 2);
		p = out_room(o, 2);
		p[0] = "0123456789abcdef"[s.p[i] >> 4];
		p[1] = "0123456789abcdef"[s.p[i] & 15];
		o->len += 2;
	}
	out_char(o, ']');
}

static void raw_number(struct outbuf *o, const struct event *ev, const struct field *f)
{
	bool is_long = strstr(f->type, "long");
	uint64_t v = 0;

	if ((f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) &&
	    (uint64_t)f->off + f->size <= ev->size)
		v = field_load(ev->data + f->off, f->size, f->swap);
	if (strchr(f->type, '*')) {
		out_bytes(o, "0x", 2);
		out_hex(o, v);
	} else if (f->is_signed && f->size == 4 && is_long) {
		out_bytes(o, "0x", 2);
		out_hex(o, v);
	} else if (f->is_signed) {
		int64_t n = f->size == 4 ? (int32_t)v :
			    f->size == 2 ? (int16_t)v :
			    f->size == 1 ? (int8_t)v :
					   (int64_t)v;

		if (f->size == 2 && n >= 0 && n < 10)
			out_char(o, ' ');
		out_i64(o, n);
	} else if (is_long) {
		out_bytes(o, "0x", 2);
		out_hex(o, v);
	} else {
		out_u64(o, v);
	}
}

/*
 * A record as " name=value name=value": the form that libtraceevent gives records whose print
 * format it cannot parse.  BINARY has a byte per field of the type; once a field has held something
 * unprintable the library never shows it as text again, and BINARY records that.  Ends with the
 * field that makes it longer than MAX.
 */
static void put_raw_fields(struct outbuf *o, const struct event *ev, uint8_t *binary, size_t max)
{
	const struct etype *t = ev->type;
	size_t from = o->len;

	for (unsigned i = t->ncommon; i < t->nfields && o->len - from <= max; i++) {
		const struct field *f = &t->fields[i];

		out_char(o, ' ');
		out_str(o, f->name);
		out_char(o, '=');
		if (f->dim || f->loc == FIELD_LOC16)
			raw_array(o, ev, f, &binary[i]);
		else
			raw_number(o, ev, f);
	}
}

/* A text on one line. */
static void plain_string(struct outbuf *o, const struct span *s)
{
	size_t from = o->len;

	out_bytes(o, (const char *)s->p, strnlen((const char *)s->p, s->len));
	out_plain(o, from, 0);
}

/*
 * The same for a type without a format file (LTT, stable events): every field by its kind, texts on
 * one line.  MAX as above.
 */
static void put_plain_fields(struct outbuf *o, const struct event *ev, size_t max)
{
	static const struct value_style style = {
		.string = plain_string,
		.quote = "",
		.between = ", ",
		.none = "undef",
	};
	const struct etype *t = ev->type;
	size_t from = o->len;

	for (unsigned i = t->ncommon; i < t->nfields && o->len - from <= max; i++) {
		if (i > t->ncommon)
			out_char(o, ' ');
		out_str(o, t->fields[i].name);
		out_char(o, '=');
		value_print(o, &t->fields[i], ev, &style);
	}
}

/* ---- by type ---- */

struct engine *engine_new(enum dialect dialect, struct notes *notes)
{
	struct engine *k = mem_zalloc(sizeof(*k));

	k->dialect = dialect;
	k->notes = notes;
	if (dialect == DIALECT_REPORT)
		k->plugins = plugins_new(notes);
	return k;
}

void engine_free(struct engine *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->nkinds; i++)
		if (k->kinds[i])
			steps_free(k->kinds[i]->steps);
	free(k->kinds);
	memory_fini(&k->memory);
	plugins_free(k->plugins);
	arena_fini(&k->arena);
	free(k);
}

/* Is there a function for records of TYPE, instead of its print format? */
static bool find_own(struct engine *k, const struct etype *type, struct own *own)
{
	return k->dialect == DIALECT_REPORT ?
		       report_find(type, &k->memory, own) :
		       own_find(type, own) || syscall_find(type, &k->arena, own);
}

static struct print_kind *look_at(struct engine *k, const struct etype *type)
{
	struct print_kind *kind = arena_alloc(&k->arena, sizeof(*kind));
	const char *why = NULL;

	k->kinds[type->idx] = kind;
	flags_init(&kind->flags, type);
	kind->binary = arena_alloc(&k->arena, type->nfields + 1);
	if (!find_own(k, type, &kind->own)) {
		memset(&kind->own, 0, sizeof(kind->own));
		if (k->plugins)
			kind->plugin = plugins_find(k->plugins, type);
	} else if (!kind->own.form) {
		kind->how = KIND_OWN;
		return kind;
	}
	k->compiled += type->print_len;
	if (k->compiled <= COMPILED_MAX)
		kind->steps = steps_compile(type, k->dialect, kind->own.form, &k->arena, &why);
	else
		why = "too many print formats";
	kind->how = kind->steps ? KIND_STEPS : KIND_RAW;
	if (why && k->notes)
		note_say(k->notes, NOTE_INFO,
			 kind->steps ? "%s:%s: not as the kernel has it: %s" :
				       "%s:%s: its fields are shown raw: %s",
			 type->system, type->name, why);
	return kind;
}

static struct print_kind *kind_of(struct engine *k, const struct etype *type)
{
	size_t n = k->nkinds;

	if (type->idx >= n)
		k->kinds = mem_grow_zeroed(k->kinds, &k->nkinds, (size_t)type->idx + 1,
					   sizeof(*k->kinds));
	return k->kinds[type->idx] ? k->kinds[type->idx] : look_at(k, type);
}

static void put_name(struct outbuf *o, const struct etype *t)
{
	/* Names of stable events and of facilities need their system. */
	if (!t->format_len) {
		out_str(o, t->system);
		out_bytes(o, "::", 2);
	}
	out_str(o, t->name);
	out_bytes(o, ": ", 2);
}

void engine_put(struct engine *k, const struct event *ev, struct outbuf *o, bool named)
{
	const struct etype *t = ev->type;
	size_t max = steps_text_max(ev->size), from;
	struct print_kind *kind;
	bool done = false;

	if (!t->known) {
		if (k->dialect == DIALECT_REPORT)
			out_str(o, "[UNKNOWN EVENT]");
		else
			out_printf(o, "Unknown type %u", t->id);
		return;
	}
	if (!t->format_len) {
		if (named)
			put_name(o, t);
		put_plain_fields(o, ev, max);
		return;
	}
	kind = kind_of(k, t);
	if (named && kind->how != KIND_OWN)
		put_name(o, t);
	from = o->len;
	if (kind->own.put && ev->size >= t->fixed) {
		kind->own.put(&kind->own, ev, o, max);
		done = kind->how == KIND_OWN;
	}
	if (kind->plugin && ev->size >= t->fixed)
		done = plugin_put(k->plugins, kind->plugin, ev, o);
	if (!done && kind->how == KIND_STEPS)
		done = steps_run(kind->steps, ev, o, max);
	if (!done) {
		out_str(o, "[FAILED TO PARSE]");
		put_raw_fields(o, ev, kind->binary, max);
	}
	if (o->len - from > max) {
		o->len = from + max - strlen(CUT);
		out_str(o, CUT);
	}
	if (o->len > from && o->p[o->len - 1] == '\n')
		o->len--;
}

size_t engine_flags(struct engine *k, const struct event *ev, char *buf)
{
	if (!ev->type->known || !ev->type->format_len || ev->size < ev->type->fixed)
		return flags_none(buf);
	return flags_put(&kind_of(k, ev->type)->flags, k->dialect, ev, buf);
}

enum graph engine_graph(struct engine *k, const struct event *ev, uint64_t *func)
{
	const struct own *own;

	if (!ev->type->known || !ev->type->format_len || ev->size < ev->type->fixed)
		return GRAPH_NONE;
	own = &kind_of(k, ev->type)->own;
	if (own->graph)
		*func = field_scalar(own->field[0], ev);
	return own->graph;
}

const char *engine_report_comm(struct engine *k, struct machine *m, int32_t pid)
{
	const char *comm;

	/* No recording of trace-cmd: there is nothing to be shown as it does. */
	if (!comms_has_list(m->comms))
		return comms_name(m->comms, pid);
	/* Names with times are not in the file's list, which is all that trace-cmd reads. */
	if (!comms_are_streamed(m->comms))
		comm = comms_stock_name(m->comms, pid);
	else
		comm = comms_recorded_name(m->comms, pid);
	return strcmp(comm, "<...>") ? comm : memory_comm(&k->memory, m, pid);
}
