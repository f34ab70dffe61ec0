/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_chain: the call chain of an event as Perl values, for scripts written for perf.
 */
#include "interp/bind/call_chain.h"

#include <string.h>

static void put_symbol(pTHX_ HV *frame, const struct chain_frame *f)
{
	HV *sym = newHV();

	hv_stores(sym, "name", newSVpv(f->name, 0));
	hv_stores(sym, "start", newSVuv(f->start));
	hv_stores(sym, "end", newSVuv(f->end));
	hv_stores(frame, "sym", newRV_noinc((SV *)sym));
}

/* The file mapped there; for the kernel's own code perf's name. */
static void put_file(pTHX_ HV *frame, const struct chain_frame *f, bool kernel)
{
	static const char image[] = "[kernel.kallsyms]";

	if (kernel && f->name) {
		hv_stores(frame, "dso",
			  f->module ? newSVpvf("[%s]", f->module) :
				      newSVpvn(image, sizeof(image) - 1));
	} else if (kernel && f->file && !strncmp(f->file, image, sizeof(image) - 1)) {
		hv_stores(frame, "dso", newSVpvn(image, sizeof(image) - 1));
	} else if (f->file) {
		hv_stores(frame, "dso", newSVpv(f->file, 0));
		hv_stores(frame, "offset", newSVuv(f->file_off));
	}
}

SV *chain_name(pTHX_ const struct event *ev, uint64_t address, bool kernel)
{
	char text[CHAIN_TEXT_MAX];
	struct chain_frame f;

	chain_resolve(ev, address, kernel, &f);
	return newSVpv(chain_text(&f, address, text, sizeof(text)), 0);
}

SV *chain_ref(pTHX_ const struct event *ev)
{
	const struct chain chain = chain_whole(ev);
	AV *av = newAV();
	bool kernel = false;
	uint32_t i = 0;
	uint64_t ip;

	while (chain_next(&chain, &i, &ip, &kernel)) {
		HV *frame = newHV();
		struct chain_frame f;

		chain_resolve(ev, ip, kernel, &f);
		hv_stores(frame, "ip", newSVuv(ip));
		if (f.name)
			put_symbol(aTHX_ frame, &f);
		put_file(aTHX_ frame, &f, kernel);
		av_push(av, newRV_noinc((SV *)frame));
	}
	return newRV_noinc((SV *)av);
}
