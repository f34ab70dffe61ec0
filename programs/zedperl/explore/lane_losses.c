// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lane_losses: the gaps of the lanes.
 */
#include "programs/zedperl/explore/lane_losses.h"

#include <stdlib.h>

void lane_losses_fini(struct lane_losses *l)
{
	free(l->v);
}

int lane_of_cpu(const struct timeline_answer *a, uint32_t source, int cpu)
{
	for (unsigned i = 0; i < a->ncpus; i++)
		if (a->lanes[i].source == source && a->lanes[i].cpu == cpu)
			return (int)i;
	return -1;
}

void lane_losses_see(struct lane_losses *l, const struct event *ev)
{
	uint64_t since = ev->lost_since == TS_UNKNOWN ? l->from : ev->lost_since;

	if (!ev->lost || ev->ts < l->from || since > l->to)
		return;
	if (l->n == LANE_LOSSES_MOST) {
		l->left++;
		return;
	}
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct lane_loss){ .source = ev->from->source,
					   .cpu = ev->cpu,
					   .anywhere = ev->lost_anywhere,
					   .lost = ev->lost,
					   .from = since > l->from ? since : l->from,
					   .to = ev->ts < l->to ? ev->ts : l->to };
}

void lane_losses_ahead(struct lane_losses *l, const struct merge *m)
{
	const struct event *ev;

	for (unsigned i = 0; (ev = merge_ahead(m, i)); i++)
		if (ev->ts > l->to && ev->lost_since != TS_UNKNOWN)
			lane_losses_see(l, ev);
}

/* ---- the answer ---- */

/* By CPU, so that neighbours can be joined. */
static int by_cpu(const void *a, const void *b)
{
	const struct lane_loss *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->anywhere != y->anywhere)
		return x->anywhere - y->anywhere;
	return (x->from > y->from) - (x->from < y->from);
}

static int by_time(const void *a, const void *b)
{
	const struct lane_loss *x = a, *y = b;

	return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : by_cpu(a, b);
}

static bool is_near(const struct lane_loss *a, const struct lane_loss *b, uint64_t width)
{
	return a->source == b->source && a->cpu == b->cpu && a->anywhere == b->anywhere &&
	       b->from < a->to + width;
}

/* Those that a picture could not tell apart. */
static void join(struct lane_losses *l, uint64_t width)
{
	size_t out = 0;

	qsort(l->v, l->n, sizeof(*l->v), by_cpu);
	for (size_t i = 0; i < l->n; i++) {
		struct lane_loss *last = out ? &l->v[out - 1] : NULL, *x = &l->v[i];

		if (!last || !is_near(last, x, width)) {
			l->v[out++] = *x;
			continue;
		}
		last->to = x->to > last->to ? x->to : last->to;
		last->lost = x->lost == LOST_UNKNOWN || x->lost > LOST_UNKNOWN - 1 - last->lost ||
					     last->lost == LOST_UNKNOWN ?
				     LOST_UNKNOWN :
				     last->lost + x->lost;
	}
	l->n = out;
}

/* *N: of those that are there already. */
static void put_one(struct lane_losses *l, struct outbuf *o, const struct lane_loss *x,
		    unsigned lane, uint64_t base, size_t *n)
{
	if (*n == LANE_LOSSES_MOST) {
		l->left++;
		return;
	}
	out_printf(o, "%s[%u,", *n ? "," : "", lane);
	out_u64(o, x->from - base);
	out_char(o, ',');
	out_u64(o, x->to - base);
	if (x->lost == LOST_UNKNOWN)
		out_str(o, ",null]");
	else
		out_printf(o, ",%u]", x->lost);
	++*n;
}

void lane_losses_put(struct lane_losses *l, struct outbuf *o, const struct timeline_answer *a,
		     uint64_t base, uint64_t width)
{
	size_t n = 0;

	if (width && l->n)
		join(l, width);
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_time);
	out_char(o, '[');
	for (size_t i = 0; i < l->n; i++) {
		const struct lane_loss *x = &l->v[i];
		int own = lane_of_cpu(a, x->source, x->cpu);

		if (own >= 0)
			put_one(l, o, x, (unsigned)own, base, &n);
		for (unsigned k = 0; k < a->ncpus && x->anywhere; k++)
			if ((int)k != own && a->lanes[k].source == x->source)
				put_one(l, o, x, k, base, &n);
	}
	out_char(o, ']');
}
