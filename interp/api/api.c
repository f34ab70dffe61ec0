/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * api: the module Zed as a whole: defines its functions, which are in the other files of this
 * folder, compiles its Perl part (Zed.pm), and installs the signal handlers.
 */
#include "interp/api/api.h"
#include "interp/perl/perl_priv.h"
#include "interp/tables/parquet_object.h"
#include "interp/zed_pm.h"

#include <string.h>

const struct event *api_current(pTHX_ struct perlsink *ps, const char *fn)
{
	if (!ps->ev)
		Perl_croak(aTHX_ "Zed::%s: no current event (call it from a handler)", fn);
	return ps->seen;
}

void api_usage(pTHX_ bool wrong, const char *text)
{
	if (wrong)
		Perl_croak(aTHX_ "usage: %s", text);
}

const char *api_string(pTHX_ SV *sv, const char *what)
{
	const char *s;
	STRLEN len;

	SvGETMAGIC(sv);
	if (!SvOK(sv) || SvROK(sv))
		Perl_croak(aTHX_ "%s", what);
	s = SvPV_nomg(sv, len);
	if (strlen(s) != len)
		Perl_croak(aTHX_ "%s", what);
	return s;
}

void api_strings(pTHX_ struct arg_names *l, AV *av, const char *what)
{
	for (SSize_t i = 0; i <= av_len(av); i++) {
		SV **item = av_fetch(av, i, 0);

		arg_names_add(l, api_string(aTHX_ item ? *item : &PL_sv_undef, what));
	}
}

/* A variable: on a perl without threads, the macro is an address in one of its arms. */
const char *api_file(pTHX)
{
	const char *file = CopFILE(PL_curcop);

	return file ? file : "-";
}

SV **api_args(pTHX_ SV **from, int n)
{
	AV *held = (AV *)sv_2mortal((SV *)newAV());
	int i;

	av_extend(held, n);
	for (i = 0; i < n; i++)
		av_push(held, SvREFCNT_inc_simple_NN(from[i]));
	return AvARRAY(held);
}

/* Is COP in one of the modules that come with zedperl? */
static bool is_ours(pTHX_ const COP *cop)
{
	const char *package = CopSTASHPV(cop);

	return package && !strncmp(package, "Zed::", 5);
}

/* The running statement; in a module of ours, the one that called it. */
static const COP *users_cop(pTHX)
{
	const PERL_CONTEXT *frame;
	const COP *cop = PL_curcop;

	for (I32 level = 0; is_ours(aTHX_ cop); level++) {
		frame = caller_cx(level, NULL);
		if (!frame)
			return PL_curcop;
		cop = frame->blk_oldcop;
	}
	return cop;
}

char *api_place(pTHX)
{
	const COP *cop = users_cop(aTHX);
	const char *file = CopFILE(cop);
	char text[300];

	snprintf(text, sizeof(text), "%.250s line %lu", file ? file : "-",
		 (unsigned long)CopLINE(cop));
	return mem_strdup(text);
}

void api_croak(pTHX_ const char *what, const struct err *e)
{
	int first = strcspn(e->msg, "\n");

	Perl_croak(aTHX_ "%s%.*s at %s line %lu.%s\n", what, first, e->msg, api_file(aTHX),
		   (unsigned long)CopLINE(PL_curcop), e->msg + first);
}

/* The part of the module that is written in Perl. */
XS_INTERNAL(api_load)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	hv_stores(get_hv("INC", GV_ADD), "Zed.pm", newSVpvs("Zed.pm"));
	eval_pv(embed_Zed_pm, TRUE);
	eval_pv(embed_Aggregate_pm, TRUE);
	eval_pv(embed_Metric_pm, TRUE);
	api_perf_boot(aTHX);
	api_fleet_boot(aTHX_ SINK);
	XSRETURN_EMPTY;
}

/*
 * Set in %SIG before the script is compiled, so that its `local $SIG{INT}` restores them.  HUP is
 * left alone if nothing has to be stopped.
 */
static void catch_signals(pTHX_ const struct perlsink *ps)
{
	static const char *const signals[] = { "INT", "TERM", "PIPE", "HUP" };
	CV *cv = get_cv("Zed::_signal", 0);
	HV *sig = get_hv("SIG", GV_ADD);
	unsigned i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]) - !pump_is_live(ps->o.run); i++) {
		SV **slot = hv_fetch(sig, signals[i], strlen(signals[i]), 1);

		sv_setsv(*slot, sv_2mortal(newRV_inc((SV *)cv)));
		SvSETMAGIC(*slot);
	}
}

void api_define(pTHX_ struct perlsink *ps, const struct api_sub *sub)
{
	for (; sub->name; sub++)
		CvXSUBANY(newXS(sub->name, sub->fn, __FILE__)).any_ptr = ps;
}

void api_boot(pTHX_ struct perlsink *ps)
{
	static const struct api_sub own[] = {
		{ "Zed::_load", api_load },
		{ .name = NULL },
	};
	static const struct api_sub *const tables[] = {
		API_EVENT, API_TEXT,	  API_TRACE,   API_ASKED,
		API_CLOCK, API_NUMBERS,	  API_LOSSES,  API_RUN,
		API_ON,	   API_AGGREGATE, API_ANSWERS, API_SYNTHETIC,
		API_PAGE,  API_PERF,	  API_FLEET,   own
	};
	unsigned i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		api_define(aTHX_ ps, tables[i]);
	tables_boot(aTHX);
	catch_signals(aTHX_ ps);
	ps->in->required = api_perf_required;
	/* What -M does: Perl that is compiled before the script's first line. */
	if (!PRIV_PREAMBLE)
		PRIV_PREAMBLE = newAV();
	av_unshift(PRIV_PREAMBLE, 1);
	av_store(PRIV_PREAMBLE, 0, newSVpvs("BEGIN { Zed::_load() }"));
}
