/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows: an aggregate as Perl data, for the methods of Zed::Aggregate, and back from the state that
 * another run has written.
 */
#include "interp/api/rows.h"

#include "base/cpulist.h"
#include "reader/model/field.h"

#include <stdlib.h>

/* ---------------------------------------------------------------- to Perl */

static SV *number_sv(pTHX_ struct number v)
{
	return v.neg ? newSViv((IV)v.v) : newSVuv((UV)v.v);
}

static SV *sum_sv(pTHX_ const struct sum *s)
{
	if (!s->hi)
		return newSVuv((UV)s->lo);
	if (s->hi == -1 && s->lo >> 63)
		return newSViv((IV)s->lo);
	return newSVnv(sum_double(s));
}

static SV *bits_sv(pTHX_ const char *bits, uint32_t len)
{
	struct span span = { .p = (const uint8_t *)bits, .len = len };
	size_t need = field_bits(&span, 1, false, NULL, 0);
	SV *sv = newSV(need + 1);

	field_bits(&span, 1, false, SvPVX(sv), need + 1);
	SvCUR_set(sv, need);
	SvPOK_only(sv);
	return sv;
}

static SV *part_sv(pTHX_ const struct key_part *p)
{
	switch (p->kind) {
	case KEY_INT32:
	case KEY_INT64:
		return newSViv((IV)(int64_t)p->num);
	case KEY_UINT64:
		return newSVuv((UV)p->num);
	case KEY_TEXT:
		return newSVpvn(p->text, p->len);
	case KEY_BITS:
		return bits_sv(aTHX_ p->text, p->len);
	case KEY_UNDEF:
		break;
	}
	return newSV(0);
}

/* The same with its letter. */
static SV *tagged_sv(pTHX_ const struct key_part *p)
{
	static const char letters[] = { [KEY_UNDEF] = 'u',  [KEY_INT32] = 'i', [KEY_INT64] = 'i',
					[KEY_UINT64] = 'i', [KEY_TEXT] = 's',  [KEY_BITS] = 'b' };
	SV *sv = newSVpvn(&letters[p->kind], 1), *value = part_sv(aTHX_ p);

	if (p->kind != KEY_UNDEF)
		sv_catsv(sv, value);
	SvREFCNT_dec(value);
	return sv;
}

typedef SV *part_to_sv(pTHX_ const struct key_part *p);

static void push_parts(pTHX_ AV *av, const uint64_t *key, unsigned n, part_to_sv *how)
{
	struct key_part part = { .kind = KEY_UNDEF };
	struct key_reader r;

	if (!n)
		return;
	key_first(&r, key);
	while (n--) {
		key_next(&r, &part);
		av_push(av, how(aTHX_ & part));
	}
}

static AV *row_new(pTHX_ const struct aggregate *a, const void *value, part_to_sv *how)
{
	const uint64_t *key = agg_key(a, value);
	AV *row = newAV(), *parts;

	if (value == a->other) {
		av_push(row, newSV(0));
	} else {
		parts = newAV();
		push_parts(aTHX_ parts, key, a->spec.nby, how);
		av_push(row, newRV_noinc((SV *)parts));
	}
	av_push(row, newSVuv((UV)agg_n(a, value)));
	return row;
}

static void push_stats(pTHX_ AV *row, const struct agg_stats *s)
{
	av_push(row, sum_sv(aTHX_ & s->sum));
	av_push(row, number_sv(aTHX_(struct number){ s->min, s->min_neg }));
	av_push(row, number_sv(aTHX_(struct number){ s->max, s->max_neg }));
	av_push(row, newSVnv(sum_double(&s->sum) / (double)s->n));
	av_push(row, newSVnv(agg_variance(s)));
}

static SV *bucket_sv(pTHX_ const struct aggregate *a, const struct agg_bucket *b)
{
	struct bounds in = agg_bounds(a, b->at);
	bool steps = a->spec.kind == AGG_LHIST;
	AV *av = newAV();

	av_push(av, steps && b->at == SPREAD_BELOW ? newSV(0) : number_sv(aTHX_ in.low));
	av_push(av, steps && b->at == SPREAD_ABOVE ? newSV(0) : number_sv(aTHX_ in.high));
	av_push(av, newSVuv((UV)b->n));
	return newRV_noinc((SV *)av);
}

