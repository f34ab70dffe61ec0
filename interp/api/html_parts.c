/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * html_parts: the functions of Zed for pages (--html): the parts they are made of, which are
 * embedded, and Zed::timeline with its object.
 */
#include "interp/api/html_parts.h"

#include "analysis/timeline/packing.h"
#include "interp/api/api.h"
#include "run/period.h"

#include <stdlib.h>
#include <string.h>

#define CLASS "Zed::Timeline"

XS_INTERNAL(api_page_part)
{
	dXSARGS;
	const struct page_part *p = page_parts;
	const char *name;

	api_usage(aTHX_ items != 1, "Zed::page_part(NAME)");
	name = api_string(aTHX_ ST(0), "NAME is a string");
	while (p->name && strcmp(p->name, name) != 0)
		p++;
	if (!p->name)
		XSRETURN_UNDEF;
	RETURN_SV(newSVpvn(p->text, p->len));
}

static const struct filter *filter_of(const void *arg)
{
	return ((const struct perlsink *)arg)->o.asked.filter;
}

static bool takes_cpu(const void *arg, int cpu)
{
	return filter_takes_cpu(filter_of(arg), cpu);
}

static bool takes_pid(const struct filter *filter, int32_t pid)
{
	bool any = false;
	int32_t one;

	for (size_t i = 0; filter_pid(filter, i, &one); i++) {
		if (one == pid)
			return true;
		any = true;
	}
	return !any;
}

/* By the cgroup that it has now; of several inputs the first one says it. */
static bool is_inside(const struct perlsink *ps, int32_t pid)
{
	struct source *first = pump_source(ps->o.run, 0);
	struct machine *m = first ? &first->machine : NULL;

	return !m || filter_takes_cgroup(ps->o.asked.filter, m, m->comms->now, pid);
}

static bool takes_task(const void *arg, int32_t pid, const char *comm)
{
	const struct filter *filter = filter_of(arg);

	return takes_pid(filter, pid) && filter_takes_comm(filter, comm) && is_inside(arg, pid);
}

static bool chooses_tasks(const struct filter *filter)
{
	int32_t pid;

	return filter_pid(filter, 0, &pid) || filter_has_comms(filter) ||
	       filter_has_cgroups(filter);
}

/* The part of the trace that is asked for, if it is limited.  False: all. */
static bool asked_part(const struct perlsink *ps, struct timeline_part *part)
{
	const struct asked a = ps->o.asked;
	struct period all;
	struct err e;

	*part = (struct timeline_part){ .from = a.start, .to = a.end, .arg = ps };
	if (a.filter && filter_has_cpus(a.filter))
		part->takes_cpu = takes_cpu;
	if (a.filter && chooses_tasks(a.filter))
		part->takes_task = takes_task;
	if (!a.start && a.end == UINT64_MAX)
		return part->takes_cpu || part->takes_task;
	if (period_all(ps->o.run, &all, &e) == 0) {
		part->from = all.first > a.start ? all.first : a.start;
		part->to = all.last < a.end ? all.last : a.end;
		part->to_end = true;
	}
	return true;
}

XS_INTERNAL(api_timeline)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct timeline_part part;
	SV *object;

	api_usage(aTHX_ items != 0, "Zed::timeline()");
	if (ps->phase > PHASE_BEGIN)
		Perl_croak(aTHX_ "Zed::timeline: the first event has already come: call it in the "
				 "main program or in trace_begin");
	if (!ps->timeline) {
		ps->timeline_follows = asked_part(ps, &part);
		ps->timeline = timeline_new(ps->o.run->catalog, ps->o.stable, ps->o.notes, &part);
	}
	object = newSV(0);
	sv_setref_pv(object, CLASS, ps);
	RETURN_SV(object);
}

static uint64_t time_of(pTHX_ const struct perlsink *ps, SV *sv)
{
	return (uint64_t)SvUV(sv) + ps->args.base;
}

XS_INTERNAL(api_keep)
{
	dXSARGS;
	struct perlsink *ps = SINK;

	api_usage(aTHX_ items != 4, "$timeline->keep(FROM, TO, WEIGHT)");
	timeline_keep(ps->timeline, time_of(aTHX_ ps, ST(1)), time_of(aTHX_ ps, ST(2)),
		      (uint64_t)SvUV(ST(3)));
	XSRETURN_EMPTY;
}

/* ---- the result ---- */

struct page_answer {
	struct timeline *timeline;
	struct catalog *catalog;
	struct timeline_answer a;
	struct timeline_pack pack;
};

static void drop_answer(pTHX_ void *arg)
{
	struct page_answer *p = arg;

	PERL_UNUSED_CONTEXT;
	timeline_answer_fini(&p->a);
	timeline_pack_fini(&p->pack);
	free(p);
}

static void push_task(pTHX_ AV *av, const struct tl_task *task)
{
	AV *pair = newAV();

	av_push(pair, newSVpvn(task->comm, strnlen(task->comm, sizeof(task->comm))));
	av_push(pair, newSViv(task->pid));
	av_push(av, newRV_noinc((SV *)pair));
}

static AV *people_av(pTHX_ const struct page_answer *p)
{
	AV *av = newAV();

	for (size_t i = 0; i < p->pack.people.n; i++)
		push_task(aTHX_ av, timeline_task(p->timeline, p->pack.people.v[i]));
	return av;
}

static AV *types_av(pTHX_ const struct page_answer *p)
{
	AV *av = newAV();

	for (size_t i = 0; i < p->pack.types.n; i++) {
		const struct etype *t = catalog_at(p->catalog, p->pack.types.v[i]);

		av_push(av, newSVpvf("%s:%s", t->system, t->name));
	}
	return av;
}

