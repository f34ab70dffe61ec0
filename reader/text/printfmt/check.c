// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check: what can be said of a print format once and for all.  Matches conversions with arguments,
 * refuses what no record could be printed by, bounds what printing costs, and decides whether each
 * record has to be looked at (record.c).
 */
#include "reader/text/printfmt/check.h"

#include "reader/model/machine.h"
#include "reader/text/printfmt/conversion.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WIDTHS 2048 /* sum of the literal widths of a format */
/* sum of its arrays of char and symbols; above it each record is checked */
#define MAX_STRINGS 8192
#define MAX_ARRAYS 64 /* helpers that print whole arrays */
/* bytes from a record's start that a field of a printed type may reach */
#define MAX_EXTENT 65536

struct judge {
	const char *why;
	unsigned arrays, steps;
	uint64_t strings;
	bool risky;
};

static bool refuse(struct judge *j, const char *why)
{
	j->why = why;
	return false;
}

static bool dynamic(const struct field *f)
{
	return f->loc != FIELD_AT && f->loc != FIELD_TAIL;
}

/* Is there an index into something that is not an array in N?  The library computes it twice. */
static bool odd_index(const struct pf_node *n)
{
	const struct pf_node *left;

	if (!n)
		return false;
	if (n->kind == PF_OP && n->op[0] == '[') {
		for (left = n->a; left && left->kind == PF_CAST; left = left->a)
			;
		if (!left || (left->kind != PF_FIELD && left->kind != PF_DYN))
			return true;
	}
	return odd_index(n->a) || odd_index(n->b) || odd_index(n->c);
}

/* Bytes of the arrays of char at fixed offsets that N would copy. */
static uint64_t strings(const struct pf_node *n)
{
	if (n->kind == PF_FIELD && n->field)
		return n->field->size;
	if (n->kind == PF_OP && n->op[0] == '?' && n->b)
		return strings(n->b->a) + strings(n->b->b);
	return 0;
}

/* Is this a first argument of an array helper that the library handles? */
static bool array_source(const struct pf_node *n)
{
	return n->field && (n->kind == PF_DYN || (n->kind == PF_FIELD && !dynamic(n->field)));
}

