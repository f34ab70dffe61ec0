/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * on: the functions of Zed that register what is called: Zed::on, off, takes and handlers.
 * They make handlers (bind/named), lists of fields and packages, which bind/bind.c works with.
 */
#include "interp/api/api.h"

#include <stdlib.h>
#include <string.h>

#define ON_USAGE \
	"usage: Zed::on(EVENT, [args => [NAME...],] [where => EXPR,] [follows => 1,] " \
	"[optional => 1,] sub {...})"

/* To be freed if the call croaks. */
struct handler_wish {
	struct named *h;
};

static void drop_wish(pTHX_ void *arg)
{
	struct handler_wish *w = arg;

	if (w->h)
		bind_drop(aTHX_ w->h);
	free(w);
}

static void take_args(pTHX_ struct arg_names *l, SV *sv)
{
	SvGETMAGIC(sv);
	if (!SvROK(sv) || SvTYPE(SvRV(sv)) != SVt_PVAV)
		Perl_croak(aTHX_ "Zed::on: args must be a reference to an array of names: "
				 "args => [qw(pid target_cpu)]");
	api_strings(aTHX_ l, (AV *)SvRV(sv), "Zed::on: args must be names of fields");
}

static CV *code_of(pTHX_ SV *sv)
{
	SvGETMAGIC(sv);
	if (!SvROK(sv) || SvTYPE(SvRV(sv)) != SVt_PVCV)
		Perl_croak(aTHX_ "%s", ON_USAGE);
	return (CV *)SvRV(sv);
}

XS_INTERNAL(api_on)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct handler_wish *w;
	struct err e;
	SV **args;
	int i;

	if (items < 2 || items % 2)
		Perl_croak(aTHX_ "%s", ON_USAGE);
	if (ps->phase >= PHASE_END)
		Perl_croak(aTHX_ "Zed::on: the run is over");
	args = api_args(aTHX_ & ST(0), items);
	/* On perl's save stack: a croak from below frees it. */
	ENTER;
	w = mem_zalloc(sizeof(*w));
	SAVEDESTRUCTOR_X(drop_wish, w);
	w->h = named_new(api_string(aTHX_ args[0], ON_USAGE), ps->o.stable, &BIND_WORDS, &e);
	if (!w->h)
		api_croak(aTHX_ "Zed::on: ", &e);
	w->h->at = api_place(aTHX);
	for (i = 1; i + 1 < items; i += 2) {
		const char *key = api_string(aTHX_ args[i], ON_USAGE);

		if (!strcmp(key, "args")) {
			arg_names_fini(&w->h->args);
			take_args(aTHX_ & w->h->args, args[i + 1]);
		} else if (!strcmp(key, "where")) {
			free(w->h->where);
			w->h->where = NULL;
			SvGETMAGIC(args[i + 1]);
			if (SvOK(args[i + 1]))
				w->h->where = mem_strdup(api_string(aTHX_ args[i + 1], ON_USAGE));
		} else if (!strcmp(key, "follows")) {
			w->h->follows = SvTRUE(args[i + 1]);
		} else if (!strcmp(key, "optional")) {
			w->h->optional = SvTRUE(args[i + 1]);
		} else {
			Perl_croak(aTHX_ "Zed::on: unknown option '%s'\n%s", key, ON_USAGE);
		}
	}
	w->h->code = (CV *)SvREFCNT_inc_simple_NN((SV *)code_of(aTHX_ args[items - 1]));
	/* For a handler that is added again and again notices are given once. */
	if (named_check(w->h, ps->o.run->catalog, bind_is_new(&ps->bind, w->h) ? ps->o.notes : NULL,
			&e) < 0)
		api_croak(aTHX_ "Zed::on: where: ", &e);
	bind_add(&ps->bind, w->h);
	ps->in->attention |= INTERP_SUBS;
	i = w->h->id;
	w->h = NULL;
	LEAVE;
	ST(0) = sv_2mortal(newSViv(i));
	XSRETURN(1);
}

XS_INTERNAL(api_off)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	UV id;

	if (items != 1)
		Perl_croak(aTHX_ "usage: Zed::off(ID)");
	id = SvUV(ST(0));
	if (id > UINT32_MAX || !bind_remove(&ps->bind, id))
		XSRETURN_NO;
	ps->in->attention |= INTERP_SUBS;
	XSRETURN_YES;
}

static void drop_names(pTHX_ void *arg)
{
	struct arg_names *l = arg;

	arg_names_fini(l);
	free(l);
}

XS_INTERNAL(api_takes)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *what = "usage: Zed::takes('SYSTEM::EVENT', FIELD...)", *sub;
	struct arg_names *l;
	SV **args;
	int i;

	if (!items)
		Perl_croak(aTHX_ "%s", what);
	args = api_args(aTHX_ & ST(0), items);
	sub = api_string(aTHX_ args[0], what);
	if (!strstr(sub, "::"))
		Perl_croak(aTHX_ "Zed::takes: invalid name of a handler '%s': expected "
				 "SYSTEM::EVENT",
			   sub);
	ENTER;
	l = mem_zalloc(sizeof(*l));
	SAVEDESTRUCTOR_X(drop_names, l);
	for (i = 1; i < items; i++)
		arg_names_add(l, api_string(aTHX_ args[i], what));
	bind_takes(&ps->bind, sub, l);
	ps->in->attention |= INTERP_SUBS;
	LEAVE;
	XSRETURN_EMPTY;
}

/* Zed::_handlers(FILE, PACKAGE), for Zed.pm: false if it can have none. */
XS_INTERNAL(api_handlers)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *what = "usage: Zed::handlers(SYSTEM...)", *file, *package;

	if (items != 2)
		Perl_croak(aTHX_ "%s", what);
	file = api_string(aTHX_ ST(0), what);
	package = api_string(aTHX_ ST(1), what);
	ps->in->attention |= INTERP_SUBS;
	if (!bind_declare(aTHX_ & ps->bind, package, file))
		XSRETURN_NO;
	XSRETURN_YES;
}

const struct api_sub API_ON[] = {
	{ "Zed::on", api_on },
	{ "Zed::off", api_off },
	{ "Zed::takes", api_takes },
	{ "Zed::_handlers", api_handlers },
	{ .name = NULL },
};
