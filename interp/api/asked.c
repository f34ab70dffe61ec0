/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asked: the user's choice of events, for an answer to a part of a trace: times, CPUs, tasks.
 */
#include "interp/api/api.h"

#include "base/cpulist.h"

#include <stdio.h>
#include <string.h>

/* The set of CPUs that are asked for, or undef: all. */
static SV *asked_cpus(pTHX_ struct perlsink *ps, const struct asked *a)
{
	HV *hv;
	char key[16];
	int cpu;

	if (!filter_has_cpus(a->filter))
		return newSV(0);
	hv = newHV();
	for (cpu = 0; cpu < CPULIST_MAX; cpu++)
		if (filter_takes_cpu(a->filter, cpu))
			(void)hv_store(hv, key, snprintf(key, sizeof(key), "%d", cpu), newSViv(1),
				       0);
	return newRV_noinc((SV *)hv);
}

static SV *asked_pids(pTHX_ const struct asked *a)
{
	HV *hv;
	char key[16];
	int32_t pid;

	if (!filter_pid(a->filter, 0, &pid))
		return newSV(0);
	hv = newHV();
	for (size_t i = 0; filter_pid(a->filter, i, &pid); i++)
		(void)hv_store(hv, key, snprintf(key, sizeof(key), "%d", pid), newSViv(1), 0);
	return newRV_noinc((SV *)hv);
}

static SV *asked_comms(pTHX_ const struct asked *a)
{
	const char *comm;
	AV *av;

	if (!filter_has_comms(a->filter))
		return newSV(0);
	av = newAV();
	for (size_t i = 0; (comm = filter_comm(a->filter, i)); i++)
		av_push(av, newSVpv(comm, 0));
	return newRV_noinc((SV *)av);
}

static SV *asked_cgroups(pTHX_ const struct asked *a)
{
	const char *path;
	AV *av;

	if (!filter_has_cgroups(a->filter))
		return newSV(0);
	av = newAV();
	for (size_t i = 0; (path = filter_cgroup_at(a->filter, i)); i++)
		av_push(av, newSVpv(path, 0));
	return newRV_noinc((SV *)av);
}

/* A time of the run; undef if it is OPEN. */
static void store_time(pTHX_ HV *hv, const char *key, uint64_t ts, uint64_t open, uint64_t base)
{
	if (ts != open)
		(void)hv_store(hv, key, (I32)strlen(key), newSVuv(ts > base ? ts - base : 0), 0);
}

/* Why the inputs were not read to their ends; NULL: they were, or --head or the script ended it. */
static const char *cut_word(const struct perlsink *ps)
{
	if (ps->end == RUN_FAILED)
		return "failed";
	if (ps->end != RUN_STOPPED)
		return NULL;
	return ps->signal ? "interrupted" : ps->died ? "died" : NULL;
}

/* The time up to which they were read; of --tail nothing is given before the end. */
static uint64_t read_until(const struct perlsink *ps)
{
	const struct pump *run = ps->o.run;

	if (!run->merge || (ps->o.asked.tail && ps->o.tail_begin(ps->o.arg) == UINT64_MAX))
		return UINT64_MAX;
	return merge_last(run->merge);
}

/*
 * Zed::asked(): { start, end, cpus, pids, comms, cgroups, part, last, all_start, all_end, head,
 * tail, every, stopped, cut, read, first, seen, starves }.
 */
