/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate: the functions of Zed that make aggregations (Zed::count and its kind), and what
 * the methods of Zed::Aggregate, which are Perl, ask of one.
 */
#include "interp/api/api.h"
#include "interp/api/rows.h"

#include <stdlib.h>
#include <string.h>

#define KEPT "Zed::Aggregate::kept"

static const struct kind {
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

/* ---------------------------------------------------------------- the object */

/* What hangs on an object of Zed::Aggregate, and goes with it. */
struct handle {
	struct perlsink *ps;
	struct aggregate *agg; /* holds a reference */
	unsigned id;	       /* bind_remove()'s */
	bool stopped, asked;
	struct losses before; /* of the run, when it began */
	struct losses during; /* when it was stopped */
	struct losses merged; /* of the states that were merged into it */
};

static void stop(struct handle *h)
{
	if (h->stopped)
		return;
	h->stopped = true;
	h->during = h->ps->lost;
	if (bind_remove(&h->ps->bind, h->id))
		h->ps->in->attention |= INTERP_SUBS;
}

/* What nobody asks is perhaps in a variable that ended too early, or was forgotten. */
static void say_unasked(struct handle *h)
{
	struct perlsink *ps = h->ps;

	if (h->asked || (ps->in->attention & INTERP_FORKED))
		return;
	if (ps->phase <= PHASE_BEGIN && !ps->gone)
		ps->gone = mem_strdup(h->agg->at);
	else if (ps->phase == PHASE_OVER && ps->counted)
		note_say(ps->o.notes, NOTE_WARN,
			 "%s: nobody has asked for its answer: print it in trace_end, or call it "
			 "without a variable, and it is printed at the end",
			 h->agg->at);
}

static int handle_free(pTHX_ SV *sv, MAGIC *mg)
{
	struct handle *h = (struct handle *)mg->mg_ptr;

	PERL_UNUSED_VAR(sv);
	say_unasked(h);
	stop(h);
	agg_put(h->agg);
	free(h);
	return 0;
}

static const MGVTBL handle_magic = { .svt_free = handle_free };

static struct handle *handle_of(pTHX_ SV *sv)
{
	MAGIC *mg = SvROK(sv) ? mg_findext(SvRV(sv), PERL_MAGIC_ext, &handle_magic) : NULL;

	if (mg)
		return (struct handle *)mg->mg_ptr;
	Perl_croak(aTHX_ "this is no aggregation of Zed::count and its kind");
}

/* ---------------------------------------------------------------- making one */

/* The options of a call as they come; what is owned is freed should the call croak. */
struct wish {
	enum agg_kind kind;
	struct agg_spec spec;
	struct named *h;
	struct names by, fields;
	bool from, to, step; /* were given */
	AV *quantiles;	     /* mortal */
};

static void drop_wish(pTHX_ void *arg)
{
	struct wish *w = arg;

	if (w->h)
		named_free(aTHX_ w->h);
	names_fini(&w->by);
	names_fini(&w->fields);
	free(w);
}

static __attribute__((noreturn)) void croak_usage(pTHX_ enum agg_kind kind)
{
	const struct kind *k = &KINDS[kind];

	Perl_croak(aTHX_ "usage: %s(%s, [by => EXPR or [EXPR...],] [where => EXPR,] "
			 "[max_keys => N,]%s)",
		   k->fn, k->usage,
		   kind == AGG_TOP	 ? " [limit => N,] [fields => [EXPR...]]" :
		   kind == AGG_QUANTILES ? " [quantiles => [PERCENT...]]" :
					   "");
}

/* One text, or a reference to an array of them. */
static void take_texts(pTHX_ struct names *l, SV *sv, const char *what)
{
	AV *av;
	SSize_t i;

	SvGETMAGIC(sv);
	names_fini(l);
	if (!SvROK(sv)) {
		names_add(l, api_string(aTHX_ sv, what));
		return;
	}
	if (SvTYPE(SvRV(sv)) != SVt_PVAV)
		Perl_croak(aTHX_ "%s", what);
	av = (AV *)SvRV(sv);
	for (i = 0; i <= av_len(av); i++) {
		SV **item = av_fetch(av, i, 0);

		names_add(l, api_string(aTHX_ item ? *item : &PL_sv_undef, what));
	}
}

/* A whole number of MIN to MAX. */
static IV take_number(pTHX_ const struct wish *w, const char *key, SV *sv, IV min, IV max)
{
	IV v;

	SvGETMAGIC(sv);
	v = looks_like_number(sv) ? SvIV_nomg(sv) : 0;
	if (!looks_like_number(sv) || SvNV_nomg(sv) != (NV)v || v < min || v > max)
		Perl_croak(aTHX_ "%s: %s is a whole number from %" IVdf " to %" IVdf,
			   KINDS[w->kind].fn, key, min, max);
	return v;
}

/* Percents, as they are shown later. */
static void take_quantiles(pTHX_ struct wish *w, SV *sv)
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
static bool take_own(pTHX_ struct wish *w, const char *key, SV *sv)
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

static void take_option(pTHX_ struct wish *w, const char *key, SV *sv)
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
		Perl_croak(aTHX_ "%s: there is no option '%s'", KINDS[w->kind].fn, key);
	}
}

