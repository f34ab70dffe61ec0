/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cell: scalars of a script as values of columns: numbers in their range, texts as UTF-8.
 */
#include "interp/tables/cell.h"

#include "text/utf8_text.h"

/* The whole number in SV, and whether it is negative. */
static bool whole(pTHX_ SV *sv, uint64_t *v, bool *neg)
{
	const char *s;
	STRLEN len;
	UV uv;
	NV nv;
	int what;

	if (SvIOK(sv) && !SvNOK(sv)) {
		*neg = !SvIsUV(sv) && SvIVX(sv) < 0;
		*v = SvIsUV(sv) ? (uint64_t)SvUVX(sv) : (uint64_t)SvIVX(sv);
		return true;
	}
	if (!SvNOK(sv)) {
		s = SvPV_nomg(sv, len);
		what = grok_number(s, len, &uv);
		*neg = what & IS_NUMBER_NEG;
		*v = *neg ? ~(uint64_t)uv + 1 : (uint64_t)uv;
		if ((what & ~IS_NUMBER_NEG) == IS_NUMBER_IN_UV)
			return !*neg || uv <= 1ull << 63;
		if (!what)
			return false;
	}
	/* With a fraction or an exponent: 1e9 is as good as 1000000000. */
	nv = SvNV_nomg(sv);
	*neg = nv < 0;
	if (!(nv >= -9223372036854775808.0 && nv < 18446744073709551616.0))
		return false;
	*v = *neg ? (uint64_t)(int64_t)nv : (uint64_t)nv;
	return *neg ? (NV)(int64_t)*v == nv : (NV)*v == nv;
}

/* Does the number fit the column's type? */
static bool fits(const struct parquet_column *c, uint64_t v, bool neg)
{
	static const unsigned BITS[] = { 8, 16, 32, 64 };
	bool is_signed = parquet_traits(c->type)->is_signed;
	unsigned bits = c->type == PARQUET_TIME ? 64 : BITS[c->type & 3];

	if (neg)
		return is_signed && (int64_t)v >= INT64_MIN >> (64 - bits);
	return v <= UINT64_MAX >> (64 - bits + is_signed);
}

static bool number_from(pTHX_ SV *sv, const struct parquet_column *c, uint64_t *to,
			const char **why)
{
	bool neg = false;
	double d;
	float f;

	SvGETMAGIC(sv);
	*why = "a number";
	if (!SvOK(sv) || SvROK(sv))
		return false;
	if (parquet_traits(c->type)->is_float) {
		uint32_t bits;

		if (!looks_like_number(sv))
			return false;
		d = (double)SvNV_nomg(sv);
		f = (float)d;
		memcpy(&bits, &f, 4);
		memcpy(to, &d, 8);
		if (c->type == PARQUET_FLOAT)
			*to = bits;
		return true;
	}
	*why = "a whole number that fits";
	return whole(aTHX_ sv, to, &neg) && fits(c, *to, neg);
}

static bool list_from(pTHX_ SV *sv, const struct parquet_column *c, struct value *v,
		      const char **why)
{
	AV *av;
	SSize_t n;

	*why = "an array reference or undef";
	if (!SvROK(sv) || SvTYPE(SvRV(sv)) != SVt_PVAV)
		return false;
	av = (AV *)SvRV(sv);
	n = av_len(av) + 1;
	if (n > (SSize_t)(VALUE_TEXT_MOST / sizeof(*v->items)))
		return false;
	v->len = (uint32_t)n;
	v->items = (uint64_t *)SvPVX(sv_2mortal(newSV((STRLEN)n * sizeof(*v->items) + 1)));
	for (SSize_t i = 0; i < n; i++) {
		SV **item = av_fetch(av, i, 0);

		if (!item || !number_from(aTHX_ * item, c, &v->items[i], why))
			return false;
	}
	return true;
}

static bool text_from(pTHX_ SV *sv, const struct parquet_column *c, struct value *v,
		      struct outbuf *scratch, const char **why)
{
	STRLEN len;
	const char *s;
	SV *copy;

	if (c->type == PARQUET_BINARY && SvUTF8(sv)) {
		*why = "bytes, not characters";
		copy = sv_2mortal(newSVsv_nomg(sv));
		if (!sv_utf8_downgrade(copy, TRUE))
			return false;
		sv = copy;
	}
	s = SvPV_nomg(sv, len);
	*why = "less than 64 MiB long";
	if (len > VALUE_TEXT_MOST)
		return false;
	if (c->type != PARQUET_BINARY && !plain_ascii(s, len)) {
		scratch->len = 0;
		out_room(scratch, 1);
		utf8_text(scratch, s, len);
		s = scratch->p;
		len = scratch->len;
	}
	/* Perl's buffer may be another one before the row is entered. */
	copy = sv_2mortal(newSVpvn(s, len));
	v->text = SvPVX(copy);
	v->len = (uint32_t)len;
	return true;
}

bool value_from(pTHX_ SV *sv, const struct parquet_column *c, struct value *v,
		struct outbuf *scratch, const char **why)
{
	*v = (struct value){ .is_null = false };
	SvGETMAGIC(sv);
	v->is_null = !SvOK(sv);
	if (v->is_null)
		return true;
	if (c->list)
		return list_from(aTHX_ sv, c, v, why);
	if (parquet_traits(c->type)->size)
		return number_from(aTHX_ sv, c, &v->number, why);
	return text_from(aTHX_ sv, c, v, scratch, why);
}

void value_put(struct column *to, const struct value *v, struct column_tools *tools)
{
	uint64_t *items;

	if (v->is_null) {
		column_null(to);
	} else if (to->what->list) {
		items = column_list(to, v->len);
		if (v->len)
			memcpy(items, v->items, v->len * sizeof(*items));
	} else if (to->traits->size) {
		column_number(to, v->number);
	} else {
		column_text(to, v->text, v->len, tools);
	}
}
