/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace: the functions of Zed about the current trace and its machine: when it begins and ends, its
 * clock, and names of numbers.  And durations and devices in readable form.
 */
#include "interp/api/api.h"

#include "base/cpulist.h"
#include "trace/names/errnos.h"
#include "trace/names/syscalls.h"
#include "run/period.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names of numbers on one machine: looked up at the first use. */
struct numbers {
	struct sysnames calls;
	struct errnos errors;
};

struct api_numbers {
	struct numbers **v; /* by number of the input; NULL: not used yet */
	size_t cap;
	struct errnos usual; /* if there is no input */
	struct arena arena;
};

void api_trace_free(struct perlsink *ps)
{
	if (!ps->numbers)
		return;
	for (size_t i = 0; i < ps->numbers->cap; i++)
		free(ps->numbers->v[i]);
	free(ps->numbers->v);
	arena_fini(&ps->numbers->arena);
	free(ps->numbers);
	ps->numbers = NULL;
}

/*
 * The input with the number SV, or, if SV is NULL or undef, that of the current event; outside of
 * events the first.  NULL: there is no such input.
 */
static struct source *source_of(pTHX_ struct perlsink *ps, SV *sv)
{
	if (sv)
		SvGETMAGIC(sv);
	if (!sv || !SvOK(sv))
		return pump_source(ps->o.run, ps->ev ? ps->ev->from->source : 0);
	return SvIV_nomg(sv) < 0 || SvIV_nomg(sv) > INT_MAX ? NULL :
							      pump_source(ps->o.run, SvIV_nomg(sv));
}

/*
 * That of the current event if it is from S: bare pages are from the machine described by --meta.
 */
static struct machine *machine_of(const struct perlsink *ps, struct source *s)
{
	return ps->ev && ps->ev->from->source == s->num ? ps->ev->type->machine : &s->machine;
}

static struct api_numbers *all_numbers(struct perlsink *ps)
{
	if (!ps->numbers)
		ps->numbers = mem_zalloc(sizeof(*ps->numbers));
	return ps->numbers;
}

static struct numbers *numbers_of(struct perlsink *ps, struct source *s)
{
	struct api_numbers *all = all_numbers(ps);
	struct numbers *n;
	char arch[64];

	if (s->num >= all->cap)
		all->v = mem_grow_zeroed(all->v, &all->cap, (size_t)s->num + 1, sizeof(*all->v));
	if (!all->v[s->num]) {
		n = all->v[s->num] = mem_zalloc(sizeof(*n));
		sysnames_arch(machine_of(ps, s), arch, sizeof(arch));
		sysnames_load(&n->calls, arch, &all->arena);
		errnos_load(&n->errors, arch, &all->arena);
	}
	return all->v[s->num];
}

/* The architecture of most machines. */
static const struct errnos *usual_errors(struct perlsink *ps)
{
	struct api_numbers *all = all_numbers(ps);

	if (!all->usual.n)
		errnos_load(&all->usual, "", &all->arena);
	return &all->usual;
}

/* ---------------------------------------------------------------- times */

/* An input's number, or ... */
enum period_of {
	PERIOD_ALL = -1,       /* all inputs */
	PERIOD_WINDOW = -2,    /* the time for which all CPUs have data */
	PERIOD_NONE_SUCH = -3, /* an input that does not exist */
};

/* When the records of WHICH happened (period.h).  -1: it is read as it comes, or does not exist. */
static int find_period(struct pump *run, int which, struct period *p)
{
	struct err e;

	switch (which) {
	case PERIOD_NONE_SUCH:
		return -1;
	case PERIOD_ALL:
		return period_all(run, p, &e);
	case PERIOD_WINDOW:
		return period_common(run, p, NULL, &e);
	default:
		return period_source(run, which, p, &e);
	}
}

/* The same, in times as shown.  False: not known, or there is no record. */
static bool shown_period(struct perlsink *ps, int which, struct period *p)
{
	if (find_period(ps->o.run, which, p) < 0 || !period_any(p))
		return false;
	p->first -= ps->o.run->run.base;
	p->last -= ps->o.run->run.base;
	return true;
}