XS_INTERNAL(api_asked)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct asked a = ps->o.asked;
	const struct pump_stats *st = &ps->o.run->stats;
	uint64_t base = ps->o.run->run.base;
	const char *cut = cut_word(ps);
	HV *hv;

	api_usage(aTHX_ items != 0, "Zed::asked()");
	hv = newHV();
	ST(0) = sv_2mortal(newRV_noinc((SV *)hv));
	if (ps->o.reduces)
		XSRETURN(1);
	store_time(aTHX_ hv, "start", a.start, 0, base);
	store_time(aTHX_ hv, "end", a.end, UINT64_MAX, base);
	store_time(aTHX_ hv, "all_start", a.all_start, 0, base);
	store_time(aTHX_ hv, "all_end", a.all_end, UINT64_MAX, base);
	(void)hv_stores(hv, "cpus", asked_cpus(aTHX_ ps, &a));
	(void)hv_stores(hv, "pids", asked_pids(aTHX_ & a));
	(void)hv_stores(hv, "comms", asked_comms(aTHX_ & a));
	(void)hv_stores(hv, "cgroups", asked_cgroups(aTHX_ & a));
	(void)hv_stores(hv, "part", newSViv(a.part));
	(void)hv_stores(hv, "last", newSViv(a.last));
	(void)hv_stores(hv, "head", newSViv(a.head));
	/* Not known before the last event. */
	if (a.tail) {
		(void)hv_stores(hv, "tail", newSV(0));
		store_time(aTHX_ hv, "tail", ps->o.tail_begin(ps->o.arg), UINT64_MAX, base);
	}
	(void)hv_stores(hv, "every", newSViv(ps->o.every != 0));
	(void)hv_stores(hv, "stopped", newSViv(ps->end == RUN_STOPPED));
	if (cut) {
		(void)hv_stores(hv, "cut", newSVpv(cut, 0));
		store_time(aTHX_ hv, "read", read_until(ps), UINT64_MAX, base);
	}
	if (st->first_ts != UINT64_MAX) {
		(void)hv_stores(hv, "first",
				newSVuv(st->first_ts > base ? st->first_ts - base : 0));
		(void)hv_stores(hv, "seen", newSVuv(st->last_ts > base ? st->last_ts - base : 0));
	}
	(void)hv_stores(hv, "starves", a.starves ? newSVpv(a.starves, 0) : newSV(0));
	XSRETURN(1);
}

/* Zed::Asked is loaded: trace_lost also gets losses outside of the chosen time. */
XS_INTERNAL(api_cuts)
{
	dXSARGS;

	api_usage(aTHX_ items != 0, "Zed::_cuts()");
	SINK->o.losses_beyond = true;
	XSRETURN_EMPTY;
}

/* _says_cut(): the answer says that it is of the part that was read. */
XS_INTERNAL(api_says_cut)
{
	dXSARGS;

	api_usage(aTHX_ items != 0, "Zed::_says_cut()");
	SINK->says_cut = true;
	XSRETURN_EMPTY;
}

/* Synthetic events are counted in an answer, those that are given or not. */
XS_INTERNAL(api_follows)
{
	dXSARGS;

	api_usage(aTHX_ items != 0, "Zed::_follows()");
	SINK->o.follows = true;
	XSRETURN_EMPTY;
}

/* Are tasks with that name asked for? */
XS_INTERNAL(api_comm_asked)
{
	dXSARGS;
	const struct host_opts *o = &SINK->o;

	api_usage(aTHX_ items != 1, "Zed::_comm_asked(NAME)");
	ST(0) = boolSV(o->reduces || !o->asked.filter ||
		       filter_takes_comm(o->asked.filter, SvPV_nolen(ST(0))));
	XSRETURN(1);
}

/* _cgroup_asked(PID [, SOURCE]): is it, now, in a cgroup that is asked for? */
XS_INTERNAL(api_cgroup_asked)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct machine *m;
	uint64_t now;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::_cgroup_asked(PID [, SOURCE])");
	m = api_machine_with_tasks(aTHX_ ps, items == 2 ? ST(1) : NULL);
	now = ps->ev ? ps->ev->ts : m ? m->comms->now : 0;
	ST(0) = boolSV(ps->o.reduces || !ps->o.asked.filter || !m ||
		       filter_takes_cgroup(ps->o.asked.filter, m, now, SvIV(ST(0))));
	XSRETURN(1);
}

const struct api_sub API_ASKED[] = {
	{ "Zed::asked", api_asked },
	{ "Zed::_comm_asked", api_comm_asked },
	{ "Zed::_cgroup_asked", api_cgroup_asked },
	{ "Zed::_cuts", api_cuts },
	{ "Zed::_says_cut", api_says_cut },
	{ "Zed::_follows", api_follows },
	{ .name = NULL },
};
