/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregations: the functions of Zed that make aggregations, Zed::count and its kind.
 */
#include "interp/api/api.h"
#include "interp/api/handle.h"

#include <stdlib.h>
#include <string.h>

#define KEPT "Zed::Aggregate::kept"

static const struct agg_call {
	const char *name, *fn, *usage;
} KINDS[] = {
	[AGG_COUNT] = { "count", "Zed::count", "EVENT" },
	[AGG_SUM] = { "sum", "Zed::sum", "EVENT, FIELD" },
	[AGG_MIN] = { "min", "Zed::min", "EVENT, FIELD" },
	[AGG_MAX] = { "max", "Zed::max", "EVENT, FIELD" },
	[AGG_AVG] = { "avg", "Zed::avg", "EVENT, FIELD" },
	[AGG_STATS] = { "stats", "Zed::stats", "EVENT, FIELD" },
	[AGG_HIST] = { "hist", "Zed::hist", "EVENT, FIELD" },
	[AGG_LHIST] = { "lhist", "Zed::lhist", "EVENT, FIELD, from => N, to => N, step => N" },
	[AGG_QUANTILES] = { "quantiles", "Zed::quantiles", "EVENT, FIELD" },
	[AGG_TOP] = { "top", "Zed::top", "EVENT, FIELD" },
};

/* The options of a call as they are parsed; owned members are freed if the call croaks. */
struct aggregation_wish {
	enum agg_kind kind;
	struct agg_spec spec;
	struct named *h;
	struct arg_names by, fields;
	bool from, to, step; /* were given */
	AV *quantiles;	     /* mortal */
};

static void drop_wish(pTHX_ void *arg)
{
	struct aggregation_wish *w = arg;

	if (w->h)
		bind_drop(aTHX_ w->h);
	arg_names_fini(&w->by);
	arg_names_fini(&w->fields);
	free(w);
}

static __attribute__((noreturn)) void croak_usage(pTHX_ enum agg_kind kind)
{
	const struct agg_call *k = &KINDS[kind];

	Perl_croak(aTHX_ "usage: %s(%s, [by => EXPR or [EXPR...],] [where => EXPR,] "
			 "[max_keys => N,]%s)",
		   k->fn, k->usage,
		   kind == AGG_TOP	 ? " [limit => N,] [fields => [EXPR...]]" :
		   kind == AGG_QUANTILES ? " [quantiles => [PERCENT...]]" :
					   "");
}

/* One text, or a reference to an array of them. */
static void take_texts(pTHX_ struct arg_names *l, SV *sv, const char *what)
{
	SvGETMAGIC(sv);
	arg_names_fini(l);
	if (!SvROK(sv))
		arg_names_add(l, api_string(aTHX_ sv, what));
	else if (SvTYPE(SvRV(sv)) == SVt_PVAV)
		api_strings(aTHX_ l, (AV *)SvRV(sv), what);
	else
		Perl_croak(aTHX_ "%s", what);
}

/* A whole number of MIN to MAX. */
static IV take_number(pTHX_ const struct aggregation_wish *w, const char *key, SV *sv, IV min,
		      IV max)
{
	IV v;

	SvGETMAGIC(sv);
	v = looks_like_number(sv) ? SvIV_nomg(sv) : 0;
	if (!looks_like_number(sv) || SvNV_nomg(sv) != (NV)v || v < min || v > max)
		Perl_croak(aTHX_ "%s: %s is a whole number from %" IVdf " to %" IVdf,
			   KINDS[w->kind].fn, key, min, max);
	return v;
}