/* The input that SV selects by its number, undef: all. */
static int which_of(pTHX_ struct perlsink *ps, SV *sv)
{
	const struct source *s;

	SvGETMAGIC(sv);
	if (!SvOK(sv))
		return PERIOD_ALL;
	s = source_of(aTHX_ ps, sv);
	return s ? (int)s->num : PERIOD_NONE_SUCH;
}

/* One end of the period of an input, or of all, or undef. */
static SV *period_end(pTHX_ struct perlsink *ps, SV *source, bool last)
{
	struct period p;

	if (!shown_period(ps, source ? which_of(aTHX_ ps, source) : PERIOD_ALL, &p))
		return newSV(0);
	return newSVuv(last ? p.last : p.first);
}

XS_INTERNAL(api_start)
{
	dXSARGS;

	api_usage(aTHX_ items > 1, "Zed::start([SOURCE])");
	EXTEND(SP, 1);
	RETURN_SV(period_end(aTHX_ SINK, items ? ST(0) : NULL, false));
}

XS_INTERNAL(api_end)
{
	dXSARGS;

	api_usage(aTHX_ items > 1, "Zed::end([SOURCE])");
	EXTEND(SP, 1);
	RETURN_SV(period_end(aTHX_ SINK, items ? ST(0) : NULL, true));
}

XS_INTERNAL(api_window)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct period p;
	bool any;

	api_usage(aTHX_ items != 0, "Zed::window()");
	any = shown_period(ps, PERIOD_WINDOW, &p);
	EXTEND(SP, 2);
	if (GIMME_V != G_LIST) {
		if (!any)
			XSRETURN_UNDEF;
		RETURN_SV(newSVuv(p.last - p.first));
	}
	if (!any)
		XSRETURN_EMPTY;
	ST(0) = sv_2mortal(newSVuv(p.first));
	ST(1) = sv_2mortal(newSVuv(p.last));
	XSRETURN(2);
}

/* { cpu, instance, start, end } of one stream. */
static SV *new_span(pTHX_ const struct origin *from, const struct period *p, uint64_t base)
{
	HV *hv = newHV();

	(void)hv_stores(hv, "cpu", newSViv(from->cpu));
	(void)hv_stores(hv, "instance", newSVpv(from->instance, 0));
	(void)hv_stores(hv, "start", newSVuv(p->first - base));
	(void)hv_stores(hv, "end", newSVuv(p->last - base));
	return newRV_noinc((SV *)hv);
}

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

/* A time of the run; undef if it is OPEN. */
static void store_time(pTHX_ HV *hv, const char *key, uint64_t ts, uint64_t open, uint64_t base)
{
	if (ts != open)
		(void)hv_store(hv, key, (I32)strlen(key), newSVuv(ts > base ? ts - base : 0), 0);
}

/*
 * Zed::asked(): { start, end, cpus, pids, comms, part, last, all_start, all_end, head, tail, every,
 * stopped, first, seen, starves }.
 */
XS_INTERNAL(api_asked)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct asked a = ps->o.asked;
	const struct pump_stats *st = &ps->o.run->stats;
	uint64_t base = ps->o.run->run.base;
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
	(void)hv_stores(hv, "part", newSViv(a.part));
	(void)hv_stores(hv, "last", newSViv(a.last));
	(void)hv_stores(hv, "head", newSViv(a.head));
	if (a.tail)
		store_time(aTHX_ hv, "tail", ps->o.tail_begin(ps->o.arg), UINT64_MAX, base);
	(void)hv_stores(hv, "every", newSViv(ps->o.every != 0));
	(void)hv_stores(hv, "stopped", newSViv(ps->end == RUN_STOPPED));
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
	const struct perlsink_opts *o = &SINK->o;

	api_usage(aTHX_ items != 1, "Zed::_comm_asked(NAME)");
	ST(0) = boolSV(o->reduces || !o->asked.filter ||
		       filter_takes_comm(o->asked.filter, SvPV_nolen(ST(0))));
	XSRETURN(1);
}

