// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * named_parts: which numbers a print format shows by their names.  Conversions that follow each
 * other without text between them, all of the same field, show it together; they are a name if none
 * of them shows a number.
 */
#include "text/printfmt/named_parts.h"

#include "base/outbuf.h"
#include "trace/field.h"
#include "text/printfmt/form.h"

#include <string.h>

#define MAX_JOINED 4  /* conversions that show one field together */
#define MAX_PARTS 256 /* of a print format; the rest stays numbers */

/* A conversion. */
struct shown {
	const char *at, *end;
	const struct pf_node *arg;
	const struct field *field; /* the only field of its argument; NULL: none, or several */
	bool named;		   /* by a name */
	char spec[8];		   /* without a width: "%s", "%pS" */
};

/* ---- what an argument consists of ---- */

/* Is N, with all below it, of no field but *F?  The first one is put there. */
static bool is_of(const struct pf_node *n, const struct field **f)
{
	if (!n)
		return true;
	if (n->kind == PF_FUNC)
		return false;
	if (n->kind == PF_FIELD) {
		if (*f && *f != n->field)
			return false;
		*f = n->field;
	}
	return is_of(n->a, f) && is_of(n->b, f);
}

static const struct field *only_field(const struct pf_node *n)
{
	const struct field *f = NULL;

	return is_of(n, &f) && f && field_is_int(f) && !f->dim ? f : NULL;
}

/* One side of a ?:, a string or a further choice.  A blank holds a place in a row of letters. */
static bool is_choice(const struct pf_node *n);

/* Does N give a string, for %s, that depends on a number?  A cast may be around it. */
static bool is_name(const struct pf_node *n)
{
	while (n->kind == PF_CAST)
		n = n->a;
	return n->kind == PF_FLAGS || n->kind == PF_SYMBOLIC ||
	       (n->kind == PF_OP && !strcmp(n->op, "?") && is_choice(n->b->a) &&
		is_choice(n->b->b));
}

static bool is_choice(const struct pf_node *n)
{
	return n->kind == PF_STRING ? n->text[0] != ' ' : is_name(n);
}

/* ---- conversions ---- */

/* The conversion from X->at to X->end, of X->arg. */
static void look_at(struct shown *x)
{
	const char *p = memchr(x->at, 'p', x->end - x->at);
	char letter = x->end[-1];

	x->field = only_field(x->arg);
	if (!x->field)
		return;
	if (p && x->end - p <= 4 && x->end - p >= 2 && strchr("SsBFf", p[1])) {
		x->named = true;
		x->spec[0] = '%';
		memcpy(x->spec + 1, p, x->end - p);
	} else if (letter == 's' && !p && is_name(x->arg)) {
		x->named = true;
		memcpy(x->spec, "%s", 3);
	}
}

/* The next conversion with an argument from *P on, whose argument is *ARG.  False: none. */
static bool next_shown(const char **p, const struct pf_node **arg, struct shown *x)
{
	*x = (struct shown){ 0 };
	while (**p) {
		unsigned n;

		if (**p != '%') {
			++*p;
			continue;
		}
		x->at = *p;
		n = form_conversion(p);
		if (!n)
			continue;
		x->end = *p;
		x->arg = *arg;
		for (unsigned i = 0; i < n && *arg; i++)
			*arg = (*arg)->next;
		/* A width or precision is an argument of its own. */
		if (n == 1 && x->arg)
			look_at(x);
		return x->arg;
	}
	return false;
}

/* ---- parts ---- */

static bool is_known(const struct pf_named *list, const struct field *f)
{
	for (; list; list = list->next)
		if (list->field == f)
			return true;
	return false;
}

static struct pf_named *part_of(const struct shown *v, unsigned n, struct arena *a)
{
	struct pf_named *x = arena_alloc(a, sizeof(*x));
	struct pf_node **last = &x->part.args;
	char *text = arena_alloc(a, n * sizeof(v->spec) + 1), *end = text;

	x->field = v->field;
	for (unsigned i = 0; i < n; i++) {
		struct pf_node *copy = arena_alloc(a, sizeof(*copy));

		*copy = *v[i].arg;
		copy->next = NULL;
		*last = copy;
		last = &copy->next;
		end = mempcpy(end, v[i].spec, strlen(v[i].spec));
	}
	x->part.text = text;
	return x;
}

const struct pf_named *printfmt_named(const struct printfmt *pf, struct arena *a)
{
	const struct pf_node *arg = pf->args;
	const struct pf_named *first = NULL, **last = &first;
	const char *p = pf->text;
	struct shown v[MAX_JOINED], x;
	bool more = next_shown(&p, &arg, &v[0]);
	unsigned parts = 0;

	while (more && parts < MAX_PARTS) {
		const char *end = v[0].end;
		bool named = v[0].named;
		unsigned n = 1;

		while ((more = next_shown(&p, &arg, &x)) && x.at == end && x.field &&
		       x.field == v[0].field) {
			named = named && x.named && n < MAX_JOINED;
			if (named)
				v[n++] = x;
			end = x.end;
		}
		if (named && !is_known(first, v[0].field)) {
			struct pf_named *part = part_of(v, n, a);

			*last = part;
			last = &part->next;
			parts++;
		}
		v[0] = x;
	}
	return first;
}
