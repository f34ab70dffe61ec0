/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace: the functions of Zed about the current trace and its machine: when it begins and ends, how
 * many CPUs it has, whose events were recorded.
 */
#include "interp/api/api.h"

#include "run/period.h"

#include <stdlib.h>
#include <string.h>

struct source *api_source_of(pTHX_ struct perlsink *ps, SV *sv)
{
	if (sv)
		SvGETMAGIC(sv);
	if (!sv || !SvOK(sv))
		return pump_source(ps->o.run, ps->ev ? ps->ev->from->source : 0);
	return SvIV_nomg(sv) < 0 || SvIV_nomg(sv) > INT_MAX ? NULL :
							      pump_source(ps->o.run, SvIV_nomg(sv));
}

struct machine *api_machine_of(const struct perlsink *ps, struct source *s)
{
	return ps->ev && ps->ev->from->source == s->num ? ps->ev->type->machine : &s->machine;
}

/* ---------------------------------------------------------------- times */

/* An input's number, or ... */
enum period_of {
	PERIOD_ALL = -1,       /* all inputs */
	PERIOD_WINDOW = -2,    /* the time for which all CPUs have data */
	PERIOD_NONE_SUCH = -3, /* an input that does not exist */
};

/* When the records of WHICH happened (period.h).  -1: it is read as it comes, or does not exist. */
static int find_period(struct pump *run, int which, struct period *p)
{
	struct err e;

	switch (which) {
	case PERIOD_NONE_SUCH:
		return -1;
	case PERIOD_ALL:
		return period_all(run, p, &e);
	case PERIOD_WINDOW:
		return period_common(run, p, NULL, &e);
	default:
		return period_source(run, which, p, &e);
	}
}

/* The same, in times as shown.  False: not known, or there is no record. */
static bool shown_period(struct perlsink *ps, int which, struct period *p)
{
	if (find_period(ps->o.run, which, p) < 0 || !period_any(p))
		return false;
	p->first -= ps->o.run->run.base;
	p->last -= ps->o.run->run.base;
	return true;
}

/* The input that SV selects by its number, undef: all. */
static int which_of(pTHX_ struct perlsink *ps, SV *sv)
{
	const struct source *s;

	SvGETMAGIC(sv);
	if (!SvOK(sv))
		return PERIOD_ALL;
	s = api_source_of(aTHX_ ps, sv);
	return s ? (int)s->num : PERIOD_NONE_SUCH;
}

/* One end of the period of an input, or of all, or undef. */
static SV *period_end(pTHX_ struct perlsink *ps, SV *source, bool last)
{
	struct period p;

	if (!shown_period(ps, source ? which_of(aTHX_ ps, source) : PERIOD_ALL, &p))
		return newSV(0);
	return newSVuv(last ? p.last : p.first);
}

XS_INTERNAL(api_start)
{
	dXSARGS;

	api_usage(aTHX_ items > 1, "Zed::start([SOURCE])");
	EXTEND(SP, 1);
	RETURN_SV(period_end(aTHX_ SINK, items ? ST(0) : NULL, false));
}

XS_INTERNAL(api_end)
{
	dXSARGS;

	api_usage(aTHX_ items > 1, "Zed::end([SOURCE])");
	EXTEND(SP, 1);
	RETURN_SV(period_end(aTHX_ SINK, items ? ST(0) : NULL, true));
}

XS_INTERNAL(api_window)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct period p;
	bool any;

	api_usage(aTHX_ items != 0, "Zed::window()");
	any = shown_period(ps, PERIOD_WINDOW, &p);
	EXTEND(SP, 2);
	if (GIMME_V != G_LIST) {
		if (!any)
			XSRETURN_UNDEF;
		RETURN_SV(newSVuv(p.last - p.first));
	}
	if (!any)
		XSRETURN_EMPTY;
	ST(0) = sv_2mortal(newSVuv(p.first));
	ST(1) = sv_2mortal(newSVuv(p.last));
	XSRETURN(2);
}

/* { cpu, instance, start, end } of one stream. */
static SV *new_span(pTHX_ const struct origin *from, const struct period *p, uint64_t base)
{
	HV *hv = newHV();

	(void)hv_stores(hv, "cpu", newSViv(from->cpu));
	(void)hv_stores(hv, "instance", newSVpv(from->instance, 0));
	(void)hv_stores(hv, "start", newSVuv(p->first - base));
	(void)hv_stores(hv, "end", newSVuv(p->last - base));
	return newRV_noinc((SV *)hv);
}