XS_INTERNAL(api_spans)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct period *v = NULL;
	const struct source *s;
	unsigned given = 0;
	struct err e;

	api_usage(aTHX_ items > 1, "Zed::spans([SOURCE])");
	s = source_of(aTHX_ ps, items ? ST(0) : NULL);
	if (!s || period_streams(ps->o.run, s->num, &v, &e) < 0)
		XSRETURN_EMPTY;
	EXTEND(SP, (SSize_t)s->nstreams);
	for (unsigned i = 0; i < s->nstreams; i++)
		if (period_any(&v[i]))
			ST(given++) = sv_2mortal(
				new_span(aTHX_ s->streams[i]->from, &v[i], ps->o.run->run.base));
	XSRETURN(given);
}

/* ---------------------------------------------------------------- where */

XS_INTERNAL(api_clock)
{
	dXSARGS;
	struct source *s;

	api_usage(aTHX_ items > 1, "Zed::clock([SOURCE])");
	s = source_of(aTHX_ SINK, items ? ST(0) : NULL);
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
		struct source *s = source_of(aTHX_ SINK, ST(0));

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

XS_INTERNAL(api_uname)
{
	dXSARGS;
	struct source *s;
	const char *text;
	size_t len = 0;

	api_usage(aTHX_ items > 1, "Zed::uname([SOURCE])");
	s = source_of(aTHX_ SINK, items ? ST(0) : NULL);
	text = s ? machine_raw(machine_of(SINK, s), TEXT_UNAME, &len) : NULL;
	EXTEND(SP, 1);
	if (!len)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpvn(text, memchr(text, '\n', len) ?
					 (size_t)((const char *)memchr(text, '\n', len) - text) :
					 strnlen(text, len)));
}

/*
 * _lacks(SOURCE): the CPUs whose first or last records are not in the trace, according to its
 * statistics.
 */
XS_INTERNAL(api_lacks)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct source *s;
	unsigned given = 0;
	uint64_t *v;
	struct err e;

	api_usage(aTHX_ items != 1, "Zed::_lacks(SOURCE)");
	s = source_of(aTHX_ ps, ST(0));
	if (!s)
		XSRETURN_EMPTY;
	v = mem_alloc((s->nstreams + 1) * sizeof(*v));
	EXTEND(SP, (SSize_t)s->nstreams);
	if (period_lacks(ps->o.run, s->num, v, &e) == 0)
		for (unsigned i = 0; i < s->nstreams; i++)
			if (v[i])
				ST(given++) = sv_2mortal(newSViv(s->streams[i]->from->cpu));
	free(v);
	XSRETURN(given);
}

/* _recorded(SOURCE): "all" or "chosen": the tasks whose events were recorded; undef: not known. */
XS_INTERNAL(api_recorded)
{
	dXSARGS;
	static const char *const words[] = { [RECORDED_ALL] = "all", [RECORDED_CHOSEN] = "chosen" };
	struct source *s;

	api_usage(aTHX_ items != 1, "Zed::_recorded(SOURCE)");
	s = source_of(aTHX_ SINK, ST(0));
	if (!s || !words[s->tasks])
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(words[s->tasks], 0));
}

XS_INTERNAL(api_ncpus)
{
	dXSARGS;
	struct source *s;
	unsigned n, i;

	api_usage(aTHX_ items > 1, "Zed::ncpus([SOURCE])");
	s = source_of(aTHX_ SINK, items ? ST(0) : NULL);
	EXTEND(SP, 1);
	if (!s)
		XSRETURN_UNDEF;
	n = s->cpu_count;
	/* not stated: the least that there must be. */
	for (i = 0; !s->cpu_count && i < s->nstreams; i++)
		if (s->streams[i]->from->cpu >= (int)n)
			n = s->streams[i]->from->cpu + 1;
	RETURN_SV(newSVuv(n));
}

/*
 * A packed trace may name far more tasks than a kernel has that wrote as many bytes: each real task
 * has several events.
 */
