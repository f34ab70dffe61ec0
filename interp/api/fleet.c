/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleet: the state of a whole run, for other runs of the script, and the merging of such states:
 * the functions for the module Zed::Fleet, which is Perl.
 */
#include "interp/api/api.h"
#include "interp/api/handle.h"
#include "interp/json/json.h"
#include "interp/zed_pm.h"

#include <inttypes.h>

#define CLASS "Zed::Fleet"

void api_fleet_boot(pTHX_ struct perlsink *ps)
{
	if (!ps->o.maps && !ps->o.reduces)
		return;
	eval_pv(embed_Fleet_pm, TRUE);
	if (!ps->o.reduces)
		return;
	eval_pv(CLASS "::_without_trace(); 1", TRUE);
}

void api_fleet_note(pTHX_ const struct perlsink *ps, const char *list, SV *object)
{
	SV *rv;

	if (!ps->o.maps && !ps->o.reduces)
		return;
	rv = newRV_inc(SvRV(object));
	sv_rvweaken(rv);
	av_push(get_av(Perl_form(aTHX_ CLASS "::%s", list), GV_ADD), rv);
}

/* Call Zed::Fleet::NAME with ARG (taken over; NULL: none); its result as a mortal. */
static SV *ask(pTHX_ const char *name, SV *arg)
{
	SV *answer;
	dSP;

	PUSHMARK(SP);
	if (arg)
		mXPUSHs(arg);
	PUTBACK;
	call_pv(name, G_SCALAR);
	SPAGAIN;
	answer = POPs;
	PUTBACK;
	return answer;
}

void api_fleet_state(pTHX_ struct perlsink *ps)
{
	SV *with = newSVsv(ask(aTHX_ CLASS "::_with", NULL)), *body;
	STRLEN len;
	const char *s;

	sv_2mortal(with);
	body = ask(aTHX_ CLASS "::_state", NULL);
	s = SvPVbyte(body, len);
	ps->o.state(ps->o.arg, SvPVbyte_nolen(with), s, len);
}

const char *api_fleet_crowded(pTHX_ const struct perlsink *ps, unsigned parts)
{
	AV *list = get_av(CLASS "::aggregates", 0);

	for (SSize_t i = 0; list && i <= av_len(list); i++) {
		SV **sv = av_fetch(list, i, 0);
		const struct aggregate *a = sv && SvROK(*sv) ? handle_of(aTHX_ * sv)->agg : NULL;

		if (a && !agg_may_join(a, parts))
			return a->at;
	}
	return NULL;
}

void api_fleet_merge(pTHX_ struct perlsink *ps)
{
	SV *with = sv_2mortal(newSVsv(ask(aTHX_ CLASS "::_with", NULL))), *bad, *text;
	const char *s, *words = SvPVbyte_nolen(with);
	bool failed = false;
	size_t len;

	while ((s = ps->o.next_state(ps->o.arg, words, NULL, &len, &failed))) {
		ENTER;
		SAVETMPS;
		text = newSVpvs("{");
		sv_catpvn(text, s, len);
		sv_catpvs(text, "}");
		bad = ask(aTHX_ CLASS "::_take", text);
		if (SvOK(bad)) {
			const char *why = SvPV_nolen(bad);

			failed = *why != STATE_LEFT_OUT;
			ps->o.next_state(ps->o.arg, words, why, &len, &failed);
		}
		FREETMPS;
		LEAVE;
		if (failed)
			break;
		interp_signals(ps->in);
		if (ps->in->attention & (INTERP_STOP | INTERP_FORKED)) {
			ps->stop = true;
			return;
		}
	}
	ps->stop = ps->stop || failed;
}

/* _json(DATA): as JSON, or a croak. */
XS_INTERNAL(api_json)
{
	dXSARGS;
	SV *out = sv_2mortal(newSVpvs(""));
	const char *why;

	api_usage(aTHX_ items != 1, CLASS "::_json(DATA)");
	why = json_write(aTHX_ out, ST(0));
	if (why)
		Perl_croak(aTHX_ "a state must be plain data; this one has %s", why);
	RETURN_SV(SvREFCNT_inc_simple_NN(out));
}

/* _parse(TEXT): the data, or a croak. */
XS_INTERNAL(api_parse)
{
	dXSARGS;
	const char *s, *why;
	size_t at;
	STRLEN len;
	SV *sv;

	api_usage(aTHX_ items != 1, CLASS "::_parse(TEXT)");
	s = SvPVbyte(ST(0), len);
	sv = json_read(aTHX_ s, len, &why, &at);
	if (!sv)
		Perl_croak(aTHX_ "invalid JSON at byte %" UVuf ": %s\n", (UV)at, why);
	RETURN_SV(sv);
}

/* _source(N): the input's identity and name; nothing: there is no such input. */
XS_INTERNAL(api_source)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct source *s;
	char id[80];

	api_usage(aTHX_ items != 1, CLASS "::_source(N)");
	s = pump_source(ps->o.run, (unsigned)SvUV(ST(0)));
	if (!s)
		XSRETURN_EMPTY;
	ps->o.identity(ps->o.arg, s, id, sizeof(id));
	EXTEND(SP, 2);
	ST(0) = sv_2mortal(newSVpv(id, 0));
	ST(1) = sv_2mortal(newSVpv(s->dir ? s->dir : s->in.path, 0));
	XSRETURN(2);
}

/* _seen(): the times of the first and the last event, as shown; nothing: there were none. */
XS_INTERNAL(api_seen)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct pump_stats *st = &ps->o.run->stats;

	api_usage(aTHX_ items != 0, CLASS "::_seen()");
	if (st->first_ts == UINT64_MAX)
		XSRETURN_EMPTY;
	EXTEND(SP, 2);
	ST(0) = sv_2mortal(newSVuv(st->first_ts - ps->args.base));
	ST(1) = sv_2mortal(newSVuv(st->last_ts - ps->args.base));
	XSRETURN(2);
}

/* _missing(): events that were lost, places with an unknown number, damaged pieces. */
XS_INTERNAL(api_missing)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct pump *run = ps->o.run;
	/* Each part reads the whole trace: the last one reports it. */
	bool all = !run->parted || run->part.last;

	api_usage(aTHX_ items != 0, CLASS "::_missing()");
	EXTEND(SP, 3);
	ST(0) = sv_2mortal(newSVuv(ps->lost.events));
	ST(1) = sv_2mortal(newSVuv(losses_unknown(&ps->lost)));
	ST(2) = sv_2mortal(newSVuv(all ? run->stats.damaged + ps->o.notes->damage : 0));
	XSRETURN(3);
}

/* _calls(): could an event call anything? */
XS_INTERNAL(api_calls)
{
	dXSARGS;
	struct perlsink *ps = SINK;

	api_usage(aTHX_ items != 0, CLASS "::_calls()");
	RETURN_SV(boolSV(bind_calls(&ps->bind)));
}

/* _times(AGGREGATION): mark its values as ns. */
XS_INTERNAL(api_times)
{
	dXSARGS;

	api_usage(aTHX_ items != 1, CLASS "::_times(AGGREGATION)");
	handle_of(aTHX_ ST(0))->agg->is_time = true;
	XSRETURN_EMPTY;
}

const struct api_sub API_FLEET[] = {
	{ CLASS "::_json", api_json },	     { CLASS "::_parse", api_parse },
	{ CLASS "::_source", api_source },   { CLASS "::_seen", api_seen },
	{ CLASS "::_missing", api_missing }, { CLASS "::_calls", api_calls },
	{ CLASS "::_times", api_times },     { .name = NULL },
};