static void check_steps(pTHX_ const struct wish *w)
{
	const struct steps *s = &w->spec.steps;
	uint64_t span = (uint64_t)s->to - (uint64_t)s->from;

	if (!w->from || !w->to || !w->step)
		croak_usage(aTHX_ AGG_LHIST);
	if (s->from >= s->to || span % s->step || span / s->step > SPREAD_STEPS)
		Perl_croak(aTHX_ "Zed::lhist: from %" IVdf " to %" IVdf
				 " are 1 to %d steps of %" UVuf ", without a rest",
			   (IV)s->from, (IV)s->to, SPREAD_STEPS, (UV)s->step);
}

static AV *texts_av(pTHX_ const struct names *l)
{
	AV *av = newAV();
	unsigned i;

	for (i = 0; i < l->n; i++)
		av_push(av, newSVpv(l->v[i], 0));
	return av;
}

/* The object: a hash for the methods, with the handle as magic. */
static SV *object_new(pTHX_ struct perlsink *ps, const struct wish *w, const char *field)
{
	struct handle *h = mem_zalloc(sizeof(*h));
	HV *hv = newHV();
	SV *self = newRV_noinc((SV *)hv);

	h->ps = ps;
	h->agg = agg_ref(measure_plan_aggregate(w->h->plan));
	h->before = ps->lost;
	sv_magicext((SV *)hv, NULL, PERL_MAGIC_ext, &handle_magic, (const char *)h, 0);
	hv_stores(hv, "kind", newSVpv(KINDS[w->kind].name, 0));
	hv_stores(hv, "event", newSVpv(w->h->text, 0));
	hv_stores(hv, "by", newRV_noinc((SV *)texts_av(aTHX_ & w->by)));
	if (field)
		hv_stores(hv, "field", newSVpv(field, 0));
	if (w->h->where)
		hv_stores(hv, "where", newSVpv(w->h->where, 0));
	if (w->kind == AGG_TOP)
		hv_stores(hv, "fields", newRV_noinc((SV *)texts_av(aTHX_ & w->fields)));
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
	const struct kind *k = &KINDS[kind];
	const char *field = NULL;
	struct measure_texts texts = { .value = NULL };
	int i, first = kind == AGG_COUNT ? 1 : 2;
	char at[400], what[40];
	struct wish *w;
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
			 &e);
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
	if (named_check(w->h, ps->o.catalog, ps->o.stable,
			bind_is_new(&ps->bind, w->h) ? ps->o.notes : NULL, &e) < 0)
		api_croak(aTHX_ what, &e);
	self = sv_2mortal(object_new(aTHX_ ps, w, field));
	bind_add(&ps->bind, w->h);
	handle_of(aTHX_ self)->id = w->h->id;
	w->h = NULL;
	ps->in->attention |= INTERP_SUBS;
	SvREFCNT_inc_simple_void_NN(self);
	LEAVE;
	return self;
}