static AV *ranges_av(pTHX_ const struct page_answer *p)
{
	AV *av = newAV();

	for (size_t i = 0; i < p->a.marks.nranges; i++) {
		const struct marks_range *r = &p->a.marks.ranges[i];
		AV *range = newAV();

		av_push(range, newSVuv((UV)(r->from - p->a.start)));
		av_push(range, newSVuv((UV)(r->to - p->a.start)));
		av_push(range, newSVuv((UV)r->n));
		av_push(av, newRV_noinc((SV *)range));
	}
	return av;
}

/* [CPU, SOURCE] and [NAME, PID, RUN]. */
static AV *lanes_av(pTHX_ const struct page_answer *p, unsigned first, unsigned n)
{
	AV *av = newAV();

	for (const struct timeline_lane *l = &p->a.lanes[first]; n--; l++) {
		AV *lane = newAV();

		if (l->is_task) {
			const struct tl_task *task = timeline_task(p->timeline, l->task);

			av_push(lane,
				newSVpvn(task->comm, strnlen(task->comm, sizeof(task->comm))));
			av_push(lane, newSViv(task->pid));
			av_push(lane, newSVuv((UV)l->run));
		} else {
			av_push(lane, newSViv(l->cpu));
		}
		av_push(lane, newSVuv(l->source));
		av_push(av, newRV_noinc((SV *)lane));
	}
	return av;
}

static void put(pTHX_ HV *hv, const char *name, SV *sv)
{
	(void)hv_store(hv, name, (I32)strlen(name), sv, 0);
}

static HV *answer_hv(pTHX_ const struct page_answer *p, uint64_t base)
{
	const struct timeline_answer *a = &p->a;
	HV *hv = newHV();

	put(aTHX_ hv, "start", newSVuv((UV)(a->start - base)));
	put(aTHX_ hv, "end", newSVuv((UV)(a->end - base)));
	put(aTHX_ hv, "cpus", newRV_noinc((SV *)lanes_av(aTHX_ p, 0, a->ncpus)));
	put(aTHX_ hv, "tasks", newRV_noinc((SV *)lanes_av(aTHX_ p, a->ncpus, a->ntasks)));
	put(aTHX_ hv, "cpu_width", newSVuv((UV)a->cpu_width));
	put(aTHX_ hv, "task_width", newSVuv((UV)a->task_width));
	put(aTHX_ hv, "cpu_cells",
	    newSVpvn((const char *)a->cpus, (STRLEN)a->cpu_cells * a->ncpus * 4));
	put(aTHX_ hv, "task_cells",
	    newSVpvn((const char *)a->tasks, (STRLEN)a->task_cells * a->ntasks * 4));
	put(aTHX_ hv, "marks",
	    newSVpvn(p->pack.marks.len ? p->pack.marks.p : "", p->pack.marks.len));
	put(aTHX_ hv, "nmarks", newSVuv((UV)a->marks.n));
	put(aTHX_ hv, "ranges", newRV_noinc((SV *)ranges_av(aTHX_ p)));
	put(aTHX_ hv, "has_switches", newSViv(a->has_switches));
	put(aTHX_ hv, "left", newSVuv((UV)a->left));
	return hv;
}

/* CPUs of S whose last records are not in the trace: what they did then is unknown. */
static void cut_source(const struct perlsink *ps, const struct source *s)
{
	const struct period *ends;
	uint64_t *lacks;
	struct err e;

	if (s->tasks == RECORDED_CHOSEN)
		timeline_chosen(ps->timeline, s->num);
	lacks = mem_zalloc((s->nstreams + 1) * sizeof(*lacks));
	if (period_lacks(ps->o.run, s->num, lacks, &e) == 0 &&
	    period_streams(ps->o.run, s->num, &ends, &e) == 0)
		for (unsigned i = 0; i < s->nstreams; i++)
			if (lacks[i])
				timeline_cut(ps->timeline, s->num, s->streams[i]->from->cpu,
					     ends[i].last);
	free(lacks);
}

XS_INTERNAL(api_answer)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct page_answer *p;
	SV *answer;
	UV marks, halvings;
	HV *hv;

	api_usage(aTHX_ items != 3, "$timeline->answer(EVENTS, HALVINGS)");
	marks = SvUV(ST(1));
	halvings = SvUV(ST(2));
	for (unsigned i = 0; i < ps->o.run->nsources; i++)
		cut_source(ps, ps->o.run->sources[i]);
	ENTER;
	p = mem_zalloc(sizeof(*p));
	p->timeline = ps->timeline;
	p->catalog = ps->o.run->catalog;
	SAVEDESTRUCTOR_X(drop_answer, p);
	if (!timeline_ask(p->timeline, marks, halvings < 16 ? (unsigned)halvings : 16, &p->a)) {
		LEAVE;
		XSRETURN_UNDEF;
	}
	timeline_pack_init(&p->pack, &p->a, catalog_count(p->catalog));
	hv = answer_hv(aTHX_ p, ps->args.base);
	put(aTHX_ hv, "people", newRV_noinc((SV *)people_av(aTHX_ p)));
	put(aTHX_ hv, "types", newRV_noinc((SV *)types_av(aTHX_ p)));
	answer = newRV_noinc((SV *)hv);
	LEAVE;
	RETURN_SV(answer);
}

const struct api_sub API_PAGE[] = {
	{ "Zed::page_part", api_page_part },
	{ "Zed::timeline", api_timeline },
	{ CLASS "::keep", api_keep },
	{ CLASS "::answer", api_answer },
	{ .name = NULL },
};
