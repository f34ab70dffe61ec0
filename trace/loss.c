// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loss: one figure of lost events, made of what sub-buffers say at their places and of what the
 * kernel's statistics count in all.
 */
#include "trace/loss.h"

#include "trace/cpustat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void losses_place(struct losses *l, uint32_t lost)
{
	l->places++;
	if (lost == LOST_UNKNOWN)
		l->unsized++;
	else
		l->events += lost;
}

void losses_rest(struct losses *l, const struct losses_rest *r)
{
	l->events += r->events;
	if (r->placed)
		l->summed += r->unsized;
	else
		l->timeless += r->events;
}

void losses_add(struct losses *l, const struct losses *more)
{
	l->events += more->events;
	l->places += more->places;
	l->unsized += more->unsized;
	l->summed += more->summed;
	l->timeless += more->timeless;
}

void losses_subtract(struct losses *l, const struct losses *less)
{
	l->events -= less->events;
	l->places -= less->places;
	l->unsized -= less->unsized;
	l->summed -= less->summed;
	l->timeless -= less->timeless;
}

/* ---- as text ---- */

/* What the total is made of, if that is more than numbers at places. */
static void put_parts(const struct losses *l, char *buf, size_t size)
{
	uint64_t unknown = losses_unknown(l), summed = l->unsized - unknown;
	uint64_t places = l->places - unknown;
	char placed[40] = "", own[60] = "", timeless[60] = "";

	*buf = '\0';
	if (!summed && !l->timeless)
		return;
	if (!places) {
		snprintf(buf, size, " at unknown times");
		return;
	}
	if (summed)
		snprintf(own, sizeof(own), ", %" PRIu64 " without a number of %s own", summed,
			 summed == 1 ? "its" : "their");
	if (l->timeless) {
		snprintf(placed, sizeof(placed), "%" PRIu64 " ", l->events - l->timeless);
		snprintf(timeless, sizeof(timeless), "; %" PRIu64 " at unknown times", l->timeless);
	}
	snprintf(buf, size, " (%sat %" PRIu64 " place%s%s%s)", placed, places, plural(places), own,
		 timeless);
}

const char *losses_text(const struct losses *l, const char *verb, char buf[LOSSES_TEXT])
{
	uint64_t unknown = losses_unknown(l);
	char parts[LOSSES_TEXT / 2], more[60] = "";

	if (!l->events && unknown) {
		snprintf(buf, LOSSES_TEXT, "an unknown number%s at %" PRIu64 " place%s", verb,
			 unknown, plural(unknown));
		return buf;
	}
	put_parts(l, parts, sizeof(parts));
	if (unknown)
		snprintf(more, sizeof(more), ", an unknown number at %" PRIu64 " place%s", unknown,
			 plural(unknown));
	snprintf(buf, LOSSES_TEXT, "%" PRIu64 "%s%s%s", l->events, verb, parts, more);
	return buf;
}

/* ---- of a source ---- */

/* What its places, and earlier rests, account for. */
static uint64_t accounted(const struct stream *s)
{
	return s->lost + s->timeless + s->told.events;
}

/* The rest of S, of which TOTAL events were lost.  False: there is none, or S is not read. */
static bool rest_of(struct losses_rest *r, const struct stream *s, uint64_t total)
{
	if (s->unread || total <= accounted(s))
		return false;
	*r = (struct losses_rest){
		.cpu = s->from->cpu,
		.of = s,
		.events = total - accounted(s),
		.placed = s->lost_unknown != 0,
		.unsized = s->lost_unknown - s->told.unsized,
	};
	return true;
}

void losses_met(struct losses *l, const struct source *s)
{
	for (unsigned i = 0; i < s->nstreams; i++) {
		const struct stream *st = s->streams[i];

		losses_add(l, &(struct losses){
				      .events = st->lost + st->told.events,
				      .places = st->lost_places,
				      .unsized = st->lost_unknown,
				      .summed = st->told.unsized,
				      .timeless = st->told.timeless,
			      });
	}
}

