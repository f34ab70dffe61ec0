// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * library: what libtraceevent has understood of a format, in our fields and trees, so that printfmt
 * can check what the library will really do.
 */
#include "reader/text/library.h"

#include "base/outbuf.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"
#include "reader/text/rebuild.h"

#include <traceevent/event-parse.h>

#include <ctype.h>
#include <stdio.h>

/* ---- fields ---- */

/* Are our fields from *F up to END (excluded) the same as THEIRS? */
static bool same_list(const struct field **f, const struct field *end,
		      const struct tep_format_field *theirs)
{
	for (; theirs; theirs = theirs->next, ++*f) {
		bool dynamic;

		if (*f == end)
			return false;
		dynamic = (*f)->loc != FIELD_AT && (*f)->loc != FIELD_TAIL;
		if (strcmp((*f)->name, theirs->name) || (int)(*f)->off != theirs->offset ||
		    (int)(*f)->size != theirs->size ||
		    dynamic != !!(theirs->flags & TEP_FIELD_IS_DYNAMIC) ||
		    ((*f)->loc == FIELD_REL_LOC) != !!(theirs->flags & TEP_FIELD_IS_RELATIVE))
			return false;
	}
	return *f == end;
}

/*
 * Does the library understand each field as we do?  While it parses a print format it uses the
 * fields named there without checking that it has found them, so this is tried with an empty one,
 * in a separate handle.
 */
bool textlib_same_fields(const struct etype *type)
{
	const struct field *f = type->fields, *own = f + type->ncommon;
	struct tep_handle *tep = tep_alloc();
	struct tep_event *event = NULL;
	struct outbuf o = { 0 };
	bool same = false;

	if (tep && rebuild_format(&o, type, false)) {
		tep_set_long_size(tep, type->machine->long_size);
		tep_parse_event(tep, o.p, o.len, type->system);
		event = tep_find_event(tep, type->id);
	}
	if (event)
		same = same_list(&f, own, event->format.common_fields) &&
		       same_list(&f, type->fields + type->nfields, event->format.fields);
	outbuf_fini(&o);
	tep_free(tep);
	return same;
}

/* ---- print formats ---- */

struct convert {
	const struct etype *type;
	struct tep_event *event;
	struct arena *arena;
	unsigned depth;
	bool symbols; /* there are bare words, which the library looks up as symbols */
};

static struct pf_node *convert(struct convert *c, const struct tep_print_arg *arg);

static const struct field *same_field(struct convert *c, const struct tep_format_field *f)
{
	return f ? field_find(c->type, f->name) : NULL;
}

static struct pf_node *convert_here(struct convert *c, const struct tep_print_arg *arg)
{
	struct pf_node *n = arena_alloc(c->arena, sizeof(*n)), **next;
	const struct tep_format_field *field;

	n->kind = PF_UNKNOWN;
	switch (arg->type) {
	case TEP_PRINT_NULL:
		n->kind = PF_NONE;
		break;
	case TEP_PRINT_ATOM:
		n->kind = PF_ATOM;
		/* A copy: the library replaces the text when it looks a word up. */
		n->text = arena_strndup(c->arena, arg->atom.atom, strlen(arg->atom.atom));
		if (isalpha((unsigned char)*n->text) || *n->text == '_')
			c->symbols = true;
		break;
	case TEP_PRINT_FIELD:
		n->kind = PF_FIELD;
		n->text = arg->field.name;
		n->field = field_find(c->type, arg->field.name);
		field = tep_find_any_field(c->event, arg->field.name);
		n->elem = field ? field->elementsize : 0;
		break;
	case TEP_PRINT_FLAGS:
		n->kind = PF_FLAGS;
		n->a = convert(c, arg->flags.field);
		break;
	case TEP_PRINT_SYMBOL:
		n->kind = PF_SYMBOLIC;
		n->a = convert(c, arg->symbol.field);
		break;
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		n->kind = PF_HEX;
		n->a = convert(c, arg->hex.field);
		n->b = convert(c, arg->hex.size);
		break;
	case TEP_PRINT_INT_ARRAY:
		n->kind = PF_ARRAY;
		n->a = convert(c, arg->int_array.field);
		n->b = convert(c, arg->int_array.count);
		n->c = convert(c, arg->int_array.el_size);
		break;
	case TEP_PRINT_TYPE:
		n->kind = PF_CAST;
		n->text = arg->typecast.type;
		n->a = convert(c, arg->typecast.item);
		break;
	case TEP_PRINT_STRING:
		n->kind = PF_GET_STR;
		n->field = field_find(c->type, arg->string.string);
		break;
	case TEP_PRINT_BITMASK:
	case TEP_PRINT_CPUMASK:
		n->kind = PF_BITMASK;
		n->field = field_find(c->type, arg->bitmask.bitmask);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY:
		n->kind = PF_DYN;
		n->field = same_field(c, arg->dynarray.field);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		n->kind = PF_DYN_LEN;
		n->field = same_field(c, arg->dynarray.field);
		break;
	case TEP_PRINT_OP:
		n->kind = PF_OP;
		snprintf(n->op, sizeof(n->op), "%s", arg->op.op ? arg->op.op : "");
		n->a = convert(c, arg->op.left);
		n->b = convert(c, arg->op.right);
		break;
	case TEP_PRINT_FUNC:
		n->kind = PF_FUNC;
		next = &n->a;
		for (const struct tep_print_arg *a = arg->func.args; a; a = a->next) {
			*next = convert(c, a);
			next = &(*next)->next;
		}
		break;
	default:
		break;
	}
	return n;
}

static struct pf_node *convert(struct convert *c, const struct tep_print_arg *arg)
{
	struct pf_node *n;

	/* Deeper than anything that printfmt lets through. */
	if (!arg || ++c->depth > 2048) {
		n = arena_alloc(c->arena, sizeof(*n));
		n->kind = PF_UNKNOWN;
		return n;
	}
	n = convert_here(c, arg);
	c->depth--;
	return n;
}

struct pf_node *textlib_args(const struct etype *t, struct tep_event *event, struct arena *a,
			     bool *symbols)
{
	struct convert c = { .type = t, .event = event, .arena = a };
	struct pf_node *args = NULL, **next = &args;

	for (const struct tep_print_arg *arg = event->print_fmt.args; arg; arg = arg->next) {
		*next = convert(&c, arg);
		next = &(*next)->next;
	}
	*symbols = c.symbols;
	return args;
}
