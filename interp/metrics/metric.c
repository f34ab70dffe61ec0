/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric: the objects of Zed::metric, and their updates: a method call reads its amount and its
 * labels, and allocates nothing once a series exists.
 */
#include "interp/metrics/metric.h"

#include "interp/api/api.h"
#include "interp/api/handle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The C side of an object of Zed::Metric, freed with it. */
struct ref {
	struct metric *metric; /* the run's */
	struct series *series; /* of an object from labels() */
	bool bound;	       /* it is such an object; series NULL: there was no room */
};

static int ref_free(pTHX_ SV *sv, MAGIC *mg)
{
	PERL_UNUSED_VAR(sv);
	free(mg->mg_ptr);
	return 0;
}

static const MGVTBL ref_magic = { .svt_free = ref_free };

static struct ref *ref_of(pTHX_ SV *sv)
{
	MAGIC *mg = SvROK(sv) ? mg_findext(SvRV(sv), PERL_MAGIC_ext, &ref_magic) : NULL;

	if (mg)
		return (struct ref *)mg->mg_ptr;
	Perl_croak(aTHX_ "this is not a metric of Zed::metric");
}

static SV *object_new(pTHX_ const struct ref *what)
{
	struct ref *r = mem_alloc(sizeof(*r));
	SV *inner = newSV(0), *self = newRV_noinc(inner);

	*r = *what;
	sv_magicext(inner, NULL, PERL_MAGIC_ext, &ref_magic, (const char *)r, 0);
	return sv_bless(self, gv_stashpvs("Zed::Metric", GV_ADD));
}

/* ---------------------------------------------------------------- amounts and labels */

/* The number in SV; WHAT: the method, for the croak. */
static struct quantity amount_from(pTHX_ const struct metric *m, SV *sv, const char *what)
{
	struct quantity a = { .real = false };

	SvGETMAGIC(sv);
	if (UNLIKELY(!SvIOK(sv))) {
		if (!looks_like_number(sv))
			Perl_croak(aTHX_ "metric %s: %s takes a number", metric_name(m), what);
		(void)SvIV_please_nomg(sv);
	}
	if (SvIOK(sv)) {
		a.n = SvIsUV(sv) ? number_of(SvUVX(sv), false) :
				   number_of((uint64_t)SvIVX(sv), true);
		return a;
	}
	a.d = SvNV_nomg(sv);
	a.real = true;
	return a;
}