static void push_spread(pTHX_ AV *row, const struct aggregate *a, const struct agg_spread *s,
			AV *percents)
{
	AV *buckets, *ask = (AV *)sv_2mortal((SV *)newAV());
	const struct agg_bucket **b;
	size_t n, i;
	SSize_t k;

	/* Of the script, so that to ask for one may die: before anything is held. */
	for (k = 0; percents && k <= av_len(percents); k++) {
		SV **p = av_fetch(percents, k, 0);

		av_push(ask, newSVnv(p ? SvNV(*p) / 100 : 0));
	}
	buckets = newAV();
	b = agg_buckets(s, &n);
	av_push(row, number_sv(aTHX_(struct number){ s->min, s->min_neg }));
	av_push(row, number_sv(aTHX_(struct number){ s->max, s->max_neg }));
	for (i = 0; i < n; i++)
		av_push(buckets, bucket_sv(aTHX_ a, b[i]));
	av_push(row, newRV_noinc((SV *)buckets));
	for (k = 0; k <= av_len(ask); k++)
		av_push(row, number_sv(aTHX_ agg_quantile(a, s, b, n, SvNV(*av_fetch(ask, k, 0)))));
	free(b);
}

static AV *record_av(pTHX_ const struct agg_record *r)
{
	AV *av = newAV();

	av_push(av, number_sv(aTHX_ r->v));
	av_push(av, newSVuv((UV)r->ts));
	av_push(av, newSViv(r->cpu));
	av_push(av, newSVuv((UV)r->seq));
	av_push(av, newSVuv(r->source));
	return av;
}

static void push_records(pTHX_ AV *row, const struct aggregate *a, const void *value,
			 part_to_sv *how)
{
	const struct agg_record **r;
	AV *records = newAV();
	size_t n, i;

	r = agg_records(value, &n);
	for (i = 0; i < n; i++) {
		AV *av = record_av(aTHX_ r[i]);

		push_parts(aTHX_ av, r[i]->fields, a->spec.nfields, how);
		av_push(records, newRV_noinc((SV *)av));
	}
	free(r);
	av_push(row, newRV_noinc((SV *)records));
}

AV *rows_row(pTHX_ const struct aggregate *a, const void *value, AV *percents)
{
	const struct agg_extreme *extreme = value;
	const struct agg_sum *sum = value;
	AV *row = (AV *)sv_2mortal((SV *)row_new(aTHX_ a, value, part_sv));

	if (!agg_n(a, value))
		return (AV *)SvREFCNT_inc_simple_NN((SV *)row);
	switch (a->spec.kind) {
	case AGG_COUNT:
		break;
	case AGG_SUM:
		av_push(row, sum_sv(aTHX_ & sum->sum));
		break;
	case AGG_AVG:
		av_push(row, newSVnv(sum_double(&sum->sum) / (double)sum->n));
		break;
	case AGG_MIN:
	case AGG_MAX:
		av_push(row, number_sv(aTHX_(struct number){ extreme->v, extreme->neg }));
		break;
	case AGG_STATS:
		push_stats(aTHX_ row, value);
		break;
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		push_spread(aTHX_ row, a, value, percents);
		break;
	case AGG_TOP:
		push_records(aTHX_ row, a, value, part_sv);
		break;
	}
	return (AV *)SvREFCNT_inc_simple_NN((SV *)row);
}

