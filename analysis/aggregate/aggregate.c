/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aggregate: a table of values by key, with bounds: counting an event, and merging two aggregates.
 * top.c keeps the records, and ranking.c lists the results.
 */
#include "analysis/aggregate/aggregate_priv.h"

#include "base/mem.h"

#include <stdlib.h>

static size_t value_size(enum agg_kind kind)
{
	switch (kind) {
	case AGG_COUNT:
		return sizeof(struct agg_count);
	case AGG_SUM:
	case AGG_AVG:
		return sizeof(struct agg_sum);
	case AGG_MIN:
	case AGG_MAX:
		return sizeof(struct agg_extreme);
	case AGG_STATS:
		return sizeof(struct agg_stats);
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		return sizeof(struct agg_spread);
	case AGG_TOP:
		break;
	}
	return sizeof(struct agg_top);
}

uint64_t agg_n(const struct aggregate *a, const void *value)
{
	switch (a->spec.kind) {
	case AGG_MIN:
	case AGG_MAX:
		return ((const struct agg_extreme *)value)->n;
	case AGG_STATS:
		return ((const struct agg_stats *)value)->n;
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		return ((const struct agg_spread *)value)->n;
	default:
		return *(const uint64_t *)value;
	}
}

static void tables_new(struct aggregate *a)
{
	table_init(&a->table, value_size(a->spec.kind));
	table_init(&a->buckets, sizeof(struct agg_bucket));
	a->recent = mem_zalloc(AGG_RECENT * sizeof(*a->recent));
	a->other = mem_zalloc(value_size(a->spec.kind));
	a->all = a->spec.nby ? NULL : mem_zalloc(value_size(a->spec.kind));
}

static void free_squares(struct agg_stats *s)
{
	if (s && s->is_wide)
		free(s->wide);
}

static void free_wide(struct aggregate *a)
{
	uint32_t slot = 0;
	void *value;

	while ((value = table_next(&a->table, &slot)))
		free_squares(value);
	free_squares(a->all);
	free_squares(a->other);
	a->wides = 0;
}

static void tables_free(struct aggregate *a)
{
	if (a->spec.kind == AGG_TOP)
		top_free(a);
	if (a->wides)
		free_wide(a);
	table_fini(&a->table);
	table_fini(&a->buckets);
	free(a->recent);
	free(a->all);
	free(a->other);
}

struct aggregate *agg_new(const struct agg_spec *spec, const char *at, struct notes *n)
{
	struct aggregate *a = mem_zalloc(sizeof(*a));

	a->spec = *spec;
	a->refs = 1;
	a->at = mem_strdup(at);
	a->notes = n;
	tables_new(a);
	return a;
}

struct aggregate *agg_ref(struct aggregate *a)
{
	a->refs++;
	return a;
}

void agg_put(struct aggregate *a)
{
	if (!a || --a->refs)
		return;
	tables_free(a);
	free(a->at);
	free(a);
}

void agg_clear(struct aggregate *a)
{
	tables_free(a);
	a->key_bytes = a->record_bytes = a->spreads = a->records = 0;
	a->full = a->cut = a->bare = a->sumless = false;
	tables_new(a);
}

/* There is no room: count it in `other` from now on. */
void agg_say_full(struct aggregate *a, uint64_t limit, const char *what)
{
	if (!a->full)
		note_say(a->notes, NOTE_WARN,
			 "%s: more than %llu %s: the rest are counted together, as other", a->at,
			 (unsigned long long)limit, what);
	a->full = true;
}

void *agg_add_key(struct aggregate *a, const uint64_t *key, unsigned words, uint32_t hash)
{
	void *v = NULL;

	if (a->table.index.n >= a->spec.max_keys) {
		agg_say_full(a, a->spec.max_keys, "keys (max_keys raises the limit)");
		return a->other;
	}
	if (a->key_bytes + words * sizeof(*key) <= AGG_KEY_BYTES)
		v = table_add(&a->table, key, words, hash);
	if (!v) {
		agg_say_full(a, AGG_KEY_BYTES >> 20, "MiB of keys");
		return a->other;
	}
	a->key_bytes += words * sizeof(*key);
	return v;
}

void *agg_find(const struct aggregate *a, const uint64_t *key, unsigned words)
{
	return a->all ? a->all :
			table_find(&a->table, key, words, table_hash(&a->table, key, words));
}

/* ---------------------------------------------------------------- counting an event */

struct squares agg_squares(const struct agg_stats *s)
{
	return s->is_wide ? *s->wide : (struct squares){ { s->few } };
}

void agg_set_squares(struct aggregate *a, struct agg_stats *s, const struct squares *q)
{
	if (!s->is_wide && !q->w[1] && !q->w[2]) {
		s->few = q->w[0];
		return;
	}
	if (!s->is_wide) {
		s->wide = mem_alloc(sizeof(*s->wide));
		s->is_wide = true;
		a->wides++;
	}
	*s->wide = *q;
}