#define TASK_BYTES 16
#define TASKS_LEAST 65536

/* _may_have(N, SOURCE): may it have N tasks and renames?  If not, a notice says so. */
XS_INTERNAL(api_may_have)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct source *s;
	UV n;

	api_usage(aTHX_ items != 2, "Zed::_may_have(N, SOURCE)");
	n = SvUV(ST(0));
	s = source_of(aTHX_ ps, ST(1));
	if (!s || !s->compression || !strcmp(s->compression, "none") || n <= TASKS_LEAST ||
	    n <= s->in.size / TASK_BYTES)
		XSRETURN_YES;
	note_say(ps->o.notes, NOTE_DAMAGE,
		 "%s: names more than %u tasks, and more than one for each %u of its bytes: the "
		 "others are left out",
		 s->in.path, TASKS_LEAST, TASK_BYTES);
	XSRETURN_NO;
}

/* ---------------------------------------------------------------- numbers */

/* The magnitude of an integer that may be negative, as results of system calls are. */
static UV magnitude(pTHX_ SV *sv)
{
	IV v;

	SvGETMAGIC(sv);
	v = SvIV_nomg(sv);
	return SvIsUV(sv) ? SvUV_nomg(sv) : v < 0 ? 0 - (UV)v : (UV)v;
}

XS_INTERNAL(api_errno_name)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *name;
	struct source *s;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::errno_name(NUMBER [, SOURCE])");
	s = source_of(aTHX_ ps, items == 2 ? ST(1) : NULL);
	name = errnos_of(s ? &numbers_of(ps, s)->errors : usual_errors(ps), magnitude(aTHX_ ST(0)));
	if (!name)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(name, 0));
}

XS_INTERNAL(api_syscall_name)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const char *name = NULL;
	struct source *s;

	api_usage(aTHX_ items != 1 && items != 2, "Zed::syscall_name(NUMBER [, SOURCE])");
	s = source_of(aTHX_ ps, items == 2 ? ST(1) : NULL);
	SvGETMAGIC(ST(0));
	if (s)
		name = sysnames_of(&numbers_of(ps, s)->calls, SvUV_nomg(ST(0)));
	if (!name)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpv(name, 0));
}

/* The kernel's own dev_t: 12 bits of major, 20 of minor (include/linux/kdev_t.h). */
#define DEV_MINOR_BITS 20

XS_INTERNAL(api_dev)
{
	dXSARGS;
	UV dev;

	api_usage(aTHX_ items != 1, "Zed::dev(NUMBER)");
	SvGETMAGIC(ST(0));
	if (!SvOK(ST(0)))
		XSRETURN_UNDEF;
	dev = SvUV_nomg(ST(0));
	RETURN_SV(newSVpvf("%" UVuf ":%" UVuf, dev >> DEV_MINOR_BITS,
			   dev & ((1u << DEV_MINOR_BITS) - 1)));
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

const struct api_sub API_TRACE[] = {
	{ "Zed::start", api_start },
	{ "Zed::end", api_end },
	{ "Zed::window", api_window },
	{ "Zed::asked", api_asked },
	{ "Zed::_comm_asked", api_comm_asked },
	{ "Zed::_cuts", api_cuts },
	{ "Zed::_follows", api_follows },
	{ "Zed::spans", api_spans },
	{ "Zed::clock", api_clock },
	{ "Zed::uname", api_uname },
	{ "Zed::ncpus", api_ncpus },
	{ "Zed::_lacks", api_lacks },
	{ "Zed::_recorded", api_recorded },
	{ "Zed::_may_have", api_may_have },
	{ "Zed::errno_name", api_errno_name },
	{ "Zed::syscall_name", api_syscall_name },
	{ "Zed::dev", api_dev },
	{ "Zed::_counts_ns", api_counts_ns },
	{ "Zed::_in_ticks", api_in_ticks },
	{ "Zed::duration", api_duration },
	{ "Zed::_duration_ns", api_duration_ns },
	{ .name = NULL },
};