AV *rows_state(pTHX_ const struct aggregate *a, const void *value)
{
	const struct agg_extreme *extreme = value;
	const struct agg_spread *spread = value;
	const struct agg_stats *stats = value;
	const struct agg_sum *sum = value;
	AV *row = row_new(aTHX_ a, value, tagged_sv);
	const struct agg_bucket **b;
	size_t n, i;

	switch (a->spec.kind) {
	case AGG_COUNT:
		break;
	case AGG_SUM:
	case AGG_AVG:
		av_push(row, newSViv((IV)sum->sum.hi));
		av_push(row, newSVuv((UV)sum->sum.lo));
		break;
	case AGG_MIN:
	case AGG_MAX:
		av_push(row, number_sv(aTHX_(struct number){ extreme->v, extreme->neg }));
		break;
	case AGG_STATS:
		av_push(row, newSViv((IV)stats->sum.hi));
		av_push(row, newSVuv((UV)stats->sum.lo));
		av_push(row, number_sv(aTHX_(struct number){ stats->min, stats->min_neg }));
		av_push(row, number_sv(aTHX_(struct number){ stats->max, stats->max_neg }));
		av_push(row, newSVpvf("%.17" NVgf, (NV)stats->m2));
		break;
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		av_push(row, number_sv(aTHX_(struct number){ spread->min, spread->min_neg }));
		av_push(row, number_sv(aTHX_(struct number){ spread->max, spread->max_neg }));
		b = agg_buckets(spread, &n);
		for (i = 0; i < n; i++) {
			av_push(row, newSViv(b[i]->at));
			av_push(row, newSVuv((UV)b[i]->n));
		}
		free(b);
		break;
	case AGG_TOP:
		push_records(aTHX_ row, a, value, tagged_sv);
		break;
	}
	return row;
}

/* ---------------------------------------------------------------- from Perl */

/* A whole number of 64 bits, as such or in text. */
static bool number_from(pTHX_ SV *sv, struct number *v)
{
	const char *s;
	STRLEN len;
	UV uv;
	int what;

	if (!sv || !SvOK(sv) || SvROK(sv))
		return false;
	s = SvPV(sv, len);
	what = grok_number(s, len, &uv);
	if (what == IS_NUMBER_IN_UV) {
		*v = (struct number){ .v = uv };
		return true;
	}
	*v = (struct number){ .v = ~(uint64_t)uv + 1, .neg = uv != 0 };
	return what == (IS_NUMBER_IN_UV | IS_NUMBER_NEG) && uv <= 1ull << 63;
}

static bool set_from(const char *s, STRLEN len, struct key *k)
{
	uint64_t bits[CPULIST_MAX / 64];
	uint8_t bytes[CPULIST_MAX / 8];
	size_t bad, i;

	memset(bits, 0, sizeof(bits));
	if (cpulist_parse(s, len, bits, &bad) < 0)
		return false;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(bits[i / 8] >> 8 * (i % 8));
	key_bits(k, bytes, sizeof(bytes) < KEY_TEXT_MAX ? sizeof(bytes) : KEY_TEXT_MAX, 1, false);
	return true;
}

/* What a scalar may be as a part of a key, in the order in which that is tried. */
enum guess { GUESS_NUMBER, GUESS_TEXT, GUESS_SET, GUESSES };

static bool guess_part(pTHX_ struct key *k, SV *sv, enum guess guess)
{
	struct number v;
	const char *s;
	STRLEN len;

	if (!SvOK(sv)) {
		key_undef(k);
		return guess == GUESS_NUMBER;
	}
	if (guess == GUESS_NUMBER) {
		if (!number_from(aTHX_ sv, &v))
			return false;
		key_number(k, v.v, v.neg);
		return true;
	}
	s = SvPVbyte(sv, len);
	if (guess == GUESS_SET)
		return set_from(s, len, k);
	key_text(k, s, len <= UINT32_MAX ? (uint32_t)len : UINT32_MAX);
	return true;
}

/* K has the parts before I. */
static void *find_from(pTHX_ const struct aggregate *a, SV **key, unsigned i, const struct key *k)
{
	struct key with;
	void *value = NULL;
	unsigned guess, words;

	if (i == a->spec.nby) {
		with = *k;
		words = key_end(&with);
		return agg_find(a, with.w, words);
	}
	for (guess = 0; guess < GUESSES && !value; guess++) {
		with = *k;
		if (guess_part(aTHX_ & with, key[i], (enum guess)guess))
			value = find_from(aTHX_ a, key, i + 1, &with);
	}
	return value;
}

void *rows_find(pTHX_ const struct aggregate *a, SV **key)
{
	struct key k;

	memset(&k, 0, sizeof(k));
	key_begin(&k);
	return find_from(aTHX_ a, key, 0, &k);
}