/* Nobody takes it: it stays, and is printed at the end (Zed::Aggregate::_print_kept). */
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

/* ---------------------------------------------------------------- asking one */

#define SELF(fn, wrong) \
	struct handle *h; \
	api_usage(aTHX_ items < 1 || (wrong), fn); \
	h = handle_of(aTHX_ ST(0)); \
	h->asked = true

/* The percents that a quantiles object was made with, or none. */
static AV *quantiles_of(pTHX_ SV *self)
{
	SV **sv = SvTYPE(SvRV(self)) == SVt_PVHV ? hv_fetchs((HV *)SvRV(self), "quantiles", 0) :
						   NULL;

	return sv && SvROK(*sv) && SvTYPE(SvRV(*sv)) == SVt_PVAV ? (AV *)SvRV(*sv) : NULL;
}

static void drop_list(pTHX_ void *list)
{
	PERL_UNUSED_CONTEXT;
	free(list);
}

static void drop_aggregate(pTHX_ void *agg)
{
	PERL_UNUSED_CONTEXT;
	agg_put(agg);
}

/* rows: a reference to an array of rows: the key (undef: other) and the values (values_av). */
XS_INTERNAL(api_rows)
{
	dXSARGS;
	SELF("$aggregation->rows()", items != 1);
	AV *rows = (AV *)sv_2mortal((SV *)newAV()), *quantiles = quantiles_of(aTHX_ ST(0));
	size_t n, i;
	void **list = agg_list(h->agg, &n);

	/* The percents are the script's, and may be objects that die. */
	ENTER;
	SAVEDESTRUCTOR_X(drop_list, list);
	for (i = 0; i < n; i++)
		av_push(rows, newRV_noinc((SV *)rows_row(aTHX_ h->agg, list[i], quantiles)));
	LEAVE;
	RETURN_SV(newRV_inc((SV *)rows));
}

/* total: as one row. */
XS_INTERNAL(api_total)
{
	dXSARGS;
	SELF("$aggregation->total()", items != 1);
	struct aggregate *t = agg_total(h->agg);
	SV *row;

	ENTER;
	SAVEDESTRUCTOR_X(drop_aggregate, t);
	row = newRV_noinc((SV *)rows_row(aTHX_ t, t->all, quantiles_of(aTHX_ ST(0))));
	LEAVE;
	RETURN_SV(row);
}

/* get KEY...: the row, or undef. */
XS_INTERNAL(api_get)
{
	dXSARGS;
	SELF("$aggregation->get(KEY...)", false);
	void *value;

	if ((unsigned)items - 1 != h->agg->spec.nby)
		Perl_croak(aTHX_ "Zed::Aggregate::get: a key of this aggregation has %u part%s",
			   h->agg->spec.nby, plural(h->agg->spec.nby));
	value = rows_find(aTHX_ h->agg, api_args(aTHX_ & ST(1), items - 1));
	if (!value || !agg_n(h->agg, value))
		XSRETURN_UNDEF;
	RETURN_SV(newRV_noinc((SV *)rows_row(aTHX_ h->agg, value, quantiles_of(aTHX_ ST(0)))));
}

/* clear: forget all events, and what was lost. */
XS_INTERNAL(api_clear)
{
	dXSARGS;
	SELF("$aggregation->clear()", items != 1);

	agg_clear(h->agg);
	h->before = h->during = h->ps->lost;
	h->merged = (struct losses){ 0 };
	XSRETURN_EMPTY;
}

XS_INTERNAL(api_stop_one)
{
	dXSARGS;
	SELF("$aggregation->stop()", items != 1);

	stop(h);
	XSRETURN_EMPTY;
}

