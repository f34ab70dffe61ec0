/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses: what is known of losses before their place is reached, or that they have none, for the
 * answer to a time that ends before; and what of a recording is not in its file.
 */
#include "interp/api/api.h"

#include "base/mem.h"
#include "run/period.h"

#include <stdlib.h>

/* [source, instance, cpu, count, from, to] of a loss on CPU of a stream FROM. */
static SV *loss_of(pTHX_ const struct origin *from, int cpu, const struct period_loss *l,
		   uint64_t base)
{
	AV *av = newAV();

	av_push(av, newSVuv(from->source));
	av_push(av, newSVpv(from->instance, 0));
	av_push(av, newSViv(cpu));
	av_push(av, l->lost == LOST_UNKNOWN ? newSV(0) : newSVuv(l->lost));
	av_push(av, l->from == TS_UNKNOWN ? newSV(0) : newSVuv(l->from - base));
	av_push(av, newSVuv(l->to - base));
	return sv_2mortal(newRV_noinc((SV *)av));
}

/*
 * Zed::_losses_ahead(TS): of each CPU the loss that ends next after TS, which is now, [source,
 * instance, cpu, count, from, to], with undef for what is not known.  A stream of several CPUs has
 * the next event of only one of them: those that were read a second time show the others'.
 */
XS_INTERNAL(api_losses_ahead)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	struct pump *run = ps->o.run;
	uint64_t base = run->run.base, ts;
	const struct event *ev;
	const struct period_loss *l;
	unsigned given = 0;

	api_usage(aTHX_ items != 1, "Zed::_losses_ahead(TS)");
	ts = SvUV(ST(0)) + base;
	for (unsigned i = 0; run->merge && (ev = merge_ahead(run->merge, i)); i++) {
		if (!ev->lost)
			continue;
		EXTEND(SP, (SSize_t)given + 1);
		ST(given++) = loss_of(aTHX_ ev->from, ev->cpu,
				      &(struct period_loss){ ev->lost, ev->lost_since, ev->ts },
				      base);
	}
	for (unsigned i = 0; i < run->nsources; i++)
		for (unsigned k = 0; k < run->sources[i]->nstreams; k++) {
			const struct stream *s = run->sources[i]->streams[k];

			l = s->unread ? NULL : period_next_loss(run, i, k, ts);
			if (!l)
				continue;
			EXTEND(SP, (SSize_t)given + 1);
			ST(given++) = loss_of(aTHX_ s->from, s->from->cpu, l, base);
		}
	XSRETURN(given);
}

/* Zed::_lost_untimed(): of the whole trace, events lost at unknown times; undef: not known yet. */
XS_INTERNAL(api_lost_untimed)
{
	dXSARGS;
	struct err e;
	uint64_t n;

	api_usage(aTHX_ items != 0, "Zed::_lost_untimed()");
	EXTEND(SP, 1);
	if (period_untimed(SINK->o.run, &n, &e) < 0)
		XSRETURN_UNDEF;
	RETURN_SV(newSVuv(n));
}

/*
 * _lacks(SOURCE): the CPUs whose first or last records are not in the trace, according to
 * its statistics, or as the file is cut off.
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
	s = api_source_of(aTHX_ ps, ST(0));
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

/* _missing_cpus(SOURCE): the CPUs of which a file that is cut off has no record. */
XS_INTERNAL(api_missing_cpus)
{
	dXSARGS;
	const struct source *s;
	unsigned given = 0;

	api_usage(aTHX_ items != 1, "Zed::_missing_cpus(SOURCE)");
	s = api_source_of(aTHX_ SINK, ST(0));
	if (!s)
		XSRETURN_EMPTY;
	EXTEND(SP, (SSize_t)s->missing.ncpus);
	for (unsigned cpu = 0; cpu < s->missing.ncpus; cpu++)
		if (s->missing.cpus[cpu])
			ST(given++) = sv_2mortal(newSVuv(cpu));
	XSRETURN(given);
}

/* _damage(): how many pieces of the inputs were damaged, or missing, up to here. */
XS_INTERNAL(api_damage)
{
	dXSARGS;
	const struct perlsink *ps = SINK;

	api_usage(aTHX_ items != 0, "Zed::_damage()");
	EXTEND(SP, 1);
	RETURN_SV(newSVuv(ps->o.notes->damage));
}

const struct api_sub API_LOSSES[] = {
	{ "Zed::_losses_ahead", api_losses_ahead },
	{ "Zed::_lost_untimed", api_lost_untimed },
	{ "Zed::_lacks", api_lacks },
	{ "Zed::_missing_cpus", api_missing_cpus },
	{ "Zed::_damage", api_damage },
	{ .name = NULL },
};