static void take_square(struct aggregate *a, struct agg_stats *s, struct number v)
{
	uint64_t amount = number_amount(v), square = amount * amount;
	struct squares q;

	if (s->is_wide) {
		squares_add(s->wide, v);
	} else if (!(amount >> 32) && s->few + square >= square) {
		s->few += square;
	} else {
		q = agg_squares(s);
		squares_add(&q, v);
		agg_set_squares(a, s, &q);
	}
}

static void take_stats(struct aggregate *a, struct agg_stats *s, struct number v)
{
	if (!s->n || number_less(v, (struct number){ s->min, s->min_neg })) {
		s->min = v.v;
		s->min_neg = v.neg;
	}
	if (!s->n || number_less((struct number){ s->max, s->max_neg }, v)) {
		s->max = v.v;
		s->max_neg = v.neg;
	}
	sum_add(&s->sum, v);
	take_square(a, s, v);
	s->n++;
}

static void take_extreme(struct agg_extreme *x, struct number v, bool max)
{
	struct number had = { x->v, x->neg };

	if (!x->n || (max ? number_less(had, v) : number_less(v, had))) {
		x->v = v.v;
		x->neg = v.neg;
	}
	x->n++;
}

/* The bucket, or NULL: none yet, and no room for one.  In `other` there is always room. */
static struct agg_bucket *find_bucket(struct aggregate *a, struct agg_spread *s, int32_t at,
				      uint64_t key)
{
	struct agg_bucket *b;
	uint32_t hash;

	hash = table_hash(&a->buckets, &key, 1);
	b = table_find(&a->buckets, &key, 1, hash);
	if (b)
		return b;
	if (a->buckets.index.n >= AGG_BUCKETS && s != a->other && s != a->all)
		return NULL;
	b = table_add(&a->buckets, &key, 1, hash);
	if (!b)
		return NULL;
	b->at = at;
	b->next = s->first;
	s->first = b;
	return b;
}

static inline struct agg_bucket *bucket_of(struct aggregate *a, struct agg_spread *s, int32_t at)
{
	struct agg_recent *r;
	struct agg_bucket *b;
	uint64_t key;

	if (!s->id)
		s->id = ++a->spreads;
	key = (uint64_t)s->id << 32 | (uint32_t)at;
	r = &a->recent[(s->id * 31 + (uint32_t)at) % AGG_RECENT];
	if (r->key == key)
		return r->bucket;
	b = find_bucket(a, s, at, key);
	if (b)
		*r = (struct agg_recent){ .key = key, .bucket = b };
	return b;
}

static inline struct agg_spread *add_to_bucket(struct aggregate *a, struct agg_spread *s,
					       int32_t at, uint64_t n)
{
	struct agg_bucket *b = bucket_of(a, s, at);

	if (!b) {
		agg_say_full(a, AGG_BUCKETS, "buckets that are not empty");
		s = a->other;
		b = bucket_of(a, s, at);
	}
	if (b)
		b->n += n;
	return s;
}

static void widen(struct agg_spread *s, struct number low, struct number high)
{
	if (!s->n || number_less(low, (struct number){ s->min, s->min_neg })) {
		s->min = low.v;
		s->min_neg = low.neg;
	}
	if (!s->n || number_less((struct number){ s->max, s->max_neg }, high)) {
		s->max = high.v;
		s->max_neg = high.neg;
	}
}

/* V is an absolute value; negative numbers have no sums. */
static inline void add_to_sum(struct aggregate *a, struct agg_spread *s, uint64_t v)
{
	s->sum += v;
	a->sumless |= s->sum < v && !s->min_neg;
}

void agg_take(struct aggregate *a, void *value, struct number v)
{
	struct agg_spread *spread = value;

	switch (a->spec.kind) {
	case AGG_SUM:
	case AGG_AVG:
		((struct agg_sum *)value)->n++;
		sum_add(&((struct agg_sum *)value)->sum, v);
		return;
	case AGG_MIN:
		take_extreme(value, v, false);
		return;
	case AGG_MAX:
		take_extreme(value, v, true);
		return;
	case AGG_STATS:
		take_stats(a, value, v);
		return;
	case AGG_HIST:
		spread = add_to_bucket(a, spread, spread_log2(v), 1);
		break;
	case AGG_LHIST:
		spread = add_to_bucket(a, spread, spread_steps(&a->spec.steps, v), 1);
		break;
	case AGG_QUANTILES:
		spread = add_to_bucket(a, spread, spread_fine(v), 1);
		break;
	case AGG_COUNT:
	case AGG_TOP:
		return;
	}
	widen(spread, v, v);
	add_to_sum(a, spread, v.v);
	spread->n++;
}

/* ---------------------------------------------------------------- merging */

static void merge_stats(struct aggregate *a, struct agg_stats *s, const struct agg_stats *t)
{
	struct squares q = agg_squares(s), more = agg_squares(t);

	squares_merge(&q, &more);
	agg_set_squares(a, s, &q);
	if (!s->n) {
		s->min = t->min;
		s->min_neg = t->min_neg;
		s->max = t->max;
		s->max_neg = t->max_neg;
	}
	if (number_less((struct number){ t->min, t->min_neg },
			(struct number){ s->min, s->min_neg })) {
		s->min = t->min;
		s->min_neg = t->min_neg;
	}
	if (number_less((struct number){ s->max, s->max_neg },
			(struct number){ t->max, t->max_neg })) {
		s->max = t->max;
		s->max_neg = t->max_neg;
	}
	sum_merge(&s->sum, &t->sum);
	s->n += t->n;
}

