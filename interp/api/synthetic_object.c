/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthetic_object: Zed::synthetic, which defines an event made from two, and the functions of its
 * object: how often it came, which starts still wait.
 */
#include "interp/api/api.h"

#include "run/synthetic/synthetic.h"

#include <stdlib.h>
#include <string.h>

#define CLASS "Zed::Synthetic"
#define USAGE \
	"usage: Zed::synthetic(NAME, start => EVENT, end => EVENT, match => EXPR, " \
	"fields => [NAME => EXPR, ...])"

/* Of one call; freed by perl when it returns or croaks. */
struct synthetic_wish {
	struct synthetic_spec spec;
	const char *names[SYNTHETIC_FIELDS + 1], *formulas[SYNTHETIC_FIELDS + 1];
	char *lists[3]; /* start, end, abort */
};

static void drop_wish(pTHX_ void *arg)
{
	struct synthetic_wish *w = arg;
	unsigned i;

	for (i = 0; i < 3; i++)
		free(w->lists[i]);
	free(w);
}

/* The string in SV, for the current statement of perl: a tied one may change with each read. */
static const char *text_of(pTHX_ SV *sv, const char *what)
{
	const char *s = api_string(
		aTHX_ sv, Perl_form(aTHX_ "Zed::synthetic: %s must be a string without NUL", what));

	return SvPVX(sv_2mortal(newSVpv(s, 0)));
}

static AV *array_of(pTHX_ SV *sv)
{
	SvGETMAGIC(sv);
	return SvROK(sv) && SvTYPE(SvRV(sv)) == SVt_PVAV ? (AV *)SvRV(sv) : NULL;
}

/*
 * A name of an event, or a reference to an array of them, as one list; *OUT is owned by the wish.
 */
static const char *events_of(pTHX_ SV *sv, const char *what, char **out)
{
	AV *av = array_of(aTHX_ sv);
	SSize_t i;
	SV *list;

	if (!av)
		return text_of(aTHX_ sv, what);
	list = sv_2mortal(newSVpvs(""));
	for (i = 0; i <= av_len(av); i++) {
		SV **item = av_fetch(av, i, 0);

		sv_catpvf(list, "%s%s", i ? "," : "",
			  text_of(aTHX_ item ? *item : &PL_sv_undef, what));
	}
	free(*out);
	*out = mem_strdup(SvPV_nolen(list));
	return *out;
}

static void take_fields(pTHX_ struct synthetic_wish *w, SV *sv)
{
	AV *av = array_of(aTHX_ sv);
	SSize_t i, n = av ? av_len(av) + 1 : -1;

	if (n < 0 || n % 2)
		Perl_croak(aTHX_ "Zed::synthetic: fields must be a reference to an array of names "
				 "and expressions: fields => [delay => 'end.ts - start.ts']");
	w->spec.nfields = 0;
	for (i = 0; i < n; i += 2) {
		SV **name = av_fetch(av, i, 0), **formula = av_fetch(av, i + 1, 0);

		if (w->spec.nfields == SYNTHETIC_FIELDS)
			Perl_croak(aTHX_ "Zed::synthetic: more than %d fields", SYNTHETIC_FIELDS);
		w->names[w->spec.nfields] = text_of(aTHX_ name ? *name : &PL_sv_undef,
						    "the name of a field");
		w->formulas[w->spec.nfields++] = text_of(aTHX_ formula ? *formula : &PL_sv_undef,
							 "a field's expression");
	}
}

static void take_option(pTHX_ struct synthetic_wish *w, const char *key, SV *sv)
{
	struct synthetic_spec *s = &w->spec;
	struct err e;
	IV max;

	if (!strcmp(key, "start")) {
		s->start = events_of(aTHX_ sv, key, &w->lists[0]);
	} else if (!strcmp(key, "end")) {
		s->end = events_of(aTHX_ sv, key, &w->lists[1]);
	} else if (!strcmp(key, "abort")) {
		s->abort = events_of(aTHX_ sv, key, &w->lists[2]);
	} else if (!strcmp(key, "match")) {
		s->match = text_of(aTHX_ sv, key);
	} else if (!strcmp(key, "abort_match")) {
		s->abort_match = text_of(aTHX_ sv, key);
	} else if (!strcmp(key, "fields")) {
		take_fields(aTHX_ w, sv);
	} else if (!strcmp(key, "keep")) {
		if (synthetic_keep_of(text_of(aTHX_ sv, key), &s->keep, &e) < 0)
			api_croak(aTHX_ "Zed::synthetic: ", &e);
	} else if (!strcmp(key, "nest")) {
		s->nest = SvTRUE(sv);
	} else if (!strcmp(key, "max_pending")) {
		max = SvIV(sv);
		if (max < 1 || max > UINT32_MAX)
			Perl_croak(aTHX_ "Zed::synthetic: max_pending must be at least 1");
		s->max_pending = (uint32_t)max;
	} else {
		Perl_croak(aTHX_ "Zed::synthetic: unknown option '%s'\n%s", key, USAGE);
	}
}