XS_INTERNAL(api_spans)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct period *v = NULL;
	const struct source *s;
	unsigned given = 0;
	struct err e;

	api_usage(aTHX_ items > 1, "Zed::spans([SOURCE])");
	s = api_source_of(aTHX_ ps, items ? ST(0) : NULL);
	if (!s || period_streams(ps->o.run, s->num, &v, &e) < 0)
		XSRETURN_EMPTY;
	EXTEND(SP, (SSize_t)s->nstreams);
	for (unsigned i = 0; i < s->nstreams; i++)
		if (period_any(&v[i]))
			ST(given++) = sv_2mortal(
				new_span(aTHX_ s->streams[i]->from, &v[i], ps->o.run->run.base));
	XSRETURN(given);
}

/* ---------------------------------------------------------------- the machine */

XS_INTERNAL(api_uname)
{
	dXSARGS;
	struct source *s;
	const char *text;
	size_t len = 0;

	api_usage(aTHX_ items > 1, "Zed::uname([SOURCE])");
	s = api_source_of(aTHX_ SINK, items ? ST(0) : NULL);
	text = s ? machine_raw(api_machine_of(SINK, s), TEXT_UNAME, &len) : NULL;
	EXTEND(SP, 1);
	if (!len)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpvn(text, memchr(text, '\n', len) ?
					 (size_t)((const char *)memchr(text, '\n', len) - text) :
					 strnlen(text, len)));
}

/* _recorded(SOURCE): "all" or "chosen": the tasks whose events were recorded; undef: not known. */
XS_INTERNAL(api_recorded)
{
	dXSARGS;
	static const char *const words[] = { [RECORDED_ALL] = "all", [RECORDED_CHOSEN] = "chosen" };
	struct source *s;

	api_usage(aTHX_ items != 1, "Zed::_recorded(SOURCE)");
	s = api_source_of(aTHX_ SINK, ST(0));
	if (!s || !words[s->tasks])
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(words[s->tasks], 0));
}

XS_INTERNAL(api_ncpus)
{
	dXSARGS;
	struct source *s;
	unsigned n, i;

	api_usage(aTHX_ items > 1, "Zed::ncpus([SOURCE])");
	s = api_source_of(aTHX_ SINK, items ? ST(0) : NULL);
	EXTEND(SP, 1);
	if (!s)
		XSRETURN_UNDEF;
	n = s->cpu_count;
	/* not stated: the least that there must be. */
	for (i = 0; !s->cpu_count && i < s->nstreams; i++)
		if (s->streams[i]->from->cpu >= (int)n)
			n = s->streams[i]->from->cpu + 1;
	RETURN_SV(newSVuv(n));
}

/*
 * A packed trace may name far more tasks than a kernel has that wrote as many bytes: each real task
 * has several events.
 */
#define TASK_BYTES 16
#define TASKS_LEAST 65536

/* _may_have(N, SOURCE): may it have N tasks and renames?  If not, a notice says so. */
XS_INTERNAL(api_may_have)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct source *s;
	UV n;

	api_usage(aTHX_ items != 2, "Zed::_may_have(N, SOURCE)");
	n = SvUV(ST(0));
	s = api_source_of(aTHX_ ps, ST(1));
	if (!s || !s->compression || !strcmp(s->compression, "none") || n <= TASKS_LEAST ||
	    n <= s->in.size / TASK_BYTES)
		XSRETURN_YES;
	note_say(ps->o.notes, NOTE_DAMAGE,
		 "%s: names more than %u tasks, and more than one for each %u of its bytes: the "
		 "others are left out",
		 s->in.path, TASKS_LEAST, TASK_BYTES);
	XSRETURN_NO;
}

const struct api_sub API_TRACE[] = {
	{ "Zed::start", api_start },
	{ "Zed::end", api_end },
	{ "Zed::window", api_window },
	{ "Zed::spans", api_spans },
	{ "Zed::uname", api_uname },
	{ "Zed::ncpus", api_ncpus },
	{ "Zed::_recorded", api_recorded },
	{ "Zed::_may_have", api_may_have },
	{ .name = NULL },
};
