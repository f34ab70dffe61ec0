/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_bars: a histogram as text: for each bucket its range, as mathematics writes it ([4K, 8K)
 * is 4096 to 8191), its count, and a bar.
 */
#include "interp/common/answer_bars.h"

#include <inttypes.h>
#include <stdlib.h>

#define BAR 40	/* letters of the longest bar */
#define GAP 100 /* empty buckets in a row that are shown */
#define RANGE 64

struct bar {
	struct number from, to;
	bool no_from, no_to; /* it is open there */
	uint64_t n;
	char range[RANGE];
};

struct bars {
	struct bar *v;
	size_t n, cap;
};

static struct bar *add_bar(struct bars *l, struct bounds in, uint64_t n)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n] = (struct bar){ .from = in.low, .to = in.high, .n = n };
	return &l->v[l->n++];
}

/* A + 1, which is no more than a 64-bit number can be. */
static struct number next_of(struct number a)
{
	a.v++;
	a.neg = a.neg && a.v;
	return a;
}

/* The bucket that begins with FROM. */
static struct bounds bucket_from(const struct aggregate *a, struct number from)
{
	if (a->spec.kind == AGG_LHIST)
		return agg_bounds(a, spread_steps(&a->spec.steps, from));
	return agg_bounds(a, spread_log2(from));
}

/* The empty buckets up to the one that begins with TO. */
static void fill_gap(struct bars *l, const struct aggregate *a, struct number to)
{
	struct number next;

	for (unsigned gap = 0; gap < GAP && l->n && !l->v[l->n - 1].no_to; gap++) {
		next = next_of(l->v[l->n - 1].to);
		if (!number_less(next, to))
			break;
		add_bar(l, bucket_from(a, next), 0);
	}
}

static void collect(struct bars *l, const struct aggregate *a, const struct agg_spread *s)
{
	const struct agg_bucket **b;
	size_t n, i;

	b = agg_buckets(s, &n);
	for (i = 0; i < n; i++) {
		struct bounds in = agg_bounds(a, b[i]->at);
		bool below = a->spec.kind == AGG_LHIST && b[i]->at == SPREAD_BELOW;
		bool above = a->spec.kind == AGG_LHIST && b[i]->at == SPREAD_ABOVE;
		struct bar *bar;

		if (!below)
			fill_gap(l, a, in.low);
		bar = add_bar(l, in, b[i]->n);
		bar->no_from = below;
		bar->no_to = above;
	}
	free(b);
}

/* 4096 -> 4K: limits of buckets are often powers of two. */
static void put_short(char *to, size_t size, struct number v)
{
	static const char units[] = { 0, 'K', 'M', 'G', 'T', 'P', 'E' };
	uint64_t amount = number_amount(v);
	unsigned unit = 0;

	while (unit + 1 < sizeof(units) && amount && !(amount % 1024)) {
		amount /= 1024;
		unit++;
	}
	snprintf(to, size, "%s%" PRIu64 "%.1s", v.neg ? "-" : "", amount, &units[unit]);
}

/* The limit after TO. */
static void put_limit(char *to, size_t size, struct number v)
{
	/* 2^64 is no number of 64 bits. */
	if (!v.neg && v.v == UINT64_MAX)
		snprintf(to, size, "16E");
	else
		put_short(to, size, next_of(v));
}

static void put_range(struct bar *b)
{
	char from[RANGE / 2 - 2] = "(...", to[RANGE / 2 - 2] = "...";
	bool single = !b->no_from && !b->no_to && b->from.neg == b->to.neg && b->from.v == b->to.v;

	if (!b->no_from) {
		*from = '[';
		put_short(from + 1, sizeof(from) - 1, b->from);
	}
	if (!b->no_to)
		put_limit(to, sizeof(to), b->to);
	if (single)
		snprintf(b->range, sizeof(b->range), "%s]", from);
	else
		snprintf(b->range, sizeof(b->range), "%s, %s)", from, to);
}

static unsigned bar_length(uint64_t n, uint64_t most)
{
	unsigned letters = (unsigned)((double)n * BAR / (double)most + 0.5);

	return n && !letters ? 1 : letters;
}

void answer_bars(const struct aggregate *a, const struct agg_spread *s, struct outbuf *o)
{
	struct bars l = { .n = 0 };
	char count[24];
	uint64_t most = 1;
	int width = 0, digits;
	size_t i;

	collect(&l, a, s);
	for (i = 0; i < l.n; i++) {
		put_range(&l.v[i]);
		if ((int)strlen(l.v[i].range) > width)
			width = (int)strlen(l.v[i].range);
		if (l.v[i].n > most)
			most = l.v[i].n;
	}
	digits = snprintf(count, sizeof(count), "%" PRIu64, most);
	for (i = 0; i < l.n; i++) {
		out_printf(o, "  %-*s  %*" PRIu64, width, l.v[i].range, digits, l.v[i].n);
		if (l.v[i].n) {
			out_str(o, "  ");
			out_fill(o, '#', bar_length(l.v[i].n, most));
		}
		out_char(o, '\n');
	}
	free(l.v);
}
