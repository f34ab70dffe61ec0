// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * aggregate_numbers: exact sums and squares, histograms, quantiles, the largest records.  Without
 * it large sums wrap, small ones are differences of large ones, or a bucket has another's values.
 *
 * of: analysis/aggregate
 */
#include "analysis/aggregate/aggregate.h"
#include "t/lib/c/aggtry.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- numbers */

static void test_sums(void)
{
	struct agg_spec spec = { .kind = AGG_SUM, .nby = 0, .max_keys = 1 };
	struct aggregate *a = agg_new(&spec, "test", NULL), *b = agg_new(&spec, "test", NULL);
	struct agg_sum *s = a->all;
	struct err e;
	unsigned i;

	for (i = 0; i < 5; i++)
		agg_take(a, a->all, (struct number){ .v = UINT64_MAX });
	ok(s->sum.hi == 4 && s->sum.lo == UINT64_MAX - 4, "five times 2^64 - 1 does not wrap");
	for (i = 0; i < 10; i++)
		agg_take(b, b->all, number_of(1ull << 63, true));
	s = b->all;
	ok(s->sum.hi == -5 && s->sum.lo == 0, "ten times -2^63 is -5 * 2^64");
	ok(sum_double(&s->sum) == -5 * 0x1p64, "and as a floating-point number");
	ok(agg_merge(a, b, &e) == 0, "two sums merge");
	s = a->all;
	ok(s->n == 15 && s->sum.hi == -1 && s->sum.lo == UINT64_MAX - 4, "their sum is -5");
	ok(sum_double(&s->sum) == -5,
	   "exactly (else: small negative sums are differences of large ones)");
	ok(agg_merge(a, a, &e) < 0, "not with itself");
	agg_put(a);
	agg_put(b);
}

static double distance(double x)
{
	return x < 0 ? -x : x;
}

static void test_stats(void)
{
	struct agg_spec spec = { .kind = AGG_STATS, .nby = 0, .max_keys = 1 };
	struct aggregate *a = agg_new(&spec, "test", NULL), *b = agg_new(&spec, "test", NULL);
	const int64_t far = 1000000000000000;
	struct agg_stats *s = a->all;
	struct err e;
	int i;

	/*
	 * -50 ... 50 around a number so large that its square loses them: the variance of n numbers
	 * in a row is (n * n - 1) / 12.
	 */
	for (i = -50; i <= 50; i++) {
		agg_take(i % 3 ? a : b, i % 3 ? a->all : b->all,
			 number_of((uint64_t)(far + i), true));
	}
	ok(agg_merge(a, b, &e) == 0, "two stats merge");
	is_u64(s->n, 101, "all are counted");
	ok(agg_variance(s) == 850, "the variance of small steps far from 0, exactly: %.17g",
	   agg_variance(s));
	ok((int64_t)s->min == far - 50 && (int64_t)s->max == far + 50,
	   "the least and the greatest");
	agg_take(a, a->all, number_of((uint64_t)-7, true));
	agg_take(a, a->all, (struct number){ .v = UINT64_MAX });
	ok(s->min == (uint64_t)-7 && s->min_neg && s->max == UINT64_MAX && !s->max_neg,
	   "signed and unsigned numbers of 64 bits are told apart");
	agg_put(a);
	agg_put(b);
}