/* Is the text a whole number in its usual form?  Then it is the same label as the number. */
static bool is_number(const char *s, STRLEN len, struct number *out)
{
	bool neg = len && *s == '-';
	uint64_t v = 0;
	STRLEN i = neg;

	if (len - neg < 1 || len - neg > 20 || (s[i] == '0' && len > 1))
		return false;
	for (; i < len; i++)
		if (s[i] < '0' || s[i] > '9' || __builtin_mul_overflow(v, 10ull, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	if (neg && v > (uint64_t)INT64_MAX)
		return false;
	*out = number_of(neg ? ~v + 1 : v, neg);
	return true;
}

static void push_label(pTHX_ const struct metric *m, struct key *k, SV *sv)
{
	struct number n;
	const char *s;
	STRLEN len;

	SvGETMAGIC(sv);
	if (SvIOK(sv) && !SvPOK(sv)) {
		key_number(k, (uint64_t)SvIVX(sv), !SvIsUV(sv));
		return;
	}
	if (!SvOK(sv)) {
		key_undef(k);
		return;
	}
	if (SvROK(sv) && !SvAMAGIC(sv))
		Perl_croak(aTHX_ "metric %s: a label must be a string or a number, not a reference",
			   metric_name(m));
	s = SvPV_nomg(sv, len);
	if (is_number(s, len, &n))
		key_number(k, n.v, n.neg);
	else
		key_text(k, s, len > KEY_TEXT_MAX ? KEY_TEXT_MAX : (uint32_t)len);
}

static __attribute__((noreturn)) void croak_labels(pTHX_ const struct metric *m, const char *what)
{
	SV *names = sv_2mortal(newSVpvs(""));
	unsigned i;

	for (i = 0; i < metric_nlabels(m); i++)
		sv_catpvf(names, "%s%s", i ? ", " : "", metric_label(m, i));
	Perl_croak(aTHX_ "metric %s: %s takes %u label%s%s%" SVf, metric_name(m), what,
		   metric_nlabels(m), plural(metric_nlabels(m)), metric_nlabels(m) ? ": " : "",
		   SVfARG(names));
}

/* The key of the N labels at ARGS: values in their order, or a hash of them by name. */
static unsigned labels_key(pTHX_ const struct metric *m, struct key *k, SV **args, unsigned n,
			   const char *what)
{
	unsigned i;

	key_begin(k);
	if (n == 1 && SvROK(args[0]) && SvTYPE(SvRV(args[0])) == SVt_PVHV) {
		HV *hv = (HV *)SvRV(args[0]);

		if (HvUSEDKEYS(hv) != metric_nlabels(m))
			croak_labels(aTHX_ m, what);
		for (i = 0; i < metric_nlabels(m); i++) {
			const char *name = metric_label(m, i);
			SV **sv = hv_fetch(hv, name, (I32)strlen(name), 0);

			if (!sv)
				croak_labels(aTHX_ m, what);
			push_label(aTHX_ m, k, *sv);
		}
		return key_end(k);
	}
	if (n != metric_nlabels(m))
		croak_labels(aTHX_ m, what);
	for (i = 0; i < n; i++)
		push_label(aTHX_ m, k, args[i]);
	return key_end(k);
}

/* The series of a method call, with N labels at ARGS.  NULL: there is no room for it. */
static struct series *series_of(pTHX_ const struct ref *r, SV **args, unsigned n, const char *what)
{
	struct key k;
	unsigned words;

	if (r->bound) {
		if (n)
			Perl_croak(aTHX_ "metric %s: %s: its labels are already set",
				   metric_name(r->metric), what);
		return r->series;
	}
	words = labels_key(aTHX_ r->metric, &k, args, n, what);
	return metric_series(r->metric, &k, words);
}

/* ---------------------------------------------------------------- methods */

static void check_type(pTHX_ const struct metric *m, const char *what, bool fits)
{
	if (metric_is_aggregate(m))
		Perl_croak(aTHX_ "metric %s: it is computed from an aggregation, so %s is not "
				 "allowed",
			   metric_name(m), what);
	if (!fits)
		Perl_croak(aTHX_ "metric %s: %s does not apply to a %s", metric_name(m), what,
			   metric_type(m) == METRIC_COUNTER ? "counter" :
			   metric_type(m) == METRIC_GAUGE   ? "gauge" :
							      "histogram");
}

enum method { INC, DEC, SET, OBSERVE };

static const struct {
	const char *name, *usage;
	bool counter, gauge, histogram, amount; /* amount: required */
} METHODS[] = {
	[INC] = { "inc", "$metric->inc([AMOUNT [, LABEL...]])", true, true, false, false },
	[DEC] = { "dec", "$metric->dec([AMOUNT [, LABEL...]])", false, true, false, false },
	[SET] = { "set", "$metric->set(VALUE [, LABEL...])", false, true, false, true },
	[OBSERVE] = { "observe", "$metric->observe(VALUE [, LABEL...])", false, false, true, true },
};

static void check_amount(pTHX_ const struct metric *m, const struct quantity *a, enum method method)
{
	if (method == OBSERVE && a->real && isnan(a->d))
		Perl_croak(aTHX_ "metric %s: the value to observe must be a number, not NaN",
			   metric_name(m));
	if (metric_type(m) == METRIC_COUNTER && (a->real ? !(a->d >= 0) || isinf(a->d) : a->n.neg))
		Perl_croak(aTHX_ "metric %s: a counter cannot decrease (use a gauge)",
			   metric_name(m));
}

static void change(pTHX_ enum method method, SV **args, unsigned items)
{
	struct quantity a = { .n = { .v = 1 } };
	struct series *s;
	struct ref *r;

	api_usage(aTHX_ !items || (METHODS[method].amount && items < 2), METHODS[method].usage);
	r = ref_of(aTHX_ args[0]);
	check_type(aTHX_ r->metric, METHODS[method].name,
		   metric_type(r->metric) == METRIC_COUNTER ? METHODS[method].counter :
		   metric_type(r->metric) == METRIC_GAUGE   ? METHODS[method].gauge :
							      METHODS[method].histogram);
	if (items > 1)
		a = amount_from(aTHX_ r->metric, args[1], METHODS[method].name);
	check_amount(aTHX_ r->metric, &a, method);
	s = series_of(aTHX_ r, args + 2, items > 2 ? items - 2 : 0, METHODS[method].name);
	if (!s)
		return;
	switch (method) {
	case INC:
		series_add(s, &a);
		return;
	case DEC:
		series_sub(s, &a);
		return;
	case SET:
		series_set(s, &a);
		return;
	case OBSERVE:
		series_observe(r->metric, s, &a);
		return;
	}
}

/* Arguments are almost always plain; a tied or overloaded one runs Perl, which may move them. */
static void change_held(pTHX_ enum method method, SV **from, int items)
{
	int i;

	for (i = 1; i < items; i++)
		if (UNLIKELY(SvGMAGICAL(from[i]) || SvROK(from[i]))) {
			change(aTHX_ method, api_args(aTHX_ from, items), items);
			return;
		}
	change(aTHX_ method, from, items);
}

#define METHOD(name, method) \
	XS_INTERNAL(metric_##name) \
	{ \
		dXSARGS; \
		change_held(aTHX_ method, &ST(0), items); \
		XSRETURN_EMPTY; \
	}

METHOD(inc, INC)
METHOD(dec, DEC)
METHOD(set, SET)
METHOD(observe, OBSERVE)

/* labels LABEL...: the object of one series, whose labels need not be looked up again. */
XS_INTERNAL(metric_labels)
{
	dXSARGS;
	SV **args = api_args(aTHX_ & ST(0), items);
	struct ref *r, one;

	api_usage(aTHX_ !items, "$metric->labels(LABEL...)");
	r = ref_of(aTHX_ args[0]);
	check_type(aTHX_ r->metric, "labels", true);
	one = (struct ref){ .metric = r->metric, .bound = true };
	one.series = series_of(aTHX_ r, args + 1, items - 1, "labels");
	RETURN_SV(object_new(aTHX_ & one));
}

/* ---------------------------------------------------------------- making */

/* The plain texts of the array that SV refers to; they live as long as it. */
static unsigned texts_of(pTHX_ SV *sv, const char **out, unsigned room, const char *what)
{
	AV *av = (AV *)SvRV(sv);
	SSize_t i, n = av_len(av) + 1;

	for (i = 0; i < n && i < (SSize_t)room; i++)
		out[i] = api_string(aTHX_ * av_fetch(av, i, 1), what);
	return (unsigned)i;
}

static unsigned numbers_of(pTHX_ SV *sv, double *out, unsigned room)
{
	SSize_t i, n = SvROK(sv) ? av_len((AV *)SvRV(sv)) + 1 : 0;

	for (i = 0; i < n && i < (SSize_t)room; i++)
		out[i] = SvNV(*av_fetch((AV *)SvRV(sv), i, 1));
	return (unsigned)i;
}

/*
 * _new(TYPE, NAME, HELP, [LABELS], SCALE, MAX_SERIES, [BUCKETS], FROM, PART, [PERCENTS]): Metric.pm
 * has checked them.
 */
XS_INTERNAL(metric_new)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	SV **a = api_args(aTHX_ & ST(0), items);
	const char *labels[KEY_PARTS + 1];
	double limits[METRIC_LIMITS + 1], percents[METRIC_LIMITS];
	struct metric_spec spec = { .labels = labels, .limits = limits };
	struct ref r = { .metric = NULL };
	struct handle *h;
	unsigned n;
	struct err e;

	api_usage(aTHX_ items != 10, "Zed::metric(TYPE => NAME, ...)");
	spec.type = (enum metric_type)SvIV(a[0]);
	spec.name = api_string(aTHX_ a[1], "the name of a metric must be a string");
	spec.help = SvOK(a[2]) ? api_string(aTHX_ a[2], "help must be a string") : NULL;
	spec.nlabels = texts_of(aTHX_ a[3], labels, KEY_PARTS + 1, "labels must be names");
	spec.scale = (int)SvIV(a[4]);
	spec.max_series = (uint32_t)SvUV(a[5]);
	spec.nlimits = numbers_of(aTHX_ a[6], limits, METRIC_LIMITS + 1);
	n = numbers_of(aTHX_ a[9], percents, METRIC_LIMITS);
	if (SvOK(a[7])) {
		h = handle_of(aTHX_ a[7]);
		r.metric = metric_add_aggregate(ps->o.metrics, &spec, h->agg,
						(enum metric_part)SvIV(a[8]), percents, n, &e);
		if (r.metric) {
			h->asked = true;
			h->rises |= spec.type != METRIC_GAUGE;
		}
	} else {
		r.metric = metric_add(ps->o.metrics, &spec, &e);
	}
	/* The place of the call in the script, from Metric.pm. */
	if (!r.metric)
		RETURN_SV(newSVpv(e.msg, 0));
	RETURN_SV(object_new(aTHX_ & r));
}

/* Zed::metrics([FORM]): all metrics as text. */
XS_INTERNAL(metric_text)
{
	dXSARGS;
	const char *form = items ? api_string(aTHX_ ST(0), "FORM must be a string") : "openmetrics";
	bool old = !strcmp(form, "prometheus");
	struct outbuf o = { .p = NULL };
	SV *text;

	if (items > 1 || (!old && strcmp(form, "openmetrics") != 0))
		Perl_croak(aTHX_ "usage: Zed::metrics(['openmetrics' or 'prometheus'])");
	metrics_text(SINK->o.metrics, old ? FORM_PROMETHEUS : FORM_OPENMETRICS, &o);
	text = newSVpvn(o.p ? o.p : "", o.len);
	outbuf_fini(&o);
	RETURN_SV(text);
}

void metric_boot(pTHX_ struct perlsink *ps)
{
	static const struct api_sub subs[] = {
		{ "Zed::metrics", metric_text },
		{ "Zed::Metric::_new", metric_new },
		{ "Zed::Metric::inc", metric_inc },
		{ "Zed::Metric::dec", metric_dec },
		{ "Zed::Metric::set", metric_set },
		{ "Zed::Metric::observe", metric_observe },
		{ "Zed::Metric::labels", metric_labels },
		{ .name = NULL },
	};

	api_define(aTHX_ ps, subs);
}
