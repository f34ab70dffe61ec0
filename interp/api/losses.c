/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * losses: what is known of losses before their place is reached, or that they have none: for the
 * answer to a time that ends before.
 */
#include "interp/api/api.h"

#include "run/period.h"

/*
 * Zed::_losses_ahead(): of each stream the loss before its next event, [source, instance, cpu,
 * count, from, to], with undef for what is not known.
 */
XS_INTERNAL(api_losses_ahead)
{
	dXSARGS;
	struct perlsink *ps = SINK;
	const struct merge *m = ps->o.run->merge;
	const struct event *ev;
	uint64_t base = ps->o.run->run.base;
	unsigned given = 0;

	api_usage(aTHX_ items != 0, "Zed::_losses_ahead()");
	for (unsigned i = 0; m && (ev = merge_ahead(m, i)); i++) {
		SV *loss[6];

		if (!ev->lost)
			continue;
		loss[0] = newSVuv(ev->from->source);
		loss[1] = newSVpv(ev->from->instance, 0);
		loss[2] = newSViv(ev->cpu);
		loss[3] = ev->lost == LOST_UNKNOWN ? newSV(0) : newSVuv(ev->lost);
		loss[4] = ev->lost_since == TS_UNKNOWN ? newSV(0) : newSVuv(ev->lost_since - base);
		loss[5] = newSVuv(ev->ts - base);
		EXTEND(SP, (SSize_t)given + 1);
		ST(given++) = sv_2mortal(newRV_noinc((SV *)av_make(6, loss)));
		for (unsigned k = 0; k < 6; k++)
			SvREFCNT_dec(loss[k]);
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

const struct api_sub API_LOSSES[] = {
	{ "Zed::_losses_ahead", api_losses_ahead },
	{ "Zed::_lost_untimed", api_lost_untimed },
	{ .name = NULL },
};