/* A part of a key with its letter. */
static bool tagged_part(pTHX_ struct key *k, SV *sv)
{
	SV *value;
	STRLEN len;
	const char *s;

	if (!SvOK(sv) || SvROK(sv))
		return false;
	s = SvPVbyte(sv, len);
	if (!len)
		return false;
	if (*s == 'u')
		key_undef(k);
	if (*s == 's')
		key_text(k, s + 1, (uint32_t)(len - 1));
	if (*s == 'u' || *s == 's')
		return len - 1 <= KEY_TEXT_MAX;
	if (*s == 'b')
		return len == 1 ? (key_bits(k, (const uint8_t *)"", 0, 1, false), true) :
				  set_from(s + 1, len - 1, k);
	value = sv_2mortal(newSVpvn(s + 1, len - 1));
	return *s == 'i' && guess_part(aTHX_ k, value, GUESS_NUMBER);
}

/* The N parts from place FROM of AV as a packed key; 0: they are none. */
static unsigned key_from(pTHX_ struct key *k, AV *av, SSize_t from, unsigned n)
{
	unsigned i;

	if (av_len(av) + 1 != from + (SSize_t)n)
		return 0;
	key_begin(k);
	for (i = 0; i < n; i++) {
		SV **sv = av_fetch(av, from + i, 0);

		if (!sv || !tagged_part(aTHX_ k, *sv))
			return 0;
	}
	return key_end(k);
}

static bool number_at(pTHX_ AV *av, SSize_t i, struct number *v)
{
	SV **sv = av_fetch(av, i, 0);

	return sv && number_from(aTHX_ * sv, v);
}

static bool count_at(pTHX_ AV *av, SSize_t i, uint64_t *n)
{
	struct number v;

	if (!number_at(aTHX_ av, i, &v) || v.neg || v.v >> 62)
		return false;
	*n = v.v;
	return true;
}

static bool sum_at(pTHX_ AV *av, SSize_t i, struct sum *s)
{
	struct number hi, lo;

	if (!number_at(aTHX_ av, i, &hi) || !number_at(aTHX_ av, i + 1, &lo) || lo.neg)
		return false;
	s->hi = (int64_t)hi.v;
	s->lo = lo.v;
	return true;
}

static bool take_stats(pTHX_ AV *row, struct agg_stats *s)
{
	struct number min, max;
	SV **m2 = av_fetch(row, 6, 0);

	if (!sum_at(aTHX_ row, 2, &s->sum) || !number_at(aTHX_ row, 4, &min) ||
	    !number_at(aTHX_ row, 5, &max) || !m2 || !looks_like_number(*m2))
		return false;
	s->min = min.v;
	s->min_neg = min.neg;
	s->max = max.v;
	s->max_neg = max.neg;
	s->m2 = SvNV(*m2);
	return av_len(row) == 6;
}

/* Is there such a bucket? */
static bool is_bucket(const struct aggregate *a, struct number v)
{
	const struct steps *s = &a->spec.steps;
	int64_t at = (int64_t)v.v;

	if (a->spec.kind == AGG_HIST)
		return at >= -64 && at <= 64;
	if (a->spec.kind == AGG_QUANTILES)
		return at >= -FINE_MOST && at <= FINE_MOST;
	return at == SPREAD_BELOW || at == SPREAD_ABOVE ||
	       (at >= 0 && (uint64_t)at < ((uint64_t)s->to - (uint64_t)s->from) / s->step);
}

static bool take_spread(pTHX_ struct aggregate *a, AV *row, struct agg_spread *s, uint64_t n)
{
	struct number min, max, at;
	uint64_t count, all = 0;
	SSize_t i;

	if (!number_at(aTHX_ row, 2, &min) || !number_at(aTHX_ row, 3, &max))
		return false;
	for (i = 4; i < av_len(row); i += 2) {
		if (!number_at(aTHX_ row, i, &at) || !is_bucket(a, at) ||
		    !count_at(aTHX_ row, i + 1, &count))
			return false;
		agg_bucket_add(a, s, (int32_t)(int64_t)at.v, count);
		all += count;
	}
	s->min = min.v;
	s->min_neg = min.neg;
	s->max = max.v;
	s->max_neg = max.neg;
	return all == n && i == av_len(row) + 1;
}