/* Percents in the form in which they are shown later. */
static void take_quantiles(pTHX_ struct aggregation_wish *w, SV *sv)
{
	const char *what = "Zed::quantiles: quantiles are percents: quantiles => [50, 99, 99.9]";
	SSize_t i;

	SvGETMAGIC(sv);
	if (!SvROK(sv) || SvTYPE(SvRV(sv)) != SVt_PVAV)
		Perl_croak(aTHX_ "%s", what);
	w->quantiles = (AV *)sv_2mortal((SV *)newAV());
	for (i = 0; i <= av_len((AV *)SvRV(sv)); i++) {
		SV **item = av_fetch((AV *)SvRV(sv), i, 0);

		if (!item || !looks_like_number(*item) || SvNV(*item) < 0 || SvNV(*item) > 100)
			Perl_croak(aTHX_ "%s", what);
		av_push(w->quantiles, newSVnv(SvNV(*item)));
	}
}

static AV *usual_quantiles(pTHX)
{
	AV *av = (AV *)sv_2mortal((SV *)newAV());

	av_push(av, newSViv(50));
	av_push(av, newSViv(90));
	av_push(av, newSViv(99));
	return av;
}

/* The options of one kind only.  False: there is no option KEY. */
static bool take_own(pTHX_ struct aggregation_wish *w, const char *key, SV *sv)
{
	if (w->kind == AGG_LHIST && !strcmp(key, "from")) {
		w->spec.steps.from = take_number(aTHX_ w, key, sv, IV_MIN, IV_MAX);
		w->from = true;
		return true;
	}
	if (w->kind == AGG_LHIST && !strcmp(key, "to")) {
		w->spec.steps.to = take_number(aTHX_ w, key, sv, IV_MIN, IV_MAX);
		w->to = true;
		return true;
	}
	if (w->kind == AGG_LHIST && !strcmp(key, "step")) {
		w->spec.steps.step = take_number(aTHX_ w, key, sv, 1, IV_MAX);
		w->step = true;
		return true;
	}
	if (w->kind == AGG_TOP && !strcmp(key, "limit")) {
		w->spec.keep = (uint32_t)take_number(aTHX_ w, key, sv, 1, AGG_TOP_MAX);
		return true;
	}
	if (w->kind == AGG_TOP && !strcmp(key, "fields")) {
		take_texts(aTHX_ & w->fields, sv,
			   "Zed::top: fields are names of fields: fields => [qw(dev sector)]");
		return true;
	}
	if (w->kind == AGG_QUANTILES && !strcmp(key, "quantiles")) {
		take_quantiles(aTHX_ w, sv);
		return true;
	}
	return false;
}

static void take_option(pTHX_ struct aggregation_wish *w, const char *key, SV *sv)
{
	if (!strcmp(key, "by")) {
		take_texts(
			aTHX_ & w->by, sv,
			"by is a field, or a reference to an array of them: by => [qw(comm cpu)]");
	} else if (!strcmp(key, "where")) {
		free(w->h->where);
		w->h->where = NULL;
		SvGETMAGIC(sv);
		if (SvOK(sv))
			w->h->where = mem_strdup(api_string(aTHX_ sv, "where is an expression"));
	} else if (!strcmp(key, "max_keys")) {
		w->spec.max_keys = take_number(aTHX_ w, key, sv, 1, TABLE_MOST);
	} else if (!take_own(aTHX_ w, key, sv)) {
		Perl_croak(aTHX_ "%s: unknown option '%s'", KINDS[w->kind].fn, key);
	}
}

static void check_steps(pTHX_ const struct aggregation_wish *w)
{
	const struct lhist_steps *s = &w->spec.steps;
	uint64_t span = (uint64_t)s->to - (uint64_t)s->from;

	if (!w->from || !w->to || !w->step)
		croak_usage(aTHX_ AGG_LHIST);
	if (s->from >= s->to || span % s->step || span / s->step > SPREAD_STEPS)
		Perl_croak(aTHX_ "Zed::lhist: from %" IVdf " to %" IVdf
				 " must be 1 to %d whole steps of %" UVuf,
			   (IV)s->from, (IV)s->to, SPREAD_STEPS, (UV)s->step);
}

static AV *texts_av(pTHX_ const struct arg_names *l)
{
	AV *av = newAV();
	unsigned i;

	for (i = 0; i < l->n; i++)
		av_push(av, newSVpv(l->v[i], 0));
	return av;
}

