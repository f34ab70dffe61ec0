// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asked_fields: names among the asked fields that no row's event has, as a limit of the answer.
 */
#include "programs/zedperl/mcp/asked_fields.h"

#include "base/glob.h"
#include "trace/field.h"

#include <string.h>

#define NAME 32 /* bytes of a name that are shown: two fit into ASKED_TEXT, made plain */
#define MORE " ..."

static void take_type(struct asked_fields *f, const struct etype *t)
{
	for (unsigned i = 0; i < f->ntypes; i++)
		if (f->types[i] == t)
			return;
	if (f->ntypes < ASKED_TYPES)
		f->types[f->ntypes++] = t;
}

void asked_fields_row(struct asked_fields *f, const struct etype *t)
{
	const char *name;

	for (unsigned i = 0; (name = args_item(f->args, ARG_FIELDS, i)); i++)
		f->found[i] = f->found[i] || field_find_in(t->fields, t->nfields, name);
	take_type(f, t);
}

/* ---- the nearest name ---- */

struct asked_near {
	const struct asked_fields *f;
	unsigned type, field; /* the next one */
};

static const char *next_name(void *arg)
{
	struct asked_near *n = arg;

	for (; n->type < n->f->ntypes; n->type++, n->field = 0)
		if (n->field < n->f->types[n->type]->nfields)
			return n->f->types[n->type]->fields[n->field++].name;
	return NULL;
}

/* ---- what is said ---- */

static void put_name(struct outbuf *o, const char *before, const char *name, const char *after)
{
	out_str(o, before);
	out_bytes(o, name, strnlen(name, NAME));
	out_str(o, after);
}

static void put_missing(struct outbuf *o, const struct asked_fields *f, const char *name)
{
	struct asked_near names = { .f = f };
	const char *near = nearest_name(name, next_name, &names);

	put_name(o, o->len ? ", '" : "no row has a field '", name, "'");
	if (near)
		put_name(o, " (did you mean '", near, "'?)");
}

void asked_fields_end(struct asked_fields *f)
{
	struct outbuf o = { 0 };
	const char *name;
	size_t len = 0;

	for (unsigned i = 0; f->ntypes && (name = args_item(f->args, ARG_FIELDS, i)); i++) {
		if (f->found[i])
			continue;
		put_missing(&o, f, name);
		out_plain(&o, len, 0);
		if (o.len + sizeof(MORE) > sizeof(f->missing)) {
			o.len = len;
			out_str(&o, MORE);
			break;
		}
		len = o.len;
	}
	if (o.len)
		memcpy(f->missing, o.p, o.len);
	outbuf_fini(&o);
}

void asked_fields_say(const struct asked_fields *f, struct content *t)
{
	content_limit(t, f->missing, strlen(f->missing));
}
