/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * handle: the C side of an object of Zed::Aggregate: its aggregation, from creation to the end.
 */
#include "interp/api/handle.h"

#include <stdlib.h>

void handle_stop(struct handle *h)
{
	if (h->stopped)
		return;
	h->stopped = true;
	h->during = h->ps->lost;
	if (bind_remove(&h->ps->bind, h->id))
		h->ps->in->attention |= INTERP_SUBS;
}

/* If it was never read, its variable perhaps went out of scope too early, or was forgotten. */
static void say_unasked(struct handle *h)
{
	struct perlsink *ps = h->ps;

	if (h->asked || (ps->in->attention & INTERP_FORKED))
		return;
	if (ps->phase <= PHASE_BEGIN && !ps->gone)
		ps->gone = mem_strdup(h->agg->at);
	else if (ps->phase == PHASE_OVER && ps->counted)
		note_say(ps->o.notes, NOTE_WARN,
			 "%s: its answer was never used: print it in trace_end, or call the "
			 "function without assigning its result, and it is printed at the end",
			 h->agg->at);
}

static int handle_free(pTHX_ SV *sv, MAGIC *mg)
{
	struct handle *h = (struct handle *)mg->mg_ptr;

	PERL_UNUSED_VAR(sv);
	say_unasked(h);
	handle_stop(h);
	answer_fini(&h->answer);
	free(h);
	return 0;
}

static const MGVTBL handle_magic = { .svt_free = handle_free };

void handle_hang(pTHX_ HV *object, struct handle *h)
{
	sv_magicext((SV *)object, NULL, PERL_MAGIC_ext, &handle_magic, (const char *)h, 0);
}

struct handle *handle_of(pTHX_ SV *sv)
{
	MAGIC *mg = SvROK(sv) ? mg_findext(SvRV(sv), PERL_MAGIC_ext, &handle_magic) : NULL;

	if (mg)
		return (struct handle *)mg->mg_ptr;
	Perl_croak(aTHX_ "this is not an aggregation (of Zed::count and the like)");
}
