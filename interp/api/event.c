/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the functions of Zed about the event in flight: its time, task, CPU, name and origin,
 * and its fields by name.
 */
#include "interp/api/api.h"
#include "reader/model/field.h"
#include "reader/model/machine.h"

#include <string.h>

XS_INTERNAL(api_ts)
{
	dXSARGS;
	CURRENT("ts");

	EXTEND(SP, 1);
	RETURN_SV(newSVuv(ev->ts - ps->args.base));
}

XS_INTERNAL(api_pid)
{
	dXSARGS;
	CURRENT("pid");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ev->pid));
}

XS_INTERNAL(api_comm)
{
	dXSARGS;
	CURRENT("comm");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(machine_comm(ev->type->machine, ev->pid), 0));
}

XS_INTERNAL(api_cpu)
{
	dXSARGS;
	CURRENT("cpu");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ev->cpu));
}

XS_INTERNAL(api_event)
{
	dXSARGS;
	CURRENT("event");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpvf("%s::%s", ev->type->system, ev->type->name));
}

XS_INTERNAL(api_system)
{
	dXSARGS;
	CURRENT("system");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->type->system, 0));
}

XS_INTERNAL(api_name)
{
	dXSARGS;
	CURRENT("name");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->type->name, 0));
}

XS_INTERNAL(api_instance)
{
	dXSARGS;
	CURRENT("instance");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->from->instance, 0));
}

XS_INTERNAL(api_source)
{
	dXSARGS;
	CURRENT("source");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(ev->from->path, 0));
}

XS_INTERNAL(api_source_index)
{
	dXSARGS;
	CURRENT("source_index");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ev->from->source));
}

XS_INTERNAL(api_lost)
{
	dXSARGS;
	CURRENT("lost");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	if (ev->lost == LOST_UNKNOWN)
		XSRETURN_UNDEF;
	RETURN_SV(newSVuv(ev->lost));
}

/* TS as Zed::ts gives times, undef for TS_UNKNOWN. */
static SV *shown_ts(pTHX_ const struct perlsink *ps, uint64_t ts)
{
	return ts == TS_UNKNOWN ? newSV(0) : newSVuv(ts - ps->args.base);
}

XS_INTERNAL(api_lost_since)
{
	dXSARGS;
	CURRENT("lost_since");

	EXTEND(SP, 1);
	RETURN_SV(shown_ts(aTHX_ ps, ev->lost ? ev->lost_since : TS_UNKNOWN));
}

XS_INTERNAL(api_pid_since)
{
	dXSARGS;
	CURRENT("pid_since");
	const struct trail *t = ev->trail;

	EXTEND(SP, 3);
	if (GIMME_V != G_LIST)
		RETURN_SV(shown_ts(aTHX_ ps, t ? t->since : TS_UNKNOWN));
	if (!t)
		XSRETURN_EMPTY;
	ST(0) = sv_2mortal(shown_ts(aTHX_ ps, t->since));
	if (t->before == TS_UNKNOWN)
		XSRETURN(1);
	ST(1) = sv_2mortal(shown_ts(aTHX_ ps, t->before));
	ST(2) = sv_2mortal(newSViv(t->before_pid));
	XSRETURN(3);
}

/* Addresses only: what a mark says of those behind it, their values say too. */
XS_INTERNAL(api_callchain)
{
	dXSARGS;
	uint32_t i, n = 0;
	CURRENT("callchain");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, ev->nchain);
	for (i = 0; i < ev->nchain; i++) {
		uint64_t address = ev->chain[i];

		if (!chain_is_mark(address))
			ST(n++) = sv_2mortal(newSVuv(address));
		else if ((int64_t)address == CHAIN_USER_DEFERRED)
			i++; /* a cookie */
	}
	XSRETURN(n);
}

/* ---------------------------------------------------------------- fields */

XS_INTERNAL(api_field)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev = api_current(aTHX_ ps, "field");
	const struct field *f;

	api_usage(aTHX_ items != 1, "Zed::field(NAME)");
	f = field_find(ev->type, SvPV_nolen(ST(0)));
	if (!f)
		XSRETURN_UNDEF;
	args_begin(&ps->args, ev);
	RETURN_SV(args_value(aTHX_ f, ev, &ps->args));
}

XS_INTERNAL(api_fields)
{
	dXSARGS;
	unsigned i, own;
	CURRENT("fields");

	own = ev->type->nfields - ev->type->ncommon;
	if (GIMME_V != G_LIST) {
		EXTEND(SP, 1);
		RETURN_SV(newSVuv(own));
	}
	EXTEND(SP, 2 * own);
	args_begin(&ps->args, ev);
	for (i = 0; i < own; i++) {
		const struct field *f = &ev->type->fields[ev->type->ncommon + i];

		ST(2 * i) = sv_2mortal(newSVpv(f->name, 0));
		ST(2 * i + 1) = sv_2mortal(args_value(aTHX_ f, ev, &ps->args));
	}
	XSRETURN(2 * own);
}

XS_INTERNAL(api_common)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct event *ev;
	const char *name;
	unsigned i;

	api_usage(aTHX_ items != 1, "Zed::common(NAME)");
	api_current(aTHX_ ps, "common");
	/* A stable event has no common fields, but the record that it is made of does. */
	ev = ps->ev;
	name = SvPV_nolen(ST(0));
	args_begin(&ps->args, ev);
	for (i = 0; i < ev->type->ncommon; i++) {
		const struct field *f = &ev->type->fields[i];
		bool prefixed = !strncmp(f->name, "common_", 7);

		if (!strcmp(f->name, name) || (prefixed && !strcmp(f->name + 7, name)))
			RETURN_SV(args_value(aTHX_ f, ev, &ps->args));
	}
	XSRETURN_UNDEF;
}

const struct api_sub API_EVENT[] = {
	{ "Zed::ts", api_ts },
	{ "Zed::pid", api_pid },
	{ "Zed::tid", api_pid },
	{ "Zed::comm", api_comm },
	{ "Zed::cpu", api_cpu },
	{ "Zed::event", api_event },
	{ "Zed::system", api_system },
	{ "Zed::name", api_name },
	{ "Zed::instance", api_instance },
	{ "Zed::source", api_source },
	{ "Zed::source_index", api_source_index },
	{ "Zed::lost", api_lost },
	{ "Zed::callchain", api_callchain },
	{ "Zed::lost_since", api_lost_since },
	{ "Zed::pid_since", api_pid_since },
	{ "Zed::field", api_field },
	{ "Zed::fields", api_fields },
	{ "Zed::common", api_common },
	{ .name = NULL },
};