static void copy_texts(struct arg_names *to, const struct arg_names *l)
{
	for (unsigned i = 0; i < l->n; i++)
		arg_names_add(to, l->v[i]);
}

/* What is shown of the answer; holds a reference to AGG, which was the caller's. */
static struct answer answer_of(pTHX_ const struct aggregation_wish *w, struct aggregate *agg,
			       const char *field)
{
	struct answer a = { .agg = agg };
	SSize_t n = w->quantiles ? av_len(w->quantiles) + 1 : 0;

	a.event = mem_strdup(w->h->text);
	a.field = field ? mem_strdup(field) : NULL;
	a.where = w->h->where ? mem_strdup(w->h->where) : NULL;
	copy_texts(&a.by, &w->by);
	copy_texts(&a.fields, &w->fields);
	a.percents = mem_alloc((n + 1) * sizeof(*a.percents));
	/* Numbers of our own: take_quantiles(). */
	for (SSize_t i = 0; i < n; i++)
		a.percents[a.npercents++] = SvNV(*av_fetch(w->quantiles, i, 0));
	return a;
}

/* The object: a hash for the methods, with the handle as magic. */
static SV *object_new(pTHX_ struct perlsink *ps, const struct aggregation_wish *w,
		      const char *field)
{
	struct handle *h = mem_zalloc(sizeof(*h));
	HV *hv = newHV();
	SV *self = newRV_noinc((SV *)hv);

	h->ps = ps;
	h->agg = agg_ref(measure_plan_aggregate(w->h->plan));
	h->answer = answer_of(aTHX_ w, h->agg, field);
	h->before = ps->lost;
	handle_hang(aTHX_ hv, h);
	hv_stores(hv, "kind", newSVpv(KINDS[w->kind].name, 0));
	hv_stores(hv, "event", newSVpv(w->h->text, 0));
	hv_stores(hv, "by", newRV_noinc((SV *)texts_av(aTHX_ & w->by)));
	if (field)
		hv_stores(hv, "field", newSVpv(field, 0));
	if (w->h->where)
		hv_stores(hv, "where", newSVpv(w->h->where, 0));
	if (w->kind == AGG_TOP) {
		hv_stores(hv, "fields", newRV_noinc((SV *)texts_av(aTHX_ & w->fields)));
		hv_stores(hv, "limit", newSVuv(w->spec.keep));
	}
	if (w->quantiles)
		hv_stores(hv, "quantiles", newRV_inc((SV *)w->quantiles));
	if (w->kind == AGG_LHIST) {
		hv_stores(hv, "from", newSViv(w->spec.steps.from));
		hv_stores(hv, "to", newSViv(w->spec.steps.to));
		hv_stores(hv, "step", newSVuv(w->spec.steps.step));
	}
	return sv_bless(self, gv_stashpvs("Zed::Aggregate", GV_ADD));
}

