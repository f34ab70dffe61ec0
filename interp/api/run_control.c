/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run_control: the functions of Zed about the run: which events the trace has, stopping, and the
 * handlers of signals that end a run in an orderly way.
 */
#include "interp/api/api.h"

#include "interp/perl/perl_priv.h"
#include "stable/map.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

XS_INTERNAL(api_events)
{
	dXSARGS;
	struct catalog *c = SINK->o.run->catalog;
	unsigned i, n = 0, out = 0, count = catalog_count(c);
	const struct machine *of = NULL;
	const struct etype **types;

	api_usage(aTHX_ items > 1, "Zed::events([SOURCE])");
	if (items) {
		struct source *s = api_source_of(aTHX_ SINK, ST(0));

		if (!s)
			XSRETURN_EMPTY;
		of = api_machine_of(SINK, s);
	}
	SINK->bind.asked = true;
	/* A mortal holds the list: nothing leaks if perl has no memory for the names. */
	types = (const struct etype **)SvPVX(sv_2mortal(newSV((count + 1) * sizeof(*types))));
	for (i = 0; i < count; i++)
		if (catalog_at(c, i)->known && (!of || catalog_at(c, i)->machine == of))
			types[n++] = catalog_at(c, i);
	qsort(types, n, sizeof(*types), etype_order);
	EXTEND(SP, (SSize_t)n + 1);
	for (i = 0; i < n; i++) {
		if (i && !etype_compare(types[i - 1], types[i]))
			continue;
		ST(out) = sv_2mortal(newSVpvf("%s::%s", types[i]->system, types[i]->name));
		out++;
	}
	if (GIMME_V != G_LIST)
		RETURN_SV(newSVuv(out));
	XSRETURN(out);
}

/*
 * Zed::_makes(EVENT): has an input raw events that the stable event EVENT ("syscall:enter") is made
 * from?  LTTng's of system calls have other names than the definition does.
 */
XS_INTERNAL(api_makes)
{
	dXSARGS;
	const struct catalog *c = SINK->o.run->catalog;
	const struct stable_event *ev = NULL;
	const char *name, *colon;
	char *system;

	api_usage(aTHX_ items != 1, "Zed::_makes(EVENT)");
	name = SvPV_nolen(ST(0));
	colon = strchr(name, ':');
	if (colon) {
		system = SvPVX(sv_2mortal(newSVpvn(name, colon - name)));
		ev = stable_find(SINK->o.stable, system, colon + 1);
	}
	for (unsigned i = 0; ev && i < catalog_count(c); i++)
		if (stable_takes(ev, c, catalog_at(c, i)) >= 0)
			XSRETURN_YES;
	XSRETURN_NO;
}

/* Zed::_when(TS): call Zed::_due before the first event at or after TS. */
XS_INTERNAL(api_when)
{
	dXSARGS;
	struct perlsink *ps = SINK;

	api_usage(aTHX_ items != 1, "Zed::_when(TS)");
	ps->due = SvUV(ST(0));
	XSRETURN_EMPTY;
}

void api_due(pTHX_ uint64_t ts)
{
	dSP;

	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	mXPUSHu(ts);
	PUTBACK;
	call_pv("Zed::_due", G_VOID | G_DISCARD);
	FREETMPS;
	LEAVE;
}

XS_INTERNAL(api_stop)
{
	dXSARGS;
	struct perlsink *ps = SINK;

	api_usage(aTHX_ items != 0, "Zed::stop()");
	if (ps->phase == PHASE_LOAD)
		Perl_croak(aTHX_ "Zed::stop: the run has not begun "
				 "(call it from trace_begin or a handler)");
	ps->stop = true;
	ps->in->attention |= INTERP_STOP;
	XSRETURN_EMPTY;
}

/* A time in ns: one before the beginning becomes the beginning. */
static uint64_t time_of(pTHX_ SV *sv)
{
	NV v;

	SvGETMAGIC(sv);
	if (!SvOK(sv) || !looks_like_number(sv))
		Perl_croak(aTHX_ "Zed::keep: FROM and TO must be times in ns, as Zed::ts() returns "
				 "them");
	if (SvIsUV(sv))
		return SvUV_nomg(sv);
	v = SvNV_nomg(sv);
	if (!(v > 0))
		return 0;
	if (v >= 18446744073709551616.0)
		return UINT64_MAX;
	return SvIOK(sv) ? (uint64_t)SvIV_nomg(sv) : (uint64_t)v;
}

