/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_chain: the call chain of an event as Perl values, for scripts written for perf.
 */
#include "interp/bind/call_chain.h"

#include "interp/common/perf_names.h"

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
	char buf[PERF_FILE_BUF];
	const char *name = perf_file_name(f, kernel, buf);

	if (!name)
		return;
	hv_stores(frame, "dso", newSVpv(name, 0));
	if (name == f->file)
		hv_stores(frame, "offset", newSVuv(f->file_off));
}

/* --inline: where it is in the source, and whether it is a part of the next frame's function. */
static void put_source(pTHX_ HV *frame, const struct chain_frame *f)
{
	if (f->inlined)
		hv_stores(frame, "inlined", newSViv(1));
	if (!f->source)
		return;
	hv_stores(frame, "file", newSVpv(f->source, 0));
	if (f->line)
		hv_stores(frame, "line", newSVuv(f->line));
}

SV *chain_name(pTHX_ uint64_t address, const struct chain_frame *f)
{
	char text[CHAIN_TEXT_MAX];

	return newSVpv(chain_text(f, address, text, sizeof(text)), 0);
}

SV *chain_ref(pTHX_ const struct event *ev)
{
	struct chain_walk w = { .ev = ev, .chain = chain_whole(ev) };
	AV *av = newAV();
	struct chain_frame f;

	while (chain_walk_next(&w, &f)) {
		HV *frame = newHV();

		hv_stores(frame, "ip", newSVuv(w.address));
		if (f.name)
			put_symbol(aTHX_ frame, &f);
		put_file(aTHX_ frame, &f, w.kernel);
		put_source(aTHX_ frame, &f);
		av_push(av, newRV_noinc((SV *)frame));
	}
	return newRV_noinc((SV *)av);
}
