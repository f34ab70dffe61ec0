// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * process: an event as the four strings of bytes that process_event gets from perf.
 */
#include "interp/bind/process.h"

#include "interp/common/perf_sample.h"

/* A string of LEN bytes, which *P is to fill. */
static SV *make(pTHX_ size_t len, uint8_t **p)
{
	SV *sv = newSV(len + 1);

	SvPOK_only(sv);
	SvCUR_set(sv, len);
	*p = (uint8_t *)SvPVX(sv);
	(*p)[len] = 0;
	return sv;
}

void process_fill(pTHX_ SV **slots, const struct event *ev)
{
	struct perf_numbers numbers;
	SV *fresh[PROCESS_ARGS];
	struct span raw;
	uint8_t *p;

	fresh[0] = make(aTHX_ perf_record_len(ev), &p);
	perf_record_put(ev, p);
	fresh[1] = make(aTHX_ perf_attr_len(ev), &p);
	perf_attr_put(ev, p);
	fresh[2] = make(aTHX_ PERF_NUMBERS_LEN, &p);
	perf_numbers_of(ev, &numbers);
	perf_numbers_put(&numbers, p);
	fresh[3] = perf_raw_of(ev, &raw) ? newSVpvn((const char *)raw.p, raw.len) : newSV(0);
	/* Last: a destructor of an object that a script left there may run. */
	for (unsigned i = 0; i < PROCESS_ARGS; i++) {
		SV *was = slots[i];

		slots[i] = fresh[i];
		SvREFCNT_dec(was);
	}
}