/* The largest numbers there are: 2^64 - 1 and -2^63, each N times in either of two. */
static void test_squares(void)
{
	const double most = 0x1p64 - 1, half = (0x1p64 - 1 + 0x1p63) / 2;
	struct agg_spec spec = { .kind = AGG_STATS, .nby = 0, .max_keys = 1 };
	struct aggregate *a[3];
	struct agg_stats *s;
	struct squares q[2];
	struct err e;

	for (int i = 0; i < 3; i++)
		a[i] = agg_new(&spec, "test", NULL);
	for (int i = 0; i < 2000; i++) {
		struct number v = { .v = UINT64_MAX };

		if (i % 2)
			v = number_of((uint64_t)INT64_MIN, true);
		agg_take(a[0], a[0]->all, v);
		agg_take(a[1 + (i * 7 / 3) % 2], a[1 + (i * 7 / 3) % 2]->all, v);
	}
	s = a[0]->all;
	ok(distance(agg_variance(s) / (half * half) - 1) < 1e-15,
	   "the variance of the largest numbers: %.17g", agg_variance(s));
	ok(distance(sum_double(&s->sum) / (1000 * (most - 0x1p63)) - 1) < 1e-15, "and their sum");
	ok(agg_merge(a[2], a[1], &e) == 0, "those in two groups merge");
	q[0] = agg_squares(s);
	q[1] = agg_squares(a[2]->all);
	ok(memcmp(q, q + 1, sizeof(*q)) == 0 && agg_variance(s) == agg_variance(a[2]->all),
	   "to what they are in one (else: the last digits of an answer depend on the groups)");
	memset(q, 0, sizeof(*q));
	agg_set_squares(a[0], s, q);
	ok(agg_variance(s) < 0, "squares that are too small for the sum");
	agg_clear(a[0]);
	s = a[0]->all;
	for (uint64_t v = UINT32_MAX - 1; v <= (uint64_t)UINT32_MAX + 1; v++)
		agg_take(a[0], s, (struct number){ .v = v });
	ok(agg_variance(s) * 3 == 2, "where squares outgrow a word: %.17g", agg_variance(s));
	for (int i = 0; i < 3; i++)
		agg_put(a[i]);
}

/* ---------------------------------------------------------------- spreads */

/* Is V in the bounds of the bucket that it is put into, and are those next to each other? */
static bool in_bounds(struct number v)
{
	struct bounds l = spread_log2_bounds(spread_log2(v)),
		      f = spread_fine_bounds(spread_fine(v));
	struct number middle = bounds_middle(&f);
	double amount = distance(number_double(v)),
	       error = distance(number_double(middle) - number_double(v));

	return !number_less(v, l.low) && !number_less(l.high, v) && !number_less(v, f.low) &&
	       !number_less(f.high, v) && error <= amount / 100;
}

static void test_buckets(void)
{
	bool right = true, joined = true;
	unsigned i;
	int k;

	for (i = 0; i < 64; i++)
		for (k = -2; k <= 2; k++) {
			uint64_t v = (1ull << i) + (uint64_t)k;

			right &= in_bounds((struct number){ .v = v }) &&
				 in_bounds(number_of(v, true));
		}
	for (i = 0; i < 1000000; i++) {
		uint64_t v = draw() >> draw() % 64;

		right &= in_bounds((struct number){ .v = v }) && in_bounds(number_of(~v, true));
	}
	ok(right, "each number is in the bounds of its bucket, whose middle is at most 1 %% off");
	for (k = -3712; k < 3775; k++)
		joined &= spread_fine_bounds(k).high.v + 1 == spread_fine_bounds(k + 1).low.v;
	ok(joined, "between fine buckets is no gap");
	for (joined = true, k = -63; k < 63; k++)
		joined &= spread_log2_bounds(k).high.v + 1 == spread_log2_bounds(k + 1).low.v;
	ok(joined, "nor between powers of two");
	ok(spread_log2((struct number){ .v = UINT64_MAX }) == 64 &&
		   spread_log2(number_of(1ull << 63, true)) == -64,
	   "the greatest and the least number have a bucket");
}

