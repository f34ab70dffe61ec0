/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_units: what the trace's clock counts, ns or ticks, and durations in readable form.
 */
#include "interp/api/api.h"

#include <math.h>
#include <stdio.h>

XS_INTERNAL(api_clock)
{
	dXSARGS;
	struct source *s;

	api_usage(aTHX_ items > 1, "Zed::clock([SOURCE])");
	s = api_source_of(aTHX_ SINK, items ? ST(0) : NULL);
	EXTEND(SP, 1);
	if (!s || !*source_clock(s))
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(source_clock(s), 0));
}

/* Do the times of all inputs count ns?  Otherwise they are ticks. */
static bool counts_ns(const struct perlsink *ps)
{
	if (ps->in_ticks)
		return false;
	for (unsigned i = 0; ps->o.run && i < ps->o.run->nsources; i++)
		if (ps->o.run->sources[i]->nstreams && !source_counts_ns(ps->o.run->sources[i]))
			return false;
	return true;
}

/* _counts_ns([SOURCE]): the times of that input, or of all. */
XS_INTERNAL(api_counts_ns)
{
	dXSARGS;

	api_usage(aTHX_ items > 1, "Zed::_counts_ns([SOURCE])");
	if (items) {
		struct source *s = api_source_of(aTHX_ SINK, ST(0));

		ST(0) = boolSV(!s || source_counts_ns(s));
		XSRETURN(1);
	}
	EXTEND(SP, 1);
	ST(0) = boolSV(counts_ns(SINK));
	XSRETURN(1);
}

/* _in_ticks(): the times are ticks, though no input shows it: those of states, or of other runs. */
XS_INTERNAL(api_in_ticks)
{
	dXSARGS;

	api_usage(aTHX_ items != 0, "Zed::_in_ticks()");
	SINK->in_ticks = true;
	XSRETURN_EMPTY;
}

/* NS with three digits and a unit: "12.3 ms"; up to 999 whole ns as they are. */
static void duration_text(double ns, char *buf, size_t size)
{
	static const struct {
		const char *name;
		double ns;
	} UNITS[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	double x = fabs(ns);
	size_t unit = 0;

	/* 999.6 of a unit would be shown as 1000. */
	while (unit + 1 < sizeof(UNITS) / sizeof(UNITS[0]) && x / UNITS[unit].ns >= 999.5)
		unit++;
	x /= UNITS[unit].ns;
	snprintf(buf, size, "%s%.*f %s", ns < 0 ? "-" : "",
		 x >= 99.95 || (!unit && x == floor(x)) ? 0 :
		 x >= 9.995				? 1 :
							  2,
		 x, UNITS[unit].name);
}

/* SV as a finite number, or NAN. */
static double finite_number(pTHX_ SV *sv)
{
	double x;

	SvGETMAGIC(sv);
	x = SvOK(sv) ? SvNV_nomg(sv) : NAN;
	return isfinite(x) ? x : NAN;
}

/* OF as text: in ns with three digits, or a number of TICKS; undef unless it is finite. */
static SV *duration_sv(pTHX_ SV *of, bool ticks)
{
	double time = finite_number(aTHX_ of);
	char text[400];

	if (isnan(time))
		return &PL_sv_undef;
	if (ticks)
		snprintf(text, sizeof(text), "%.0f %s", time, time == 1 ? "tick" : "ticks");
	else
		duration_text(time, text, sizeof(text));
	return newSVpv(text, 0);
}

XS_INTERNAL(api_duration)
{
	dXSARGS;

	api_usage(aTHX_ items != 1, "Zed::duration(NANOSECONDS)");
	RETURN_SV(duration_sv(aTHX_ ST(0), !counts_ns(SINK)));
}

/* _duration_ns(NANOSECONDS): the same of what is in ns whatever the trace's clock counts. */
XS_INTERNAL(api_duration_ns)
{
	dXSARGS;

	api_usage(aTHX_ items != 1, "Zed::_duration_ns(NANOSECONDS)");
	RETURN_SV(duration_sv(aTHX_ ST(0), false));
}

const struct api_sub API_CLOCK[] = {
	{ "Zed::clock", api_clock },
	{ "Zed::_counts_ns", api_counts_ns },
	{ "Zed::_in_ticks", api_in_ticks },
	{ "Zed::duration", api_duration },
	{ "Zed::_duration_ns", api_duration_ns },
	{ .name = NULL },
};
