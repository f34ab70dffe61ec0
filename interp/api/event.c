/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: the functions of Zed about the current event: its time, task, CPU, name and origin,
 * and its fields by name.
 */
#include "interp/api/api.h"
#include "interp/bind/call_chain.h"
#include "trace/field.h"
#include "trace/machine.h"

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
	RETURN_SV(newSVpv(comms_name(ev->type->machine->comms, ev->pid), 0));
}

XS_INTERNAL(api_cgroup)
{
	dXSARGS;
	CURRENT("cgroup");

	PERL_UNUSED_VAR(ps);
	EXTEND(SP, 1);
	RETURN_SV(newSVpv(machine_cgroup(ev->type->machine, ev->ts, ev->pid), 0));
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

/* Of the reported loss without a place, or of the event. */
XS_INTERNAL(api_instance)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct stream *of = ps->rest ? ps->rest->of : NULL;

	api_usage(aTHX_ items != 0, "Zed::instance()");
	EXTEND(SP, 1);
	if (ps->rest)
		RETURN_SV(newSVpv(of ? of->from->instance : "", 0));
	RETURN_SV(newSVpv(api_current(aTHX_ ps, "instance")->from->instance, 0));
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

/* Of the reported loss, or of the event: the event after a loss is from the same input. */
XS_INTERNAL(api_lost_source)
{
	dXSARGS;
	struct perlsink *ps = SINK;

	api_usage(aTHX_ items != 0, "Zed::lost_source()");
	EXTEND(SP, 1);
	RETURN_SV(newSViv(ps->rest ? ps->lost_source :
				     api_current(aTHX_ ps, "lost_source")->from->source));
}

/* lost_places: true, but possibly 0, if the reported number is that of earlier places. */
XS_INTERNAL(api_lost_places)
{
	dXSARGS;
	const struct losses_rest *r = ((struct perlsink *)SINK)->rest;

	api_usage(aTHX_ items != 0, "Zed::lost_places()");
	EXTEND(SP, 1);
	if (r && r->placed && !r->unsized)
		RETURN_SV(newSVpvs("0 but true"));
	RETURN_SV(newSVuv(r && r->placed ? r->unsized : 0));
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

/* TS as Zed::ts returns it, undef for TS_UNKNOWN. */
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

/*
 * The chain of EV, or the part of it that the N arguments in SP's frame name, onto perl's stack: by
 * address or by name.  Returns how many.
 */
static I32 give_stack(pTHX_ struct perlsink *ps, const char *fn, I32 ax, I32 items, bool names)
{
	const struct event *ev = api_current(aTHX_ ps, fn);
	const char *part = items == 1 ? api_string(aTHX_ ST(0), "which stack") : "";
	bool of_kernel = !strcmp(part, "kernel"), of_user = !strcmp(part, "user");
	struct chain_walk w = { .ev = ev, .no_kernel = of_user, .no_user = of_kernel };
	struct chain_frame f;
	I32 n = 0;
	dSP;

	if (items > 1 || (items == 1 && !of_kernel && !of_user))
		Perl_croak(aTHX_ "usage: Zed::%s(), Zed::%s('kernel'), Zed::%s('user')", fn, fn,
			   fn);
	SP = PL_stack_base + ax - 1;
	w.chain = of_kernel ? (struct chain){ .v = ev->chain, .n = ev->nchain } : chain_whole(ev);
	while (names ? chain_walk_next(&w, &f) :
		       chain_next(&w.chain, &w.i, &w.address, &w.kernel)) {
		if (!names && (w.kernel ? w.no_kernel : w.no_user))
			continue;
		/* PL_stack_base, which ST uses, may move. */
		SP = PL_stack_base + ax + n - 1;
		EXTEND(SP, 2);
		ST(n) = sv_2mortal(names ? chain_name(aTHX_ w.address, &f) : newSVuv(w.address));
		n++;
	}
	SP = PL_stack_base + ax - 1;
	EXTEND(SP, 1);
	if (GIMME_V == G_LIST)
		return n;
	ST(0) = sv_2mortal(newSViv(n));
	return 1;
}

XS_INTERNAL(api_stack)
{
	dXSARGS;

	XSRETURN(give_stack(aTHX_ SINK, "stack", ax, items, false));
}

XS_INTERNAL(api_stack_symbols)
{
	dXSARGS;

	XSRETURN(give_stack(aTHX_ SINK, "stack_symbols", ax, items, true));
}

/* By which mappings names are found: those of the program, and, before them, of the kernel. */
static char *put_generations(char *to, const struct event *ev)
{
	const struct machine *m = ev->type->machine;

	for (int kernel = 1; m->ops && m->ops->generation && kernel >= 0; kernel--) {
		uint64_t generation = m->ops->generation(m->arg, ev, kernel);

		to = mempcpy(to, &generation, sizeof(generation));
	}
	return to;
}

/*
 * Zed::_stack_key(), for Zed::Stacks: bytes by which a stack and its names are the same as those of
 * another event of this input; undef: there is no stack.
 */
XS_INTERNAL(api_stack_key)
{
	dXSARGS;
	const struct event *ev = api_current(aTHX_ SINK, "_stack_key");
	const struct chain chain = chain_whole(ev);
	size_t most = (size_t)chain.n * (sizeof(uint64_t) + 1) + 2 * sizeof(uint64_t) + 1;
	bool kernel = false;
	uint64_t address;
	uint32_t i = 0;
	char *to;
	SV *key;

	api_usage(aTHX_ items != 0, "Zed::_stack_key()");
	EXTEND(SP, 1);
	key = newSV(most);
	for (to = SvPVX(key); chain_next(&chain, &i, &address, &kernel); *to++ = kernel ? 'k' : 'u')
		to = mempcpy(to, &address, sizeof(address));
	if (to == SvPVX(key)) {
		SvREFCNT_dec(key);
		XSRETURN_UNDEF;
	}
	to = put_generations(to, ev);
	*to = '\0';
	SvCUR_set(key, to - SvPVX(key));
	SvPOK_only(key);
	RETURN_SV(key);
}

bool api_asks_stack(pTHX)
{
	static const char *const names[] = { "Zed::stack", "Zed::stack_symbols", "Zed::callchain" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		GV *gv = gv_fetchpv(names[i], 0, SVt_PVCV);

		/* Code that calls it refers to its glob; code that imported it, to the sub. */
		if (gv && (SvREFCNT(gv) > 1 || (GvCV(gv) && SvREFCNT(GvCV(gv)) > 1)))
			return true;
	}
	return false;
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
	/* A stable event has no common fields, but the record that it is made from does. */
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
	{ "Zed::cgroup", api_cgroup },
	{ "Zed::cpu", api_cpu },
	{ "Zed::event", api_event },
	{ "Zed::system", api_system },
	{ "Zed::name", api_name },
	{ "Zed::instance", api_instance },
	{ "Zed::source", api_source },
	{ "Zed::source_index", api_source_index },
	{ "Zed::lost", api_lost },
	{ "Zed::stack", api_stack },
	{ "Zed::stack_symbols", api_stack_symbols },
	{ "Zed::_stack_key", api_stack_key },
	{ "Zed::callchain", api_stack },
	{ "Zed::lost_since", api_lost_since },
	{ "Zed::lost_source", api_lost_source },
	{ "Zed::lost_places", api_lost_places },
	{ "Zed::pid_since", api_pid_since },
	{ "Zed::field", api_field },
	{ "Zed::fields", api_fields },
	{ "Zed::common", api_common },
	{ .name = NULL },
};
