// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record: is this record one that libtraceevent, which checks nothing, can print?  Goes through the
 * conversions as the library would, and adds up what their text may come to.
 */
#include "reader/text/printfmt/record.h"

#include "reader/model/machine.h"
#include "reader/text/printfmt/conversion.h"
#include "reader/text/printfmt/eval.h"

#include <string.h>

/* COUNT items of ELEM bytes of the array N.  *LEN grows by the bytes of text. */
static bool array_ok(const struct event *ev, const struct pf_node *n, uint64_t count, uint64_t elem,
		     uint64_t *len)
{
	struct span s;

	*len += count * 5 * elem; /* "0xff," */
	return pf_inside(ev, n->field, &s) && count <= s.len && count * elem <= s.len;
}

/* A %s and its argument.  *LEN grows by the bytes of text, or of work, that it may cost. */
static bool string_ok(const struct event *ev, const struct pf_node *n, uint64_t *len)
{
	struct pf_value v, size;
	struct span s;

	switch (n->kind) {
	case PF_FIELD:
		if (n->field->off > ev->size)
			return false;
		*len += n->field->size ? n->field->size : ev->size - n->field->off;
		return true;
	case PF_FLAGS:
	case PF_SYMBOLIC:
		return pf_eval(ev, n->a, &v);
	case PF_HEX:
		return pf_eval(ev, n->b, &v) && v.known &&
		       array_ok(ev, n->a, v.v & 0xffffffff, 1, len);
	case PF_ARRAY:
		if (!pf_eval(ev, n->b, &v) || !pf_eval(ev, n->c, &size) || !v.known || !size.known)
			return false;
		if (size.v != 1 && size.v != 2 && size.v != 4 && size.v != 8)
			return false;
		return array_ok(ev, n->a, v.v & 0xffffffff, size.v, len);
	case PF_GET_STR:
		if (!pf_inside(ev, n->field, &s))
			return false;
		*len += s.len;
		return true;
	case PF_BITMASK:
		/* For an empty mask the library asks for gigabytes. */
		if (!pf_inside(ev, n->field, &s) || !s.len)
			return false;
		*len += (uint64_t)s.len * 24; /* "1000,1002," */
		return true;
	case PF_OP:
		if (n->op[0] != '?')
			return true;
		if (!pf_eval(ev, n->a, &v))
			return false;
		if (v.known)
			return string_ok(ev, v.v ? n->b->a : n->b->b, len);
		return string_ok(ev, n->b->a, len) && string_ok(ev, n->b->b, len);
	case PF_FUNC:
		return pf_eval(ev, n, &v);
	case PF_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* The argument of %pM, %pI4, %pUb, %ph and the like, which read memory. */
static bool object_ok(const struct event *ev, const struct pf_node *n)
{
	struct pf_value v;
	struct span s;

	while (n->kind == PF_CAST)
		n = n->a;
	switch (n->kind) {
	case PF_FIELD:
		return (uint64_t)n->field->off + n->field->size <= ev->size;
	case PF_DYN:
		return pf_inside(ev, n->field, &s);
	case PF_FUNC:
		return pf_eval(ev, n, &v);
	case PF_UNKNOWN:
		return false;
	default:
		return true;
	}
}

/* Bytes of the name of the symbol at V, with its module. */
static uint64_t symbol_len(const struct event *ev, struct pf_value v)
{
	const char *name, *module = NULL;

	if (!v.known)
		return SYMBOL_MAX;
	name = machine_symbol(ev->type->machine, v.v, NULL, &module);
	return name ? strlen(name) + (module ? strlen(module) : 0) : 0;
}

bool printfmt_record_ok(const struct printfmt *pf, const struct event *ev)
{
	uint64_t len = 0;

	for (unsigned i = 0; i < pf->nconvs; i++) {
		const struct pf_conv *c = &pf->convs[i];
		struct pf_value v;

		if (c->width) {
			if (!pf_eval(ev, c->width, &v) || !v.known ||
			    (v.v & 0xffffffff) > PF_MAX_WIDTH)
				return false;
			len += v.v & 0xffffffff;
		}
		switch (c->kind) {
		case CONV_NUMBER:
			if (!pf_eval(ev, c->arg, &v))
				return false;
			break;
		case CONV_STRING:
			if (!string_ok(ev, c->arg, &len))
				return false;
			break;
		case CONV_POINTER:
			if (c->letter && strchr("mMiIUh", c->letter)) {
				if (!object_ok(ev, c->arg))
					return false;
				break;
			}
			if (!pf_eval(ev, c->arg, &v))
				return false;
			if (pf_conv_of_symbol(c))
				len += symbol_len(ev, v);
			break;
		}
		if (len > pf_text_max(ev->size))
			return false;
	}
	return true;
}