static bool judge(struct judge *j, const struct pf_node *n)
{
	const struct pf_node *left;

	if (!n)
		return true;
	if (++j->steps > PF_MAX_STEPS)
		return refuse(j, "too much to compute");
	if (n->field && ((uint64_t)n->field->off + n->field->size > MAX_EXTENT ||
			 (uint64_t)n->field->count * n->field->elem > MAX_EXTENT))
		return refuse(j, "a field beyond any record");
	switch (n->kind) {
	case PF_FIELD:
	case PF_GET_STR:
	case PF_BITMASK:
	case PF_DYN:
	case PF_DYN_LEN:
		if (!n->field)
			return refuse(j, "a field that does not exist");
		if (n->kind == PF_FIELD) {
			if (n->field->loc == FIELD_TAIL)
				j->risky = true;
			return true;
		}
		/* libtraceevent up to 1.8 adds the base of a __rel_loc to a NULL pointer here. */
		if (n->kind == PF_DYN_LEN && n->field->loc == FIELD_REL_LOC)
			return refuse(j, "the length of a __rel_loc");
		if (n->field->size != 4 && n->field->size != 2 && n->field->size != 8)
			return refuse(j, "a dynamic field that is none");
		if (!dynamic(n->field) && n->kind != PF_GET_STR)
			return refuse(j, "a dynamic field that is none");
		/*
		 * Synthetic events have a word in eight bytes.  For a string the library reads that
		 * word, else all of them as offset and length.
		 */
		if (dynamic(n->field) && n->field->size == 8 && n->kind != PF_GET_STR)
			return refuse(j, "a dynamic field of eight bytes");
		j->risky = true;
		return true;
	case PF_OP:
		if (!n->a || !n->b)
			return refuse(j, "an operator without a side");
		if (n->op[0] == '?' && (n->b->kind != PF_OP || n->b->op[0] != ':'))
			return refuse(j, "a ? without its :");
		if (n->op[0] == ':')
			return refuse(j, "a : without its ?");
		for (left = n->a; left->kind == PF_CAST; left = left->a)
			;
		if (n->op[0] == '[' && left->kind == PF_FIELD && left->field &&
		    dynamic(left->field))
			return refuse(j, "an index into a word that tells of an array");
		if (n->op[0] == '[' && left->kind != PF_FIELD && left->kind != PF_DYN &&
		    odd_index(n->b))
			return refuse(j, "an index within an index into no array");
		if (strchr("/%[<>", n->op[0]))
			j->risky = true;
		if (n->op[0] == '?')
			return judge(j, n->a) && judge(j, n->b->a) && judge(j, n->b->b);
		return judge(j, n->a) && judge(j, n->b);
	case PF_CAST:
	case PF_FLAGS:
	case PF_SYMBOLIC:
		return n->a ? judge(j, n->a) : refuse(j, "a helper without its value");
	case PF_HEX:
	case PF_ARRAY:
		if (++j->arrays > MAX_ARRAYS)
			return refuse(j, "too many arrays");
		if (!n->a || !n->b || (n->kind == PF_ARRAY && !n->c))
			return refuse(j, "an array helper without its arguments");
		if (!array_source(n->a))
			return refuse(j, "an array that is none");
		j->risky = true;
		return judge(j, n->a) && judge(j, n->b) && judge(j, n->c);
	case PF_FUNC:
		j->risky = true;
		for (const struct pf_node *a = n->a; a; a = a->next)
			if (!judge(j, a))
				return false;
		return true;
	case PF_UNKNOWN:
		j->risky = true;
		return true;
	default:
		return true;
	}
}

int printfmt_check(struct printfmt *pf, struct arena *a, const char **why)
{
	const struct pf_node *arg = pf->args;
	const char *p = pf->text;
	struct judge j = { 0 };
	unsigned stars, width, widths = 0;
	size_t cap = 0;
	struct pf_conv *convs = NULL, c;
	int r;

	pf->nconvs = 0;
	j.steps = pf->table_steps;
	if (strlen(pf->text) > PF_MAX_TEXT)
		refuse(&j, "too long a line");
	while (!j.why && (r = printfmt_conv(&p, &c, &stars, &width, &j.why)) > 0) {
		widths += width;
		j.steps += PF_CONV_STEPS;
		if (widths > MAX_WIDTHS)
			refuse(&j, "too wide a line");
		if (stars > 1)
			refuse(&j, "a conversion with two widths");
		if (j.why)
			break;
		if (stars) {
			if (!arg)
				break;
			j.risky = true;
			c.width = arg;
			if (!judge(&j, arg))
				break;
			arg = arg->next;
		}
		if (c.letter == '>' || (c.letter == 'c' && pf->lacks & PF_LACKS_CHAR))
			continue;
		/* More conversions than arguments: the library stops here. */
		if (!arg)
			break;
		if (!judge(&j, arg))
			break;
		c.arg = arg;
		if (c.kind == CONV_POINTER && c.letter && strchr("mMiIUh", c.letter))
			j.risky = true;
		if (c.kind == CONV_STRING)
			j.strings += strings(arg);
		if (pf_conv_of_symbol(&c))
			j.strings += SYMBOL_MAX;
		if (j.strings > MAX_STRINGS)
			j.risky = true;
		arg = arg->next;
		convs = mem_grow(convs, &cap, pf->nconvs + 1, sizeof(*convs));
		convs[pf->nconvs++] = c;
	}
	if (pf->nconvs) {
		pf->convs = arena_alloc(a, pf->nconvs * sizeof(*convs));
		memcpy(pf->convs, convs, pf->nconvs * sizeof(*convs));
	}
	free(convs);
	pf->risky = j.risky;
	*why = j.why;
	return j.why ? -1 : 0;
}
