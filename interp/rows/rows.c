/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows: an aggregate as Perl data, for the methods of Zed::Aggregate.
 */
#include "interp/rows/rows_priv.h"

#include "interp/common/answer_key.h"
#include "trace/field.h"

#include <stdlib.h>

SV *rows_number_sv(pTHX_ struct number v)
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

SV *rows_part_sv(pTHX_ const struct key_part *p)
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

AV *rows_begin(pTHX_ const struct aggregate *a, const void *value, part_to_sv *how)
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
	av_push(row, rows_number_sv(aTHX_(struct number){ s->min, s->min_neg }));
	av_push(row, rows_number_sv(aTHX_(struct number){ s->max, s->max_neg }));
	av_push(row, newSVnv(sum_double(&s->sum) / (double)s->n));
	av_push(row, newSVnv(agg_variance(s)));
}

static SV *bucket_sv(pTHX_ const struct aggregate *a, const struct agg_bucket *b)
{
	struct bounds in = agg_bounds(a, b->at);
	bool steps = a->spec.kind == AGG_LHIST;
	AV *av = newAV();

	av_push(av, steps && b->at == SPREAD_BELOW ? newSV(0) : rows_number_sv(aTHX_ in.low));
	av_push(av, steps && b->at == SPREAD_ABOVE ? newSV(0) : rows_number_sv(aTHX_ in.high));
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

	/* From the script, so reading one may die: before anything is held. */
	for (k = 0; percents && k <= av_len(percents); k++) {
		SV **p = av_fetch(percents, k, 0);

		av_push(ask, newSVnv(p ? SvNV(*p) / 100 : 0));
	}
	buckets = newAV();
	b = agg_buckets(s, &n);
	av_push(row, rows_number_sv(aTHX_(struct number){ s->min, s->min_neg }));
	av_push(row, rows_number_sv(aTHX_(struct number){ s->max, s->max_neg }));
	for (i = 0; i < n; i++)
		av_push(buckets, bucket_sv(aTHX_ a, b[i]));
	av_push(row, newRV_noinc((SV *)buckets));
	for (k = 0; k <= av_len(ask); k++)
		av_push(row,
			rows_number_sv(aTHX_ agg_quantile(a, s, b, n, SvNV(*av_fetch(ask, k, 0)))));
	free(b);
}

static AV *record_av(pTHX_ const struct agg_record *r)
{
	AV *av = newAV();

	av_push(av, rows_number_sv(aTHX_ r->v));
	av_push(av, newSVuv((UV)r->ts));
	av_push(av, newSViv(r->cpu));
	av_push(av, newSVuv((UV)r->seq));
	av_push(av, newSVuv(r->source));
	return av;
}

void rows_push_records(pTHX_ AV *row, const struct aggregate *a, const void *value, part_to_sv *how)
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
	AV *row = (AV *)sv_2mortal((SV *)rows_begin(aTHX_ a, value, rows_part_sv));

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
		av_push(row, rows_number_sv(aTHX_(struct number){ extreme->v, extreme->neg }));
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
		rows_push_records(aTHX_ row, a, value, rows_part_sv);
		break;
	}
	return (AV *)SvREFCNT_inc_simple_NN((SV *)row);
}

bool rows_number_from(pTHX_ SV *sv, struct number *v)
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

/* The kinds of a scalar as a part of a key, in the order in which they are tried. */
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
		if (!rows_number_from(aTHX_ sv, &v))
			return false;
		key_number(k, v.v, v.neg);
		return true;
	}
	s = SvPVbyte(sv, len);
	if (guess == GUESS_SET)
		return answer_key_set(k, s, len);
	key_text(k, s, len <= UINT32_MAX ? (uint32_t)len : UINT32_MAX);
	return true;
}

/* K has the parts before part I. */
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