static SV *aggregate_new(pTHX_ struct perlsink *ps, enum agg_kind kind, SV **args, int items)
{
	const struct agg_call *k = &KINDS[kind];
	const char *field = NULL;
	struct measure_texts texts = { .value = NULL };
	int i, first = kind == AGG_COUNT ? 1 : 2;
	char at[400], what[40];
	struct aggregation_wish *w;
	struct err e;
	SV *self;

	if (items < first || (items - first) % 2)
		croak_usage(aTHX_ kind);
	if (ps->phase >= PHASE_END)
		Perl_croak(aTHX_ "%s: the run is over", k->fn);
	snprintf(what, sizeof(what), "%s: ", k->fn);
	ENTER;
	w = mem_zalloc(sizeof(*w));
	SAVEDESTRUCTOR_X(drop_wish, w);
	w->kind = w->spec.kind = kind;
	w->spec.max_keys = AGG_MAX_KEYS;
	w->spec.keep = 10;
	w->h = named_new(api_string(aTHX_ args[0], "EVENT is a name, or a pattern"), ps->o.stable,
			 &BIND_WORDS, &e);
	if (!w->h)
		api_croak(aTHX_ what, &e);
	w->h->fn = k->fn;
	w->h->at = api_place(aTHX);
	if (first == 2)
		field = api_string(aTHX_ args[1], "FIELD is a name, or a formula");
	for (i = first; i < items; i += 2)
		take_option(aTHX_ w, api_string(aTHX_ args[i], "options are NAME => VALUE"),
			    args[i + 1]);
	if (kind == AGG_LHIST)
		check_steps(aTHX_ w);
	if (kind == AGG_QUANTILES && !w->quantiles)
		w->quantiles = usual_quantiles(aTHX);
	texts.value = field;
	texts.by = (const char *const *)w->by.v;
	texts.nby = w->by.n;
	texts.fields = (const char *const *)w->fields.v;
	texts.nfields = w->fields.n;
	snprintf(at, sizeof(at), "%s: %s", w->h->at, k->fn);
	w->h->plan = measure_plan_new(&w->spec, &texts, at, &ps->args.base, ps->o.notes, &e);
	if (!w->h->plan)
		api_croak(aTHX_ what, &e);
	/* Without a trace it only merges states. */
	if (!ps->o.reduces &&
	    named_check(w->h, ps->o.run->catalog, bind_is_new(&ps->bind, w->h) ? ps->o.notes : NULL,
			&e) < 0)
		api_croak(aTHX_ what, &e);
	self = sv_2mortal(object_new(aTHX_ ps, w, field));
	if (!ps->o.reduces) {
		bind_add(&ps->bind, w->h);
		handle_of(aTHX_ self)->id = w->h->id;
		w->h = NULL;
		ps->in->attention |= INTERP_SUBS;
	}
	api_fleet_note(aTHX_ ps, "aggregates", self);
	SvREFCNT_inc_simple_void_NN(self);
	LEAVE;
	return self;
}

/* The result is not used: keep it, and print it at the end (Zed::Aggregate::_print_kept). */
static void keep(pTHX_ SV *self)
{
	av_push(get_av(KEPT, GV_ADD), SvREFCNT_inc_simple_NN(self));
}

#define MAKER(name, kind) \
	XS_INTERNAL(api_##name) \
	{ \
		dXSARGS; \
		SV **args = api_args(aTHX_ & ST(0), items); \
		SV *self = aggregate_new(aTHX_ SINK, kind, args, items); \
		if (GIMME_V == G_VOID) \
			keep(aTHX_ self); \
		if (!items) \
			EXTEND(SP, 1); \
		RETURN_SV(self); \
	}

MAKER(count, AGG_COUNT)
MAKER(sum, AGG_SUM)
MAKER(min, AGG_MIN)
MAKER(max, AGG_MAX)
MAKER(avg, AGG_AVG)
MAKER(stats, AGG_STATS)
MAKER(hist, AGG_HIST)
MAKER(lhist, AGG_LHIST)
MAKER(quantiles, AGG_QUANTILES)
MAKER(top, AGG_TOP)

void api_print_kept(pTHX)
{
	AV *kept = get_av(KEPT, 0);
	dSP;

	if (!kept || av_len(kept) < 0)
		return;
	PUSHMARK(SP);
	call_pv("Zed::Aggregate::_print_kept", G_VOID | G_DISCARD | G_NOARGS);
}

const struct api_sub API_AGGREGATE[] = {
	{ "Zed::count", api_count },
	{ "Zed::sum", api_sum },
	{ "Zed::min", api_min },
	{ "Zed::max", api_max },
	{ "Zed::avg", api_avg },
	{ "Zed::stats", api_stats },
	{ "Zed::hist", api_hist },
	{ "Zed::lhist", api_lhist },
	{ "Zed::quantiles", api_quantiles },
	{ "Zed::top", api_top },
	{ .name = NULL },
};