void losses_ahead(struct losses *l, const struct source *s)
{
	struct losses_rest r;

	for (unsigned i = 0; i < s->nstreams; i++) {
		const struct stream *st = s->streams[i];

		if (rest_of(&r, st, st->counted))
			losses_rest(l, &r);
		l->events += st->unread ? 0 : st->timeless;
		l->timeless += st->unread ? 0 : st->timeless;
	}
}

bool losses_has_next_rest(const struct source *s)
{
	struct losses_rest r;

	for (unsigned i = 0; i < s->nstreams; i++)
		if (rest_of(&r, s->streams[i], s->streams[i]->settled))
			return true;
	return false;
}

bool losses_next_rest(struct source *s, struct losses_rest *r)
{
	for (unsigned i = 0; i < s->nstreams; i++) {
		struct stream *st = s->streams[i];

		if (!rest_of(r, st, st->settled))
			continue;
		st->told.events += r->events;
		st->told.unsized += r->unsized;
		st->told.timeless += r->placed ? 0 : r->events;
		return true;
	}
	return false;
}

/* The name of a buffer, LEN bytes at P; P NULL: there is only one. */
struct buffer_name {
	const char *p;
	size_t len;
};

static bool is_of(const struct stream *s, int cpu, const struct buffer_name *b)
{
	const struct origin *from = s->from;

	return from->cpu == cpu && (!b->p || (strlen(from->instance) == b->len &&
					      !memcmp(from->instance, b->p, b->len)));
}

/* The rest of a CPU, of which the statistics ST count the losses. */
static void tell_cpu(const struct source *s, const struct cpustat *st, const struct buffer_name *b,
		     void (*tell)(void *arg, const struct losses_rest *r), void *arg)
{
	uint64_t total = st->overrun + st->commit_overrun + st->dropped + st->others, known = 0;
	struct losses_rest r = { .cpu = st->cpu };

	for (unsigned i = 0; i < s->nstreams; i++) {
		const struct stream *of = s->streams[i];

		if (!is_of(of, st->cpu, b))
			continue;
		if (of->unread)
			return;
		r.of = of;
		known += accounted(of);
		r.placed |= of->lost_unknown != 0;
		r.unsized += of->lost_unknown - of->told.unsized;
	}
	r.events = total > known ? total - known : 0;
	if (r.events)
		tell(arg, &r);
}

/*
 * What S knows of itself.  Where there are STATISTICS of the whole, the places without a number are
 * theirs; without them its recorder broke off, and what that had counted by then holds.
 */
static void tell_timeless(const struct stream *s, bool statistics,
			  void (*tell)(void *arg, const struct losses_rest *r), void *arg)
{
	struct losses_rest r;

	if (s->unread)
		return;
	if (statistics || !rest_of(&r, s, s->counted))
		r = (struct losses_rest){ .cpu = s->from->cpu, .of = s };
	r.events += s->timeless;
	r.placed = !statistics && s->lost_unknown;
	r.unsized = statistics ? 0 : s->lost_unknown - s->told.unsized;
	if (r.events)
		tell(arg, &r);
}

void losses_each_rest(struct source *s, void (*tell)(void *arg, const struct losses_rest *r),
		      void *arg)
{
	size_t len;
	const char *p = machine_raw(&s->machine, TEXT_CPUSTAT, &len), *end = p + len, *at = p;
	struct buffer_name b = { .p = s->nbuffers == 1 ? NULL : "" };
	struct cpustat st;

	/* The line with a buffer's name is after the CPUs of the one before it. */
	if (b.p)
		cpustat_buffer(p, cpustat_first(p, end), &b.p, &b.len);
	for (; cpustat_next(&p, end, &st); at = p) {
		tell_cpu(s, &st, &b, tell, arg);
		if (b.p)
			cpustat_buffer(at, p, &b.p, &b.len);
	}
	for (unsigned i = 0; i < s->nstreams; i++)
		tell_timeless(s->streams[i], len != 0, tell, arg);
}
