// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * range_losses: what was lost in the range of a list of events, as limits of its answer.
 */
#include "programs/zedperl/mcp/range_losses.h"

#include "base/err.h"
#include "run/times.h"

#include <inttypes.h>

#define UNKNOWN "that an event is not listed does not mean that it did not happen"

void range_losses_add(struct range_losses *l, const struct pump *p, const struct event *ev)
{
	if (!l->in.places) {
		times_text(p, ev->ts, l->at, sizeof(l->at));
		l->cpu = ev->cpu;
	}
	losses_place(&l->in, ev->lost);
}

void range_losses_beyond(struct range_losses *l, const struct pump *p, const struct event *ev)
{
	if (ev->ts <= l->end || (ev->lost_since != TS_UNKNOWN && ev->lost_since >= l->end))
		return;
	if (!l->beyond++) {
		times_text(p, ev->ts, l->beyond_at, sizeof(l->beyond_at));
		l->beyond_cpu = ev->cpu;
	}
	l->events += ev->lost == LOST_UNKNOWN ? 0 : ev->lost;
}

void range_losses_end(struct range_losses *l, const struct pump *p, bool is_whole)
{
	if (is_whole)
		losses_add(&l->in, &p->rest);
	else
		l->unplaced = p->rest.events;
}

static void say_in(const struct range_losses *l, struct content *t)
{
	char text[LOSSES_TEXT];
	struct outbuf o = { 0 };

	out_str(&o, "events were lost");
	if (l->in.places)
		out_printf(&o, " at %" PRIu64 " place%s, the first before %s on CPU %d",
			   l->in.places, plural(l->in.places), l->at, l->cpu);
	out_printf(&o, ": %s; " UNKNOWN, losses_text(&l->in, "", text));
	content_limit(t, o.p, o.len);
	outbuf_fini(&o);
}

static void say_beyond(const struct range_losses *l, struct content *t)
{
	struct outbuf o = { 0 };

	out_str(&o, "an unknown share of ");
	if (l->events)
		out_printf(&o, "%" PRIu64 " events in ", l->events);
	out_printf(&o,
		   "%" PRIu64 " loss%s that end%s later, the first before %s on CPU %d, is of this "
		   "time; " UNKNOWN,
		   l->beyond, l->beyond == 1 ? "" : "es", l->beyond == 1 ? "s" : "", l->beyond_at,
		   l->beyond_cpu);
	content_limit(t, o.p, o.len);
	outbuf_fini(&o);
}

static void say_unplaced(const struct range_losses *l, struct content *t)
{
	struct outbuf o = { 0 };

	out_printf(&o,
		   "%" PRIu64 " event%s of the whole trace %s lost at unknown times, perhaps in "
		   "this one",
		   l->unplaced, plural(l->unplaced), l->unplaced == 1 ? "was" : "were");
	content_limit(t, o.p, o.len);
	outbuf_fini(&o);
}

void range_losses_say(const struct range_losses *l, struct content *t)
{
	if (l->in.places || l->in.events)
		say_in(l, t);
	if (l->beyond)
		say_beyond(l, t);
	if (l->unplaced)
		say_unplaced(l, t);
}