static void merge_extreme(struct agg_extreme *x, const struct agg_extreme *y, bool max)
{
	uint64_t n = x->n + y->n;

	take_extreme(x, (struct number){ y->v, y->neg }, max);
	x->n = n;
}

/* What does not fit goes to `other`, bucket by bucket. */
static void merge_spread(struct aggregate *a, struct agg_spread *s, const struct agg_spread *t)
{
	const struct agg_bucket *b;
	struct agg_spread *to;

	for (b = t->first; b; b = b->next) {
		to = add_to_bucket(a, s, b->at, b->n);
		widen(to, (struct number){ t->min, t->min_neg },
		      (struct number){ t->max, t->max_neg });
		to->n += b->n;
		/* It is not known which part of the sum belongs to that bucket. */
		a->sumless |= to != s;
	}
	add_to_sum(a, s, t->sum);
}

static void merge_value(struct aggregate *a, void *value, const struct aggregate *b,
			const void *from)
{
	const struct agg_sum *sum = from;

	if (!agg_n(b, from))
		return;
	switch (a->spec.kind) {
	case AGG_COUNT:
		((struct agg_count *)value)->n += ((const struct agg_count *)from)->n;
		return;
	case AGG_SUM:
	case AGG_AVG:
		((struct agg_sum *)value)->n += sum->n;
		sum_merge(&((struct agg_sum *)value)->sum, &sum->sum);
		return;
	case AGG_MIN:
	case AGG_MAX:
		merge_extreme(value, from, a->spec.kind == AGG_MAX);
		return;
	case AGG_STATS:
		merge_stats(a, value, from);
		return;
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		merge_spread(a, value, from);
		return;
	case AGG_TOP:
		top_merge(a, value, from);
		return;
	}
}

static const char *const KINDS[] = { "count", "sum",  "min",   "max",	    "avg",
				     "stats", "hist", "lhist", "quantiles", "top" };

bool agg_may_join(const struct aggregate *a, unsigned n)
{
	uint64_t each = n;

	return !a->full && !a->bare && a->table.index.n * each <= a->spec.max_keys &&
	       a->key_bytes <= AGG_KEY_BYTES / each && a->buckets.index.n * each <= AGG_BUCKETS &&
	       a->records * each <= AGG_RECORDS && a->record_bytes <= AGG_RECORD_BYTES / each;
}

int agg_merge(struct aggregate *a, const struct aggregate *b, struct err *e)
{
	const struct agg_spec *x = &a->spec, *y = &b->spec;
	uint32_t slot = 0;
	void *from;

	if (a == b)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "an aggregation cannot be merged with itself");
	if (x->kind != y->kind)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "a %s cannot be merged with a %s",
			       KINDS[x->kind], KINDS[y->kind]);
	if (x->nby != y->nby || x->nfields != y->nfields)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "one has keys of %u parts, the other of %u", x->nby + x->nfields,
			       y->nby + y->nfields);
	if (x->kind == AGG_LHIST && memcmp(&x->steps, &y->steps, sizeof(x->steps)))
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "the two have different steps: from, to and step must be equal");
	a->sumless |= b->sumless;
	while ((from = table_next(&b->table, &slot))) {
		const uint64_t *key = table_key(&b->table, from);

		if (agg_n(b, from))
			merge_value(a, agg_value(a, key, key_words(key, x->nby)), b, from);
	}
	if (b->all)
		merge_value(a, a->all, b, b->all);
	merge_value(a, a->other, b, b->other);
	return 0;
}

struct aggregate *agg_total(const struct aggregate *a)
{
	struct agg_spec spec = a->spec;
	struct aggregate *t;
	uint32_t slot = 0;
	void *from;

	spec.nby = 0;
	t = agg_new(&spec, a->at, NULL);
	t->sumless = a->sumless;
	while ((from = table_next(&a->table, &slot)))
		merge_value(t, t->all, a, from);
	if (a->all)
		merge_value(t, t->all, a, a->all);
	merge_value(t, t->all, a, a->other);
	return t;
}

void agg_bucket_add(struct aggregate *a, void *value, int32_t at, uint64_t n)
{
	add_to_bucket(a, value, at, n);
}

double agg_variance(const struct agg_stats *s)
{
	struct squares q = agg_squares(s);

	return s->n ? squares_variance(&q, &s->sum, s->n) : 0;
}

size_t agg_bytes(const struct aggregate *a)
{
	size_t records = a->records * (sizeof(struct agg_record) + sizeof(struct agg_record *));

	return sizeof(*a) + table_bytes(&a->table) + table_bytes(&a->buckets) + records +
	       a->record_bytes + a->wides * sizeof(struct squares);
}
