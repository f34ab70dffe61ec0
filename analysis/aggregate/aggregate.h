/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_AGGREGATE_AGGREGATE_H
#define ZED_ANALYSIS_AGGREGATE_AGGREGATE_H

#include "base/err.h"
#include "analysis/aggregate/key.h"
#include "analysis/aggregate/spread.h"
#include "analysis/aggregate/agg_table.h"

/*
 * Statistics of many events, by keys: counts, sums and extremes of a number, its distribution, the
 * records with the largest values.  It does not see events: measure.h takes the key and the number
 * from one.
 *
 * Memory has bounds: max_keys keys of AGG_KEY_BYTES together, AGG_BUCKETS buckets, AGG_RECORDS
 * records, whose fields take AGG_RECORD_BYTES.  What does not fit is counted under one additional
 * key, "other", or is kept without its fields, and a notice says so once.
 */
#define AGG_MAX_KEYS 1000000		/* unless the user says otherwise */
#define AGG_KEY_BYTES (256ull << 20)	/* of packed keys */
#define AGG_BUCKETS (8u << 20)		/* of histograms that are not empty, of all keys */
#define AGG_RECORDS (1u << 20)		/* records that AGG_TOP keeps, of all keys */
#define AGG_RECORD_BYTES (256ull << 20) /* bytes of their fields */
#define AGG_TOP_MAX 10000		/* and of those of one */

enum agg_kind {
	AGG_COUNT,
	AGG_SUM,
	AGG_MIN,
	AGG_MAX,
	AGG_AVG,
	AGG_STATS,
	AGG_HIST,      /* by powers of two */
	AGG_LHIST,     /* by equal steps */
	AGG_QUANTILES, /* by powers of two in 64 steps each */
	AGG_TOP,
};

struct agg_spec {
	enum agg_kind kind;
	unsigned nby;		  /* parts of a key, 0 to KEY_PARTS */
	unsigned nfields;	  /* AGG_TOP: parts of what is kept of a record */
	uint32_t max_keys;	  /* 1 to TABLE_MOST */
	uint32_t keep;		  /* AGG_TOP: records of a key, 1 to AGG_TOP_MAX */
	struct lhist_steps steps; /* AGG_LHIST */
};

/*
 * The values of a key.  Each begins with its number of events; 0: there is no value.
 */
struct agg_count {
	uint64_t n;
};

struct agg_sum { /* AGG_SUM, AGG_AVG */
	uint64_t n;
	struct sum sum;
};

struct agg_extreme { /* AGG_MIN, AGG_MAX */
	uint64_t n : 63, neg : 1;
	uint64_t v;
};

struct agg_stats {
	uint64_t n : 61, min_neg : 1, max_neg : 1, is_wide : 1;
	struct sum sum;
	uint64_t min, max;
	union {
		uint64_t few; /* the squares: their sum, as long as it fits into a word */
		struct squares *wide;
	};
};

struct agg_spread { /* AGG_HIST, AGG_LHIST, AGG_QUANTILES */
	uint64_t n : 62, min_neg : 1, max_neg : 1;
	uint64_t min, max;
	uint64_t sum;		  /* known unless there is a negative number, or sumless */
	struct agg_bucket *first; /* of its buckets */
	uint32_t id;		  /* number of the value, in the keys of its buckets; from 1 */
};

struct agg_bucket {
	uint64_t n;
	struct agg_bucket *next;
	int32_t at; /* as spread.h counts them */
};

struct agg_top {
	uint64_t n;
	struct agg_record **records; /* a heap; the first is the next one to be replaced */
	uint32_t nrecords;
};

struct agg_record {
	struct number v;
	uint64_t ts, seq;
	int32_t cpu;
	uint32_t source, words;
	uint64_t fields[]; /* a packed key of nfields parts */
};

/* The buckets used last: most events are in one of a few. */
#define AGG_RECENT 256

struct agg_recent {
	uint64_t key;
	struct agg_bucket *bucket;
};

