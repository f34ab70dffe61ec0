/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state: an aggregate's rows as another run can read them, and back.
 */
#include "interp/rows/state.h"

#include "interp/common/answer_key.h"
#include "interp/rows/rows_priv.h"

#include <stdlib.h>

/* A part of a key, with the letter of its kind before it. */
static SV *tagged_sv(pTHX_ const struct key_part *p)
{
	static const char letters[] = { [KEY_UNDEF] = 'u',  [KEY_INT32] = 'i', [KEY_INT64] = 'i',
					[KEY_UINT64] = 'i', [KEY_TEXT] = 's',  [KEY_BITS] = 'b' };
	SV *sv = newSVpvn(&letters[p->kind], 1), *value = rows_part_sv(aTHX_ p);

	if (p->kind != KEY_UNDEF)
		sv_catsv(sv, value);
	SvREFCNT_dec(value);
	return sv;
}

AV *state_row(pTHX_ const struct aggregate *a, const void *value)
{
	const struct agg_extreme *extreme = value;
	const struct agg_spread *spread = value;
	const struct agg_stats *stats = value;
	const struct agg_sum *sum = value;
	AV *row = rows_begin(aTHX_ a, value, tagged_sv);
	const struct agg_bucket **b;
	struct squares squares;
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
		av_push(row, rows_number_sv(aTHX_(struct number){ extreme->v, extreme->neg }));
		break;
	case AGG_STATS:
		av_push(row, newSViv((IV)stats->sum.hi));
		av_push(row, newSVuv((UV)stats->sum.lo));
		av_push(row, rows_number_sv(aTHX_(struct number){ stats->min, stats->min_neg }));
		av_push(row, rows_number_sv(aTHX_(struct number){ stats->max, stats->max_neg }));
		squares = agg_squares(stats);
		for (i = 0; i < 3; i++)
			av_push(row, newSVuv((UV)squares.w[i]));
		break;
	case AGG_HIST:
	case AGG_LHIST:
	case AGG_QUANTILES:
		av_push(row, rows_number_sv(aTHX_(struct number){ spread->min, spread->min_neg }));
		av_push(row, rows_number_sv(aTHX_(struct number){ spread->max, spread->max_neg }));
		b = agg_buckets(spread, &n);
		for (i = 0; i < n; i++) {
			av_push(row, newSViv(b[i]->at));
			av_push(row, newSVuv((UV)b[i]->n));
		}
		free(b);
		break;
	case AGG_TOP:
		rows_push_records(aTHX_ row, a, value, tagged_sv);
		break;
	}
	return row;
}

/* And back. */
static bool tagged_part(pTHX_ struct key *k, SV *sv)
{
	SV *value;
	STRLEN len;
	const char *s;
	struct number v;

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
		return answer_key_set(k, s + 1, len - 1);
	value = sv_2mortal(newSVpvn(s + 1, len - 1));
	if (*s != 'i' || !rows_number_from(aTHX_ value, &v))
		return false;
	key_number(k, v.v, v.neg);
	return true;
}

/* The N parts from place FROM of AV as a packed key; 0: they are invalid. */
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

	return sv && rows_number_from(aTHX_ * sv, v);
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

static bool take_stats(pTHX_ struct aggregate *a, AV *row, struct agg_stats *s)
{
	struct number min, max, word;
	struct squares q;

	if (!sum_at(aTHX_ row, 2, &s->sum) || !number_at(aTHX_ row, 4, &min) ||
	    !number_at(aTHX_ row, 5, &max))
		return false;
	for (unsigned i = 0; i < 3; i++) {
		if (!number_at(aTHX_ row, 6 + i, &word) || word.neg)
			return false;
		q.w[i] = word.v;
	}
	s->min = min.v;
	s->min_neg = min.neg;
	s->max = max.v;
	s->max_neg = max.neg;
	agg_set_squares(a, s, &q);
	return av_len(row) == 8 && agg_variance(s) >= 0;
}

/* Is there such a bucket? */
static bool is_bucket(const struct aggregate *a, struct number v)
{
	const struct lhist_steps *s = &a->spec.steps;
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
	a->sumless = true;
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

/* Read what follows the key and the N events of a row into a value that has no events yet. */
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
		return !(n >> 61) && take_stats(aTHX_ a, row, value);
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

bool state_take(pTHX_ struct aggregate *a, AV *row)
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
	/* Each key has one row. */
	return !agg_n(a, value) && take_value(aTHX_ a, row, value, n);
}
