// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * v7_rest: walks the sections of a version 7 file in trace-cmd's dialect, to find those that no
 * option leads to, and bytes outside any section.
 */
#include "reader/dat/v7.h"

#include <inttypes.h>

#define MAX_WALK 65536 /* sections of a file; real ones have a few dozen */

bool dat7_was_visited(const struct dat7_visited *v, uint64_t off)
{
	for (unsigned i = 0; i < v->n; i++)
		if (v->off[i] == off)
			return true;
	return false;
}

bool dat7_told_of(const struct dat *d, const struct section *s)
{
	for (unsigned i = 0; i < d->base.nbuffers; i++)
		for (unsigned k = 0; k < d->base.buffers[i].ncpus; k++)
			if (d->base.buffers[i].cpus[k].off >= s->head &&
			    d->base.buffers[i].cpus[k].off - s->head < s->size + (s->off - s->head))
				return true;
	return false;
}

/*
 * The section at OFF; false: none begins there.  Zeroes are not an options section: it has at least
 * its end.
 */
static bool section_at(struct dat *d, uint64_t off, struct section *s)
{
	struct err e;

	return off < d->base.in.size && dat7_shipped.section(d, off, s, &e) == 0 &&
	       s->id < DAT_NIDS && (s->id != DAT_DONE || s->size);
}

static bool is_text(unsigned id)
{
	return id >= DAT_HEADER_INFO && id <= DAT_CMDLINES;
}

bool dat7_misses(struct dat *d, const struct dat7_visited *v)
{
	uint64_t off = d->head.len;
	struct section s;

	for (unsigned n = 0; n < MAX_WALK && section_at(d, off, &s); n++, off = s.next) {
		const char *what = NULL;

		if (s.id == DAT_DONE && !dat7_was_visited(v, off))
			what = "options";
		else if ((s.id == DAT_BUFFER || s.id == DAT_BUFFER_TEXT) && !dat7_told_of(d, &s) &&
			 !dat_blank(d, s.off, s.off + s.size))
			what = s.id == DAT_BUFFER ? "data" : "latency text";
		else if (is_text(s.id) && s.size && !d->parts[s.id].present)
			what = "metadata";
		if (what) {
			note_say(d->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": %s that no "
				 "option leads to: what is in the file is searched for",
				 d->base.in.path, off, what);
			return true;
		}
	}
	return false;
}

void dat7_rest(struct dat *d)
{
	uint64_t off = d->head.len;
	struct section s;

	for (unsigned n = 0; n < MAX_WALK && section_at(d, off, &s); n++) {
		const struct dat_part *p = is_text(s.id) ? &d->parts[s.id] : NULL;

		if (p && p->present && s.size && (p->off < s.off || p->off - s.off > 8))
			/*
			 * Recorders supersede sections: an option led here, and a later one
			 * elsewhere.
			 */
			note_say(d->notes, d->superseded & 1u << s.id ? NOTE_INFO : NOTE_WARN,
				 "%s: offset 0x%" PRIx64 ": a second section "
				 "%u, and the options name another one: this one is not read",
				 d->base.in.path, off, s.id);
		dat_claim(d, off, s.id == DAT_BUFFER ? s.off - off : s.next - off);
		/* A section that exceeds the file has been reported. */
		if (s.next == UINT64_MAX)
			break;
		off = s.next;
	}
	dat_rest(d, d->head.len, d->base.in.size);
}
