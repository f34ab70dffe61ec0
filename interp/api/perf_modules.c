/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_modules: the modules that perf's scripts load.  They are built in, and compiled when a
 * script requires one, which also says that its handlers take perf's arguments.
 */
#include "interp/api/api.h"
#include "interp/zed_pm.h"
#include "trace/field.h"

#include <string.h>

static const struct {
	const char *file, *text;
} modules[] = {
	{ "Perf/Trace/Core.pm", embed_Core_pm },
	{ "Perf/Trace/Context.pm", embed_Context_pm },
	{ "Perf/Trace/Util.pm", embed_Util_pm },
};

/* From now on subs get perf's arguments, unless the user has chosen a convention. */
static void choose_perf(struct perlsink *ps)
{
	if (ps->bind.convention != CONVENTION_OPEN)
		return;
	if (ps->phase < PHASE_EVENTS)
		ps->bind.convention = CONVENTION_PERF;
	else
		note_say(ps->o.notes, NOTE_WARN,
			 "a module of perf was loaded after the first event: the handlers keep "
			 "zedperl's arguments; load it earlier, or use --perf");
}

void api_perf_required(struct interp *in, const char *name)
{
	struct perlsink *ps = in->boot_arg;
	dTHXa(in->perl);
	HV *inc = get_hv("INC", GV_ADD);
	unsigned i;

	for (i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (!strcmp(name, modules[i].file))
			break;
	if (i == sizeof(modules) / sizeof(modules[0]))
		return;
	choose_perf(ps);
	if (hv_exists(inc, name, strlen(name)))
		return;
	(void)hv_store(inc, name, strlen(name), newSVpv(name, 0), 0);
	eval_sv(sv_2mortal(newSVpvf("# line 1 \"%s\"\n%s", name, modules[i].text)),
		G_VOID | G_DISCARD | G_RETHROW);
}

void api_perf_boot(pTHX)
{
	HV *env = get_hv("ENV", GV_ADD);

	/* In the hash only: the environment of this process and its children does not change. */
	if (!hv_exists(env, "PERF_EXEC_PATH", 14))
		hv_stores(env, "PERF_EXEC_PATH", newSVpvs(""));
}

/* The common field NAME of the current event, 0 if it has none, or outside of events. */
static IV common_field(const struct perlsink *ps, const char *name)
{
	const struct field *f;

	if (!ps->ev)
		return 0;
	f = field_find_in(ps->ev->type->fields, ps->ev->type->ncommon, name);
	return f ? (IV)field_scalar(f, ps->ev) : 0;
}

/* Their argument, $context, has no information. */
XS_INTERNAL(perf_common_pc)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(common_field(SINK, "common_preempt_count")));
}

XS_INTERNAL(perf_common_flags)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(common_field(SINK, "common_flags")));
}

/* Kernels before 2.6.39 had it. */
XS_INTERNAL(perf_common_lock_depth)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	EXTEND(SP, 1);
	RETURN_SV(newSViv(common_field(SINK, "common_lock_depth")));
}

const struct api_sub API_PERF[] = {
	{ "Perf::Trace::Context::common_pc", perf_common_pc },
	{ "Perf::Trace::Context::common_flags", perf_common_flags },
	{ "Perf::Trace::Context::common_lock_depth", perf_common_lock_depth },
	{ .name = NULL },
};
