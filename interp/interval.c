/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * interval: what is called when an interval of --every ends.
 */
#include "interp/interval.h"

#include "interp/bind/bind.h"

static SV *shown(pTHX_ const struct perlsink *ps, uint64_t ts)
{
	return ps->interval.known ? newSVuv(ts - ps->args.base) : newSV(0);
}

static void call(pTHX_ struct perlsink *ps, const char *name, bool total)
{
	dSP;

	ENTER;
	SAVETMPS;
	PUSHMARK(SP);
	EXTEND(SP, 3);
	PUSHs(sv_2mortal(shown(aTHX_ ps, ps->interval.told_from)));
	PUSHs(sv_2mortal(shown(aTHX_ ps, ps->interval.told_to)));
	if (total)
		PUSHs(boolSV(ps->o.every_total));
	PUTBACK;
	call_pv(name, G_VOID | G_DISCARD);
	FREETMPS;
	LEAVE;
}

static void call_script(pTHX_ struct perlsink *ps)
{
	if (!bind_main(aTHX_ "main::trace_interval"))
		return;
	ps->sub = "trace_interval";
	call(aTHX_ ps, "main::trace_interval", false);
	ps->sub = NULL;
}

void interval_tell(pTHX_ struct perlsink *ps)
{
	ps->o.clear(ps->o.arg);
	call_script(aTHX_ ps);
	call(aTHX_ ps, "Zed::Aggregate::_print_interval", true);
}

void interval_end(pTHX_ struct perlsink *ps)
{
	if (!interval_rest(&ps->interval))
		return;
	call(aTHX_ ps, "Zed::Aggregate::_head_rest", true);
	call_script(aTHX_ ps);
}
