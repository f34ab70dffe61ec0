/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table_names: the names of flags and of other values by the tables of print formats.
 */
#include "interp/common/table_names.h"

#include "text/field_value.h"
#include "text/printfmt/printfmt_parse.h"
#include "trace/field.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Tables of __print_flags and __print_symbolic of one event type. */
struct value_tables {
	const struct etype *type;
	const struct flag_table *tables;
};

void table_names_fini(struct table_names *n)
{
	arena_fini(&n->arena);
	free(n->known);
}

const struct flag_table *table_names_tables(struct table_names *n, const struct etype *t)
{
	size_t i;

	for (i = 0; i < n->nknown; i++)
		if (n->known[i].type == t)
			return n->known[i].tables;
	n->known = mem_grow(n->known, &n->cap, n->nknown + 1, sizeof(*n->known));
	n->known[n->nknown].type = t;
	n->known[n->nknown].tables = printfmt_tables(t, &n->arena);
	return n->known[n->nknown++].tables;
}

const struct etype *table_names_type(struct catalog *c, const struct etype *current,
				     const char *event)
{
	const char *colon = strchr(event, ':');
	const struct etype *t;
	char system[256];
	struct err e;

	if (!colon || (size_t)(colon - event) >= sizeof(system))
		return NULL;
	memcpy(system, event, colon - event);
	system[colon - event] = 0;
	event = colon + (colon[1] == ':' ? 2 : 1);
	if (current && !strcmp(current->system, system) && !strcmp(current->name, event))
		return current;
	t = catalog_find(c, system, event, 0);
	return t && etype_resolve(c, t, &e) == 0 ? t : NULL;
}

/* sched_switch prints (prev_state & MASK) ? __print_flags(prev_state & MASK, ...) : "R". */
size_t table_names_none(const struct etype *t, const char **at)
{
	const char *p = t->print, *end = p + t->print_len, *quote;
	bool quoted = false, colon = false;
	int depth = 0;

	p = t->print_len ? memmem(p, end - p, "__print_flags", 13) : NULL;
	for (; p && p < end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '(')
			depth++;
		else if (!quoted && *p == ')' && --depth == 0)
			break;
	}
	p = p ? p + 1 : end;
	while (p < end && (*p == ' ' || *p == ':'))
		colon |= *p++ == ':';
	if (!colon || p >= end || *p != '"')
		return 0;
	p++;
	quote = memchr(p, '"', end - p);
	*at = p;
	return quote ? quote - p : 0;
}

static void put_flags(struct outbuf *o, const struct flag_table *t, const struct etype *type,
		      uint64_t v)
{
	const char *text = "";
	size_t begin = o->len, len;
	uint64_t left = v;
	unsigned i;

	for (i = 0; i < t->n; i++) {
		uint64_t bits = t->names[i].value;

		if (!t->names[i].known || (bits ? (left & bits) != bits : v != 0))
			continue;
		out_str(o, o->len > begin ? t->delim : "");
		out_str(o, t->names[i].name);
		left &= ~bits;
	}
	/* An expression masks the field first: the bits outside of the mask are not flags. */
	if (left && t->field)
		out_printf(o, "%s0x%" PRIx64, o->len > begin ? t->delim : "", left);
	if (o->len == begin && !t->field) {
		len = table_names_none(type, &text);
		out_bytes(o, text, len);
	}
}

static bool put_symbol(struct outbuf *o, const struct flag_table *t, const struct field *f,
		       uint64_t v)
{
	uint64_t mask = f->size < 8 ? ((uint64_t)1 << (8 * f->size)) - 1 : ~(uint64_t)0;
	unsigned i;

	/* A negative value of a 32-bit field is listed with 32 bits, or with 64. */
	for (i = 0; i < t->n; i++)
		if (t->names[i].known && ((t->names[i].value ^ v) & mask) == 0) {
			out_str(o, t->names[i].name);
			return true;
		}
	return false;
}

bool table_names_put(struct table_names *n, const struct etype *t, const struct field *f,
		     uint64_t v, bool flags, struct outbuf *o)
{
	const struct flag_table *table;

	/* Bits that have names without a print format. */
	if (flags && f->kind == FIELD_UINT && f->more) {
		if (v)
			value_flags(o, f, v);
		return true;
	}
	table = printfmt_table_for(table_names_tables(n, t), f, flags);
	if (!table)
		return false;
	if (!flags)
		return put_symbol(o, table, f, v);
	if (f->size < 8 && field_is_int(f))
		v &= ((uint64_t)1 << (8 * f->size)) - 1;
	put_flags(o, table, t, v);
	return true;
}
