// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * made_type: the type of a definition's events on one machine.  It is written as the kernel writes
 * one, format and print format, so that all code that reads, filters or prints events treats it
 * like any other; what a kernel's format cannot say (this is a time) is added to the fields.
 */
#include "run/synthetic/synthetic_priv.h"

#include "base/outbuf.h"
#include "trace/machine.h"

#include <string.h>

#define FIRST_ID 65535
#define MAX_COMMON 4096 /* bytes; the kernels' have 8 to 16 */

/* An id that no type of M has, from the top: never one that a kernel assigns. */
static unsigned free_id(const struct catalog *c, const struct machine *m)
{
	unsigned id = FIRST_ID;

	for (unsigned i = 0; i < catalog_count(c); i++) {
		const struct etype *t = catalog_at(c, i);

		if (t->machine == m && t->id == id) {
			id--;
			i = UINT32_MAX;
		}
	}
	return id;
}

static void put_field(struct outbuf *o, const char *type, const char *name, const char *dim,
		      uint32_t off, uint32_t size, bool is_signed)
{
	out_printf(o, "\tfield:%s %s%s%s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", type, name,
		   dim ? "[" : "", dim ? dim : "", dim ? "]" : "", off, size, is_signed);
}

/* The common fields of a record of M; returns their bytes. */
static uint32_t put_common(struct outbuf *o, struct catalog *c, const struct machine *m)
{
	uint32_t end = 0;
	struct err e;

	for (unsigned i = 0; i < catalog_count(c) && !end; i++) {
		const struct etype *t = catalog_at(c, i);

		if (t->machine != m || !t->known || etype_resolve(c, t, &e) < 0)
			continue;
		for (unsigned k = 0; k < t->ncommon; k++) {
			const struct field *f = &t->fields[k];

			put_field(o, f->type, f->name, f->dim, f->off, f->size, f->is_signed);
			end = f->off + f->size > end ? f->off + f->size : end;
		}
	}
	out_char(o, '\n');
	return end;
}

static bool is_pointer(const struct expr_value *f)
{
	return f->field && strchr(f->field->type, '*') && f->kind == EXPR_NUMBER;
}

static void put_print(struct outbuf *o, const struct synthetic_def *d, const struct formulas *v)
{
	out_str(o, "\nprint fmt: \"");
	for (unsigned i = 0; i < v->n; i++) {
		const struct expr_value *f = v->v[i];

		out_printf(o, "%s%s=%s", i ? " " : "", d->fields[i].name,
			   f->kind == EXPR_STRING ? "%s" :
			   is_pointer(f)	  ? "%pS" :
			   f->means == MEANS_TIME ? "%lld [ns]" :
			   f->is_signed		  ? "%lld" :
						    "%llu");
	}
	out_char(o, '"');
	for (unsigned i = 0; i < v->n; i++) {
		const struct expr_value *f = v->v[i];
		const char *name = d->fields[i].name;
		unsigned kind = f->field ? f->field->kind : FIELD_STR;

		if (f->kind == EXPR_NUMBER)
			out_printf(o, ", %sREC->%s", is_pointer(f) ? "(void *)" : "", name);
		else if (kind == FIELD_BITMASK)
			out_printf(o, ", __get_bitmask(%s)", name);
		else if (kind == FIELD_STR)
			out_printf(o, ", __get_str(%s)", name);
		else
			out_printf(o,
				   ", __print_array(__get_dynamic_array(%s), "
				   "__get_dynamic_array_len(%s) / %u, %u)",
				   name, name, kind == FIELD_ARRAY ? f->field->elem : 1,
				   kind == FIELD_ARRAY ? f->field->elem : 1);
	}
	out_char(o, '\n');
}

/* What a kernel's format cannot express. */
static void add_meaning(struct field *f, const struct expr_value *from)
{
	if (from->kind == EXPR_NUMBER) {
		f->is_time = from->means == MEANS_TIME;
		if (from->field && from->field->kind == FIELD_ENUM) {
			f->kind = FIELD_ENUM;
			f->more = from->field->more;
		}
	} else if (from->field) {
		f->kind = from->field->kind;
		f->elem = from->field->elem;
		f->is_signed = from->field->is_signed;
	}
}

static int check_name(const struct synthetic *s, const struct site *site, struct err *e)
{
	const struct synthetic_def *d = site->event->def;
	const struct etype *t = catalog_find(s->catalog, d->system, d->name, 0);

	while (t && t->machine != site->machine)
		t = catalog_find(s->catalog, d->system, d->name, t->idx + 1);
	if (t)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "there is an event %s:%s already: give it another name", d->system,
			       d->name);
	return 0;
}

int synthetic_type_make(struct synthetic *s, struct site *site, const struct part *end,
			struct err *e)
{
	const struct synthetic_def *d = site->event->def;
	const struct formulas *v = &end->values;
	struct outbuf o = { .p = NULL };
	const char *text;

	TRY(check_name(s, site, e));
	out_printf(&o, "name: %s\nID: %u\nformat:\n", d->name, free_id(s->catalog, site->machine));
	site->common = put_common(&o, s->catalog, site->machine);
	if (site->common > MAX_COMMON) {
		outbuf_fini(&o);
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%s:%s: the fields that all events of the trace have take %u bytes, "
			       "more than %u",
			       d->system, d->name, site->common, MAX_COMMON);
	}
	site->last = (site->common + 7) & ~7u;
	for (unsigned i = 0; i < v->n; i++) {
		bool number = v->v[i]->kind == EXPR_NUMBER;

		put_field(&o,
			  is_pointer(v->v[i]) ? "void *" :
			  !number	      ? "__data_loc char[]" :
			  v->v[i]->is_signed  ? "s64" :
						"u64",
			  d->fields[i].name, NULL, site->last, number ? 8 : 4,
			  number && v->v[i]->is_signed);
		site->last += 8;
	}
	put_print(&o, d, v);
	text = arena_strndup(&s->arena, o.p, o.len);
	site->type = catalog_add(s->catalog, site->machine, d->system, text, o.len, e);
	outbuf_fini(&o);
	if (!site->type || etype_resolve(s->catalog, site->type, e) < 0)
		return err_within(e, "%s:%s", d->system, d->name);
	site->type->synthetic = true;
	/* Made here and not shared: its fields may still be completed. */
	for (unsigned i = 0; i < v->n; i++)
		add_meaning((struct field *)&site->type->fields[site->type->ncommon + i], v->v[i]);
	return 0;
}