/* In list context the events that were lost, and the places where nobody knows how many. */
XS_INTERNAL(api_lost)
{
	dXSARGS;
	SELF("$aggregation->lost()", items != 1);
	const struct losses *now = h->stopped ? &h->during : &h->ps->lost;
	UV events = now->events - h->before.events + h->merged.events;
	UV places = now->places - h->before.places + h->merged.places;

	if (GIMME_V != G_LIST)
		RETURN_SV(newSVuv(events + places));
	EXTEND(SP, 2);
	ST(0) = sv_2mortal(newSVuv(events));
	ST(1) = sv_2mortal(newSVuv(places));
	XSRETURN(2);
}

/* _is_time: are its values ns? */
XS_INTERNAL(api_is_time)
{
	dXSARGS;
	SELF("$aggregation->_is_time()", items != 1);

	RETURN_SV(newSViv(h->agg->is_time));
}

/* size: keys and bytes. */
XS_INTERNAL(api_size)
{
	dXSARGS;
	SELF("$aggregation->size()", items != 1);

	EXTEND(SP, 2);
	ST(0) = sv_2mortal(newSVuv(h->agg->table.n));
	ST(1) = sv_2mortal(newSVuv(agg_bytes(h->agg)));
	XSRETURN(2);
}

/* _state: the rows of a state. */
XS_INTERNAL(api_state)
{
	dXSARGS;
	SELF("$aggregation->_state()", items != 1);
	AV *rows = (AV *)sv_2mortal((SV *)newAV());
	size_t n, i;
	void **list = agg_list(h->agg, &n);

	for (i = 0; i < n; i++)
		av_push(rows, newRV_noinc((SV *)rows_state(aTHX_ h->agg, list[i])));
	free(list);
	RETURN_SV(newRV_inc((SV *)rows));
}

/*
 * _merge(ROWS, LOST, PLACES): the rows of a state of the same kind; returns undef, or the number of
 * the row that makes no sense.  Then nothing has changed.
 */
XS_INTERNAL(api_merge)
{
	dXSARGS;
	SELF("$aggregation->_merge(ROWS, LOST, PLACES)", items != 4);
	SV **args = api_args(aTHX_ & ST(0), items);
	struct aggregate *from;
	SSize_t i, n;
	UV events, places;
	struct err e;
	AV *rows;

	if (!SvROK(args[1]) || SvTYPE(SvRV(args[1])) != SVt_PVAV)
		RETURN_SV(newSViv(0));
	events = SvUV(args[2]);
	places = SvUV(args[3]);
	rows = (AV *)SvRV(args[1]);
	n = av_len(rows) + 1;
	from = agg_new(&h->agg->spec, h->agg->at, NULL);
	from->spec.max_keys = TABLE_MOST;
	/* A row that makes no sense may croak too: of characters where bytes should be. */
	ENTER;
	SAVEDESTRUCTOR_X(drop_aggregate, from);
	for (i = 0; i < n; i++) {
		SV **row = av_fetch(rows, i, 0);

		if (row && SvROK(*row) && SvTYPE(SvRV(*row)) == SVt_PVAV &&
		    rows_take(aTHX_ from, (AV *)SvRV(*row)))
			continue;
		LEAVE;
		RETURN_SV(newSViv(i));
	}
	agg_merge(h->agg, from, &e);
	LEAVE;
	h->merged.events += events;
	h->merged.places += places;
	XSRETURN_UNDEF;
}

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
	{ "Zed::Aggregate::_rows", api_rows },
	{ "Zed::Aggregate::_total", api_total },
	{ "Zed::Aggregate::_get", api_get },
	{ "Zed::Aggregate::_state", api_state },
	{ "Zed::Aggregate::_merge", api_merge },
	{ "Zed::Aggregate::_size", api_size },
	{ "Zed::Aggregate::_is_time", api_is_time },
	{ "Zed::Aggregate::clear", api_clear },
	{ "Zed::Aggregate::stop", api_stop_one },
	{ "Zed::Aggregate::lost", api_lost },
	{ .name = NULL },
};