static void test_steps(void)
{
	struct lhist_steps s = { .from = -20, .to = 30, .step = 10 };

	ok(spread_steps(&s, number_of((uint64_t)-21, true)) == SPREAD_BELOW &&
		   spread_steps(&s, number_of(1ull << 63, true)) == SPREAD_BELOW,
	   "below the first step");
	ok(spread_steps(&s, number_of((uint64_t)-20, true)) == 0 &&
		   spread_steps(&s, number_of((uint64_t)-1, true)) == 1 &&
		   spread_steps(&s, number_of(0, true)) == 2 &&
		   spread_steps(&s, number_of(29, true)) == 4,
	   "in its step");
	ok(spread_steps(&s, number_of(30, true)) == SPREAD_ABOVE &&
		   spread_steps(&s, (struct number){ .v = UINT64_MAX }) == SPREAD_ABOVE,
	   "above the last");
	ok((int64_t)spread_steps_bounds(&s, 1).low.v == -10 &&
		   (int64_t)spread_steps_bounds(&s, 1).high.v == -1,
	   "the bounds of a step");
	s = (struct lhist_steps){ .from = INT64_MIN, .to = INT64_MAX, .step = UINT64_MAX / 3 };
	ok(spread_steps(&s, number_of(INT64_MAX - 1, true)) == 2, "steps over all signed numbers");
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void test_quantiles(void)
{
	static const double at[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	struct agg_spec spec = { .kind = AGG_QUANTILES, .nby = 0, .max_keys = 1 };
	struct aggregate *a = agg_new(&spec, "test", NULL);
	const struct agg_bucket **b;
	static uint64_t v[10007];
	bool right = true;
	size_t n, i;

	for (i = 0; i < 10007; i++) {
		v[i] = draw() >> draw() % 60;
		agg_take(a, a->all, (struct number){ .v = v[i] });
	}
	qsort(v, 10007, sizeof(*v), by_number);
	b = agg_buckets(a->all, &n);
	for (i = 0; i < 8; i++) {
		uint64_t rank = (uint64_t)(at[i] * 10007) + (i > 0 && i < 7),
			 want = v[rank ? rank - 1 : 0];
		uint64_t got = agg_quantile(a, a->all, b, n, at[i]).v;

		right &= distance((double)got - (double)want) <= (double)want / 100;
	}
	ok(right, "quantiles are at most 1 %% from those of the sorted numbers");
	ok(agg_quantile(a, a->all, b, n, 0).v == v[0] &&
		   agg_quantile(a, a->all, b, n, 1).v == v[10006],
	   "the least and the greatest are exact");
	free(b);
	agg_put(a);
}
/* ---------------------------------------------------------------- the largest records */

static int by_largest(const void *a, const void *b)
{
	return -by_number(a, b);
}

static void top_add(struct aggregate *a, void *value, uint64_t n, uint64_t ts)
{
	struct agg_record r = { .v = { .v = n }, .ts = ts };

	key_begin(&scratch);
	key_number(&scratch, n, false);
	if (agg_top_wants(a, &value, &r))
		agg_top_keep(a, value, &r, scratch.w, key_end(&scratch));
}

static void test_top(void)
{
	struct agg_spec spec = {
		.kind = AGG_TOP, .nby = 0, .nfields = 1, .max_keys = 1, .keep = 37
	};
	struct aggregate *a = agg_new(&spec, "test", NULL), *b = agg_new(&spec, "test", NULL);
	const struct agg_record **r;
	static uint64_t v[5000];
	bool right = true;
	struct err e;
	size_t n, i;

	for (i = 0; i < 5000; i++) {
		v[i] = draw() % 3000;
		top_add(i % 2 ? a : b, i % 2 ? a->all : b->all, v[i], i);
	}
	ok(agg_merge(a, b, &e) == 0, "two tops merge");
	is_u64(agg_n(a, a->all), 5000, "all events are counted");
	qsort(v, 5000, sizeof(*v), by_largest);
	r = agg_records(a->all, &n);
	for (i = 0; i < n; i++)
		right &= r[i]->v.v == v[i] && key_words(r[i]->fields, 1) == r[i]->words;
	ok(right && n == 37, "the largest are kept, in order (else: a heap that is none)");
	for (i = 1; i < n; i++)
		right &= r[i - 1]->v.v != r[i]->v.v || r[i - 1]->ts < r[i]->ts;
	ok(right, "of equal ones the earlier come first");
	free(r);
	agg_put(a);
	agg_put(b);
}

static void test_records_bound(void)
{
	struct agg_spec spec = {
		.kind = AGG_TOP, .nby = 1, .nfields = 1, .max_keys = TABLE_MOST, .keep = AGG_TOP_MAX
	};
	struct aggregate *a = agg_new(&spec, "test", NULL);
	uint64_t kept = 0, n = 0;
	const struct agg_record **r;
	void **list;
	size_t i, count;
	unsigned k;

	for (k = 0; k < AGG_RECORDS + 50000; k++)
		top_add(a, value_at(a, k / 9000, false), k, k);
	list = agg_list(a, &count);
	for (i = 0; i < count; i++) {
		size_t have;

		r = agg_records(list[i], &have);
		kept += have;
		n += agg_n(a, list[i]);
		free(r);
	}
	ok(a->full && kept <= AGG_RECORDS + AGG_TOP_MAX && n == AGG_RECORDS + 50000,
	   "records have a bound, and all events are counted");
	free(list);
	agg_put(a);
}

int main(void)
{
	test_sums();
	test_stats();
	test_squares();
	test_buckets();
	test_steps();
	test_quantiles();
	test_top();
	test_records_bound();
	return tap_done();
}
