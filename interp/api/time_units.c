/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time_units: what the trace's clock counts, ns or ticks, and durations in readable form.
 */
#include "interp/api/api.h"

#include "interp/common/duration_text.h"

#include <math.h>

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
	return !ps->in_ticks && duration_counts_ns(ps->o.run);
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
	char text[DURATION_TEXT];

	return isnan(time) ? &PL_sv_undef : newSVpv(duration_text(time, ticks, text), 0);
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
