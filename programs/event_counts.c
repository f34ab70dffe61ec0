// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_counts: how many events of each type the inputs have, counted by reading them.
 */
#include "programs/event_counts.h"

#include "base/mem.h"
#include "programs/open_inputs.h"
#include "programs/stop.h"
#include "run/drain.h"

struct counter {
	struct sink sink;
	struct event_counts *counts;
};

static enum verdict count_event(struct sink *s, const struct event *ev, struct err *e)
{
	struct event_counts *k = ((struct counter *)s)->counts;

	if (ev->type->idx >= k->n)
		k->v = mem_grow_zeroed(k->v, &k->n, ev->type->idx + 1, sizeof(*k->v));
	k->v[ev->type->idx]++;
	return SINK_MORE;
}

static bool count_more(struct sink *s)
{
	return true;
}

static const struct sink_ops COUNT_OPS = {
	.event = count_event,
	.more = count_more,
};

int count_events(struct cli *c, struct event_counts *k)
{
	struct counter counter = { .sink = { .ops = &COUNT_OPS }, .counts = k };
	enum run_end end;
	struct err e;

	cli_catch();
	end = run_into(&c->run.pump, &c->run.pump.stage, &counter.sink, &e);
	return cli_finish(c, end, &e);
}
