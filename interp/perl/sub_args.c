/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sub_args: finds from a sub's ops which of its arguments it can ever read.  If ops may do what
 * cannot be seen (string evals, closures, &sub;), all of them count as read.
 */
#include "interp/perl/sub_args.h"

#include "interp/perl/perl_priv.h"

#include <string.h>

struct look {
	const CV *cv;
	const SV *args; /* *_ */
	const OP *list; /* the op of the first statement, which is left out */
	bool open;	/* something else may reach @_, or any variable */
	struct sub_args *out;
};

static void see_pad(void *arg, PADOFFSET at)
{
	struct look *l = arg;
	unsigned i;

	for (i = 0; at && i < l->out->n; i++)
		if (l->out->v[i].at == at)
			l->out->v[i].read = true;
}

static void see_glob(void *arg, const SV *gv)
{
	struct look *l = arg;

	l->open |= !gv || gv == l->args;
}

/* Record what O itself reads. */
static void see_op(struct look *l, const OP *o)
{
	unsigned i;

	switch (priv_op_type(o)) {
	case OP_GV:
	case OP_GVSV:
	case OP_AELEMFAST:
		see_glob(l, priv_op_gv(l->cv, o));
		return;
	case OP_MULTIDEREF:
		priv_op_multideref(l->cv, o, see_pad, see_glob, l);
		return;
	case OP_PADRANGE:
		for (i = 0; i < priv_op_range(o); i++)
			see_pad(l, priv_op_target(o) + i);
		return;
	case OP_ANONCODE:
	case OP_ENTEREVAL:
	case OP_DOFILE:
	case OP_GOTO:
	case OP_RUNCV:
	case OP_ENTERWRITE: /* a format finds its variables when it runs */
	case OP_CLONECV:
	case OP_INTROCV:
	case OP_ARGCHECK:
	case OP_ARGELEM:
	case OP_REGCOMP: /* patterns made at run time may contain code */
		l->open = true;
		return;
	case OP_MATCH:
	case OP_SUBST:
	case OP_QR:
		l->open |= priv_op_has_code(o);
		break;
	case OP_ENTERSUB:
		l->open |= priv_op_shares_args(o);
		break;
	}
	see_pad(l, priv_op_target(o));
}

/* O and all ops below it.  Perl's own parser limits the depth. */
static void see_tree(struct look *l, const OP *o)
{
	const OP *kid, *replacement = NULL;

	if (o == l->list || l->open)
		return;
	see_op(l, o);
	if (priv_op_type(o) == OP_SUBST)
		replacement = priv_op_replacement(o);
	if (replacement)
		see_tree(l, replacement);
	for (kid = priv_op_kid(o); kid; kid = priv_op_next(kid))
		see_tree(l, kid);
}

/* Does O push @_ and nothing else: (mark, rv2av(*_))? */
static bool is_args(const struct look *l, const OP *o)
{
	const OP *mark = priv_op_kid(o), *av = mark ? priv_op_next(mark) : NULL;
	const OP *gv = av && priv_op_type(av) == OP_RV2AV ? priv_op_kid(av) : NULL;

	return gv && !priv_op_next(av) && priv_op_type(gv) == OP_GV &&
	       priv_op_gv(l->cv, gv) == l->args;
}

/* Take the variables below O, the left side.  False: they are not all plain my variables. */
static bool take_variables(struct look *l, const OP *o)
{
	struct sub_args *out = l->out;
	const OP *v = priv_op_kid(o);

	/* The mark. */
	for (v = v ? priv_op_next(v) : NULL; v; v = priv_op_next(v)) {
		unsigned type = priv_op_type(v);
		struct sub_arg *arg = &out->v[out->n];
		const char *name;

		if (out->n == SUB_ARGS_MAX || out->rest)
			return false;
		if (type == OP_UNDEF && !priv_op_kid(v)) {
			*arg = (struct sub_arg){ .name = "" };
			out->n++;
			continue;
		}
		if ((type != OP_PADSV && type != OP_PADAV && type != OP_PADHV) ||
		    !priv_op_declares(v))
			return false;
		name = priv_pad_name(l->cv, priv_op_target(v));
		*arg = (struct sub_arg){ .name = name ? name + 1 : "", .at = priv_op_target(v) };
		out->n++;
		out->rest = type != OP_PADSV;
	}
	return true;
}

/* The op of the first statement in ROOT's body. */
static const OP *first_statement(const OP *root)
{
	const OP *o = priv_op_kid(root);

	/* leavesub -> lineseq -> nextstate, statement */
	while (o &&
	       (priv_op_type(o) == OP_LINESEQ || (priv_op_type(o) == OP_NULL && !priv_op_next(o))))
		o = priv_op_kid(o);
	while (o && (priv_op_type(o) == OP_NEXTSTATE || priv_op_type(o) == OP_DBSTATE ||
		     priv_op_type(o) == OP_NULL))
		o = priv_op_next(o);
	return o;
}

/* my (...) = @_ is an assignment of (mark, @_) to (mark, variables). */
static void find_list(struct look *l, const OP *root)
{
	const OP *o = first_statement(root), *right, *left;

	if (!o || priv_op_type(o) != OP_AASSIGN)
		return;
	right = priv_op_kid(o);
	left = right ? priv_op_next(right) : NULL;
	if (!left || !is_args(l, right) || !take_variables(l, left)) {
		l->out->n = 0;
		l->out->rest = false;
		return;
	}
	l->list = o;
	l->out->listed = true;
	l->out->counted = !priv_op_is_void(o);
}

/* Code compiled inside of the sub, such as a named sub, may capture a variable of it. */
static void see_holders(struct look *l)
{
	unsigned i;

	for (i = 0; i < l->out->n; i++) {
		struct sub_arg *arg = &l->out->v[i];
		SV *sv = arg->at ? priv_pad_sv(l->cv, arg->at) : NULL;

		if (sv && SvREFCNT(sv) > 1)
			arg->read = true;
	}
}

void subargs_look(pTHX_ const CV *cv, struct sub_args *out)
{
	const OP *root = cv ? priv_root(cv) : NULL;
	struct look l = { .cv = cv, .args = (const SV *)PL_defgv, .out = out };

	out->listed = out->rest = out->only = out->counted = false;
	out->n = 0;
	out->after = NULL;
	if (!root)
		return;
	find_list(&l, root);
	if (!out->listed)
		return;
	see_tree(&l, root);
	see_holders(&l);
	out->only = !l.open;
	if (out->only && !out->rest)
		out->after = priv_after_list(cv);
}

const char *subargs_variable(const CV *cv, unsigned i)
{
	const char *name = NULL;
	PADOFFSET at = 0;

	if (!cv || !priv_root(cv))
		return "";
	do
		name = priv_next_my(cv, &at);
	while (name && i--);
	return name ? name + 1 : "";
}