/* The subs of its package are handlers in the file that defines it. */
static void declare(pTHX_ struct perlsink *ps, const struct etype *t)
{
	bind_declare(aTHX_ & ps->bind, t->system, api_file(aTHX));
	bind_grow(aTHX_ & ps->bind, t);
	ps->in->attention |= INTERP_SUBS;
}

XS_INTERNAL(api_synthetic)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct synthetic_event *x;
	struct synthetic_wish *w;
	struct err e;
	SV *object, **args;
	int i;

	if (!(items % 2))
		Perl_croak(aTHX_ "%s", USAGE);
	if (ps->phase > PHASE_BEGIN)
		Perl_croak(aTHX_ "Zed::synthetic: the first event has already come: define it in "
				 "the main program or in trace_begin");
	ENTER;
	w = mem_zalloc(sizeof(*w));
	SAVEDESTRUCTOR_X(drop_wish, w);
	w->spec.names = w->names;
	w->spec.formulas = w->formulas;
	args = api_args(aTHX_ & ST(0), items);
	w->spec.name = text_of(aTHX_ args[0], "the name");
	for (i = 1; i < items; i += 2)
		take_option(aTHX_ w, text_of(aTHX_ args[i], "an option"), args[i + 1]);
	x = synthetic_add(ps->o.synthetic, &w->spec, &e);
	if (!x)
		api_croak(aTHX_ "Zed::synthetic: ", &e);
	declare(aTHX_ ps, synthetic_type(x, 0));
	LEAVE;
	object = newSV(0);
	sv_setref_pv(object, CLASS, x);
	api_fleet_note(aTHX_ ps, "synthetics", object);
	RETURN_SV(object);
}

static struct synthetic_event *self(pTHX_ SV *sv, const char *fn)
{
	if (!sv_isobject(sv) || !sv_derived_from(sv, CLASS))
		Perl_croak(aTHX_ CLASS "::%s: not an object of Zed::synthetic", fn);
	return INT2PTR(struct synthetic_event *, SvIV(SvRV(sv)));
}

struct option_list {
	PerlInterpreter *perl;
	struct perlsink *ps;
	AV *av;
};

static void add_start(void *arg, const struct event *ev)
{
	struct option_list *l = arg;
	dTHXa(l->perl);
	const struct etype *t = ev->type;
	HV *hv = newHV();
	unsigned i;

	hv_stores(hv, "ts", newSVuv(ev->ts));
	hv_stores(hv, "cpu", newSViv(ev->cpu));
	hv_stores(hv, "pid", newSViv(ev->pid));
	hv_stores(hv, "source", newSViv(ev->from->source));
	args_begin(&l->ps->args, ev);
	for (i = 0; i < t->nfields; i++) {
		const char *name = t->fields[i].name;

		(void)hv_store(hv, name, strlen(name),
			       args_value(aTHX_ & t->fields[i], ev, &l->ps->args), 0);
	}
	av_push(l->av, newRV_noinc((SV *)hv));
}

XS_INTERNAL(api_pending)
{
	dXSARGS;
	const struct synthetic_event *x;
	struct option_list l = { .ps = SINK };

	api_usage(aTHX_ items != 1, "$synthetic->pending");
	x = self(aTHX_ ST(0), "pending");
	l.av = (AV *)sv_2mortal((SV *)newAV());
	l.perl = l.ps->perl;
	synthetic_each(x, add_start, &l);
	RETURN_SV(newRV_inc((SV *)l.av));
}

/* _name(): SYSTEM:EVENT, its name in a state. */
XS_INTERNAL(api_name)
{
	dXSARGS;
	const struct etype *t;

	api_usage(aTHX_ items != 1, "$synthetic->_name");
	t = synthetic_type(self(aTHX_ ST(0), "_name"), 0);
	RETURN_SV(newSVpvf("%s:%s", t->system, t->name));
}

XS_INTERNAL(api_counts)
{
	dXSARGS;
	struct synthetic_counts c;
	HV *hv;

	api_usage(aTHX_ items != 1, "$synthetic->counts");
	synthetic_count(self(aTHX_ ST(0), "counts"), &c);
	hv = newHV();
	hv_stores(hv, "started", newSVuv(c.started));
	hv_stores(hv, "matched", newSVuv(c.matched));
	hv_stores(hv, "aborted", newSVuv(c.aborted));
	hv_stores(hv, "replaced", newSVuv(c.replaced));
	hv_stores(hv, "lost", newSVuv(c.lost));
	hv_stores(hv, "dropped", newSVuv(c.dropped));
	hv_stores(hv, "pending", newSVuv(c.pending));
	RETURN_SV(newRV_noinc((SV *)hv));
}

/* clear: reset the counts to 0; starts that wait continue to wait. */
XS_INTERNAL(api_clear)
{
	dXSARGS;

	api_usage(aTHX_ items != 1, "$synthetic->clear");
	synthetic_clear(self(aTHX_ ST(0), "clear"));
	XSRETURN_EMPTY;
}

const struct api_sub API_SYNTHETIC[] = {
	{ "Zed::synthetic", api_synthetic }, { CLASS "::pending", api_pending },
	{ CLASS "::counts", api_counts },    { CLASS "::clear", api_clear },
	{ CLASS "::_name", api_name },	     { .name = NULL },
};