XS_INTERNAL(api_keep)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	uint64_t from, to, base;

	api_usage(aTHX_ items != 2, "Zed::keep(FROM, TO)");
	if (!ps->o.keep)
		Perl_croak(aTHX_ "Zed::keep: no file to keep it in (use zedperl --cut FILE TRACE "
				 "SCRIPT)");
	from = time_of(aTHX_ ST(0));
	to = time_of(aTHX_ ST(1));
	if (from > to)
		Perl_croak(aTHX_ "Zed::keep: FROM is later than TO");
	base = ps->o.run->run.base;
	ps->o.keep(ps->o.arg, from + base, to < UINT64_MAX - base ? to + base : UINT64_MAX);
	XSRETURN_EMPTY;
}

/*
 * Zed::_again(): the words by which another process of zedperl, /proc/self/exe, reads the same
 * events, up to a script; or a croak with the reason.
 */
XS_INTERNAL(api_again)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	char text[1024], **words;
	struct err e;
	SSize_t n = 0;

	api_usage(aTHX_ items != 0, "Zed::_again()");
	words = ps->o.again(ps->o.arg, &e);
	if (!words)
		Perl_croak(aTHX_ "%s\n", err_text(&e, text, sizeof(text)));
	while (words && words[n])
		n++;
	EXTEND(SP, n);
	for (SSize_t i = 0; i < n; i++) {
		ST(i) = sv_2mortal(newSVpv(words[i], 0));
		free(words[i]);
	}
	free(words);
	XSRETURN(n);
}

XS_INTERNAL(api_snapshot)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	char path[512], text[1024];
	struct err e;

	api_usage(aTHX_ items > 1, "Zed::snapshot([FILE])");
	if (!ps->o.snapshot)
		Perl_croak(aTHX_ "Zed::snapshot: no flight recorder is running (use zedperl --live "
				 "--flight 10s SCRIPT)");
	if (ps->o.snapshot(ps->o.arg, items && SvOK(ST(0)) ? SvPV_nolen(ST(0)) : NULL, path,
			   sizeof(path), &e) < 0)
		Perl_croak(aTHX_ "Zed::snapshot: %s", err_text(&e, text, sizeof(text)));
	XSRETURN_PV(path);
}

/*
 * In %SIG for INT, TERM and PIPE (live: HUP too) before the script is compiled: the first signal
 * ends the run with trace_end, a second one, or one without a run, ends the script.
 */
XS_INTERNAL(api_signal)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *name = items ? SvPV_nolen(ST(0)) : "";
	int sig = !strcmp(name, "INT")	? SIGINT :
		  !strcmp(name, "TERM") ? SIGTERM :
		  !strcmp(name, "HUP")	? SIGHUP :
					  SIGPIPE;
	bool running = (ps->phase == PHASE_BEGIN || ps->phase == PHASE_EVENTS) && !ps->signal;

	/* The command of a live run may have received the same signal and ended first. */
	if (running && sig != SIGPIPE && !ps->halted && !(ps->in->attention & INTERP_FORKED) &&
	    (ps->o.run->halted || pump_halt(ps->o.run))) {
		ps->halted = true;
	} else if (running && (sig == SIGPIPE || !ps->halted)) {
		ps->signal = sig;
		ps->stop = true;
		ps->in->attention |= INTERP_STOP;
	} else if (PRIV_FOLDS) {
		/* Raised again when this handler has returned, until folding has ended. */
		raise(sig);
	} else if (sig != SIGPIPE || ps->phase == PHASE_LOAD) {
		PL_exit_flags |= PERL_EXIT_EXPECTED;
		my_exit(sig == SIGPIPE ? 128 + sig : 130);
	}
	XSRETURN_EMPTY;
}

const struct api_sub API_RUN[] = {
	{ "Zed::events", api_events },
	{ "Zed::_makes", api_makes },
	{ "Zed::stop", api_stop },
	{ "Zed::keep", api_keep },
	{ "Zed::_signal", api_signal },
	{ "Zed::snapshot", api_snapshot },
	{ "Zed::_when", api_when },
	{ "Zed::_again", api_again },
	{ .name = NULL },
};