struct aggregate {
	struct agg_spec spec;
	struct agg_table table;	   /* packed key -> value */
	struct agg_table buckets;  /* id and number of a bucket -> struct agg_bucket */
	struct agg_recent *recent; /* AGG_RECENT of them, of kinds with buckets */
	void *all;		   /* the only value, where there are no keys */
	void *other;		   /* for what had no room */
	uint64_t key_bytes, record_bytes;
	uint32_t spreads, records;
	uint32_t wides; /* agg_stats.wide */
	unsigned refs;
	struct notes *notes;
	char *at;	      /* "count.pl line 3: Zed::count", for notices */
	bool full, cut, bare; /* reported: too many keys, texts too long, fields left out */
	bool is_time;	      /* its values are ns: known once a type with them was met */
	bool sumless;	      /* of a spread: a sum exceeds 64 bits, or a merged state had none */
};

/* With one reference; AT is copied.  N may be NULL. */
struct aggregate *agg_new(const struct agg_spec *spec, const char *at, struct notes *n);
struct aggregate *agg_ref(struct aggregate *a);
void agg_put(struct aggregate *a); /* NULL is fine */

/* The value of a new key, or `other` if there is no room for it. */
void *agg_add_key(struct aggregate *a, const uint64_t *key, unsigned words, uint32_t hash);

/* The value of the key of WORDS words (0: there are no keys). */
static inline void *agg_value(struct aggregate *a, const uint64_t *key, unsigned words)
{
	uint32_t hash;
	void *v;

	if (a->all)
		return a->all;
	hash = table_hash(&a->table, key, words);
	v = table_find(&a->table, key, words, hash);
	return v ? v : agg_add_key(a, key, words, hash);
}

/* The value of a key that is there, or NULL. */
void *agg_find(const struct aggregate *a, const uint64_t *key, unsigned words);

/* Count one event with the number V, for all kinds but AGG_COUNT and AGG_TOP. */
void agg_take(struct aggregate *a, void *value, struct number v);

/* Would R be kept?  Only v, ts, source, cpu and seq are looked at.  Counts the event. */
bool agg_top_wants(struct aggregate *a, void **value, const struct agg_record *r);
/* Keep a copy of R with FIELDS: only directly after agg_top_wants() was true. */
void agg_top_keep(struct aggregate *a, void *value, const struct agg_record *r,
		  const uint64_t *fields, unsigned words);

/* How many events VALUE is made of. */
uint64_t agg_n(const struct aggregate *a, const void *value);

/*
 * Would N aggregates like A, each of a part of the same events, fit together into one?  Otherwise
 * what is `other` depends on which keys come first.
 */
bool agg_may_join(const struct aggregate *a, unsigned n);

/* Get the squares of S, wherever they are kept, and set them. */
struct squares agg_squares(const struct agg_stats *s);
void agg_set_squares(struct aggregate *a, struct agg_stats *s, const struct squares *q);

/* Add B to A.  -1 with E: they differ in kind or in their keys. */
int agg_merge(struct aggregate *a, const struct aggregate *b, struct err *e);

/* All keys of A together, as an aggregate without keys; owned by the caller. */
struct aggregate *agg_total(const struct aggregate *a);

/* Forget all events. */
void agg_clear(struct aggregate *a);

/*
 * The values of all keys, the greatest first, equal ones in the order of their keys; `other`, if
 * not empty, last.  *N of them, free() the list.
 */
void **agg_list(const struct aggregate *a, size_t *n);

/* The key of VALUE, from agg_list(); NULL: it is `other`, or there are no keys. */
static inline const uint64_t *agg_key(const struct aggregate *a, const void *value)
{
	return value == a->other || value == a->all ? NULL : table_key(&a->table, value);
}

/* The buckets of VALUE from the lowest on; *N of them, free() the list. */
const struct agg_bucket **agg_buckets(const void *value, size_t *n);
struct bounds agg_bounds(const struct aggregate *a, int32_t bucket);
/* The quantile P (0 to 1) of VALUE, from its N buckets B: by the nearest rank. */
struct number agg_quantile(const struct aggregate *a, const struct agg_spread *value,
			   const struct agg_bucket *const *b, size_t n, double p);

/* The records of VALUE, the largest first; *N of them, free() the list. */
const struct agg_record **agg_records(const void *value, size_t *n);

/* Count N more in that bucket of VALUE. */
void agg_bucket_add(struct aggregate *a, void *value, int32_t at, uint64_t n);

/* Variance of the counted values: of the population, with n and not n - 1. */
double agg_variance(const struct agg_stats *s);

/* Bytes used by A. */
size_t agg_bytes(const struct aggregate *a);

#endif