static bool take_record(pTHX_ struct aggregate *a, AV *av, struct agg_top *t)
{
	struct number ts, cpu, seq, source;
	struct agg_record r;
	void *value = t;
	struct key k;
	unsigned words;

	memset(&r, 0, sizeof(r));
	memset(&k, 0, sizeof(k));
	if (!number_at(aTHX_ av, 0, &r.v) || !number_at(aTHX_ av, 1, &ts) ||
	    !number_at(aTHX_ av, 2, &cpu) || !number_at(aTHX_ av, 3, &seq) ||
	    !number_at(aTHX_ av, 4, &source))
		return false;
	words = key_from(aTHX_ & k, av, 5, a->spec.nfields);
	if (!words)
		return false;
	r.ts = ts.v;
	r.cpu = (int32_t)cpu.v;
	r.seq = seq.v;
	r.source = (uint32_t)source.v;
	if (agg_top_wants(a, &value, &r))
		agg_top_keep(a, value, &r, k.w, words);
	return true;
}

static bool take_records(pTHX_ struct aggregate *a, AV *row, struct agg_top *t, uint64_t n)
{
	SV **list = av_fetch(row, 2, 0);
	SSize_t i, count;
	AV *records;

	if (!list || !SvROK(*list) || SvTYPE(SvRV(*list)) != SVt_PVAV)
		return false;
	records = (AV *)SvRV(*list);
	count = av_len(records) + 1;
	for (i = 0; i < count; i++) {
		SV **r = av_fetch(records, i, 0);

		if (!r || !SvROK(*r) || SvTYPE(SvRV(*r)) != SVt_PVAV ||
		    !take_record(aTHX_ a, (AV *)SvRV(*r), t))
			return false;
	}
	return (uint64_t)count <= n && av_len(row) == 2;
}

/* What stands behind the key and the N events of a row, into a value that has none yet. */
static bool take_value(pTHX_ struct aggregate *a, AV *row, void *value, uint64_t n)
{
	struct agg_extreme *extreme = value;
	struct agg_sum *sum = value;
	struct number v;

	switch (a->spec.kind) {
	case AGG_COUNT:
		((struct agg_count *)value)->n = n;
		return av_len(row) == 1;
	case AGG_SUM:
	case AGG_AVG:
		sum->n = n;
		return sum_at(aTHX_ row, 2, &sum->sum) && av_len(row) == 3;
	case AGG_MIN:
	case AGG_MAX:
		if (!number_at(aTHX_ row, 2, &v))
			return false;
		*extreme = (struct agg_extreme){ .n = n, .v = v.v, .neg = v.neg };
		return av_len(row) == 2;
	case AGG_STATS:
		((struct agg_stats *)value)->n = n;
		return take_stats(aTHX_ row, value);
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		((struct agg_spread *)value)->n = n;
		return take_spread(aTHX_ a, row, value, n);
	case AGG_TOP:
		if (!take_records(aTHX_ a, row, value, n))
			return false;
		((struct agg_top *)value)->n = n;
		return true;
	}
	return false;
}

bool rows_take(pTHX_ struct aggregate *a, AV *row)
{
	SV **key = av_fetch(row, 0, 0);
	void *value = a->other;
	unsigned words;
	struct key k;
	uint64_t n;

	if (!key || !count_at(aTHX_ row, 1, &n) || !n)
		return false;
	if (SvOK(*key)) {
		if (!SvROK(*key) || SvTYPE(SvRV(*key)) != SVt_PVAV)
			return false;
		memset(&k, 0, sizeof(k));
		words = key_from(aTHX_ & k, (AV *)SvRV(*key), 0, a->spec.nby);
		if (!words)
			return false;
		value = agg_value(a, k.w, words);
	}
	/* A key has one row. */
	return !agg_n(a, value) && take_value(aTHX_ a, row, value, n);
}
