/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ranking: the contents of an aggregate in the order in which they are shown: keys by their values,
 * buckets from the lowest on, and the number at a given rank.
 */
#include "base/mem.h"
#include "analysis/aggregate/aggregate.h"

#include <stdlib.h>

/*
 * Is the value X less than Y?  Compared by the main number of their kind; spreads and stats by
 * their counts.
 */
static bool value_less(const struct aggregate *a, const void *x, const void *y)
{
	const struct agg_extreme *ex = x, *ey = y;
	const struct agg_sum *sx = x, *sy = y;
	const struct agg_top *tx = x, *ty = y;

	switch (a->spec.kind) {
	case AGG_SUM:
		return sum_less(&sx->sum, &sy->sum);
	case AGG_AVG:
		return sum_double(&sx->sum) / (double)sx->n < sum_double(&sy->sum) / (double)sy->n;
	case AGG_MIN:
	case AGG_MAX:
		return number_less((struct number){ ex->v, ex->neg },
				   (struct number){ ey->v, ey->neg });
	case AGG_TOP:
		return tx->n < ty->n;
	default:
		return agg_n(a, x) < agg_n(a, y);
	}
}

struct sorted {
	void *value;
	const struct aggregate *a;
};

static int by_value(const void *p, const void *q)
{
	const struct sorted *x = p, *y = q;
	const struct aggregate *a = x->a;

	if (value_less(a, x->value, y->value))
		return 1;
	if (value_less(a, y->value, x->value))
		return -1;
	return key_compare(table_key(&a->table, x->value), table_key(&a->table, y->value),
			   a->spec.nby);
}

void **agg_list(const struct aggregate *a, size_t *n)
{
	struct sorted *s = mem_alloc((a->table.index.n + 1) * sizeof(*s));
	void **list = mem_alloc((a->table.index.n + 2) * sizeof(*list)), *v;
	uint32_t slot = 0;
	size_t i;

	*n = 0;
	while ((v = table_next(&a->table, &slot)))
		if (agg_n(a, v))
			s[(*n)++] = (struct sorted){ .value = v, .a = a };
	qsort(s, *n, sizeof(*s), by_value);
	for (i = 0; i < *n; i++)
		list[i] = s[i].value;
	free(s);
	if (a->all && agg_n(a, a->all))
		list[(*n)++] = a->all;
	if (agg_n(a, a->other))
		list[(*n)++] = a->other;
	return list;
}

static int by_bucket(const void *p, const void *q)
{
	const struct agg_bucket *x = *(const struct agg_bucket *const *)p;
	const struct agg_bucket *y = *(const struct agg_bucket *const *)q;

	return x->at < y->at ? -1 : x->at > y->at;
}

const struct agg_bucket **agg_buckets(const void *value, size_t *n)
{
	const struct agg_spread *s = value;
	const struct agg_bucket **list = NULL, *b;
	size_t cap = 0;

	*n = 0;
	for (b = s->first; b; b = b->next) {
		list = mem_grow(list, &cap, *n + 1, sizeof(*list));
		list[(*n)++] = b;
	}
	if (*n)
		qsort(list, *n, sizeof(*list), by_bucket);
	return list;
}

struct bounds agg_bounds(const struct aggregate *a, int32_t bucket)
{
	return a->spec.kind == AGG_LHIST ? spread_steps_bounds(&a->spec.steps, bucket) :
	       a->spec.kind == AGG_HIST	 ? spread_log2_bounds(bucket) :
					   spread_fine_bounds(bucket);
}

struct number agg_quantile(const struct aggregate *a, const struct agg_spread *value,
			   const struct agg_bucket *const *b, size_t n, double p)
{
	struct number low = { value->min, value->min_neg }, high = { value->max, value->max_neg };
	double wanted = p * (double)value->n;
	uint64_t rank = (uint64_t)wanted, seen = 0;
	struct bounds in;
	struct number v;
	size_t i;

	rank += (double)rank < wanted;
	if (rank <= 1 || !n)
		return low;
	if (rank >= value->n)
		return high;
	for (i = 0; i + 1 < n && (seen += b[i]->n) < rank;)
		i++;
	in = agg_bounds(a, b[i]->at);
	v = bounds_middle(&in);
	/* No quantile is outside of the values seen. */
	return number_less(v, low) ? low : number_less(high, v) ? high : v;
}
