/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * write: plain Perl data as JSON.
 */
#include "interp/json/json.h"

#include <stdlib.h>
#include <string.h>

static const char *write_value(pTHX_ SV *out, SV *sv, unsigned depth);

/* The next character of a string, at *P of its bytes. */
static UV next_char(const U8 **p, const U8 *end, bool utf8)
{
	STRLEN len;
	UV c;

	if (!utf8 || UTF8_IS_INVARIANT(**p))
		return *(*p)++;
	c = utf8n_to_uvchr(*p, end - *p, &len, UTF8_ALLOW_ANY);
	*p += len && (STRLEN)(end - *p) >= len ? len : (STRLEN)(end - *p);
	return c;
}

static bool is_plain(U8 c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void write_char(pTHX_ SV *out, UV c)
{
	if (c == '"' || c == '\\')
		sv_catpvf(out, "\\%c", (int)c);
	else if (c < 0x10000)
		sv_catpvf(out, "\\u%04x", (unsigned)c);
	else
		sv_catpvf(out, "\\u%04x\\u%04x", 0xd800 + (unsigned)((c - 0x10000) >> 10 & 0x3ff),
			  0xdc00 + (unsigned)(c & 0x3ff));
}

static void write_string(pTHX_ SV *out, const char *s, STRLEN len, bool utf8)
{
	const U8 *p = (const U8 *)s, *end = p + len, *from;

	sv_catpvs(out, "\"");
	while (p < end) {
		for (from = p; p < end && is_plain(*p); p++)
			;
		if (p > from)
			sv_catpvn(out, (const char *)from, p - from);
		if (p < end)
			write_char(aTHX_ out, next_char(&p, end, utf8));
	}
	sv_catpvs(out, "\"");
}

static const char *write_double(pTHX_ SV *out, NV v)
{
	if (v != v || v - v != 0)
		return "an infinite number or NaN";
	/* A whole number is written as such, as perl shows it. */
	if (v >= -9007199254740992.0 && v <= 9007199254740992.0 && v == (NV)(IV)v)
		sv_catpvf(out, "%" IVdf, (IV)v);
	else
		sv_catpvf(out, "%.17" NVgf, v);
	return NULL;
}

static const char *write_scalar(pTHX_ SV *out, SV *sv)
{
	const char *s;
	STRLEN len;

	if (SvPOK(sv)) {
		s = SvPV_nomg(sv, len);
		write_string(aTHX_ out, s, len, SvUTF8(sv) != 0);
	} else if (SvIOK(sv)) {
		if (SvIsUV(sv))
			sv_catpvf(out, "%" UVuf, SvUVX(sv));
		else
			sv_catpvf(out, "%" IVdf, SvIVX(sv));
	} else if (SvNOK(sv)) {
		return write_double(aTHX_ out, SvNVX(sv));
	} else {
		return "a value that is neither a string nor a number";
	}
	return NULL;
}

static const char *write_array(pTHX_ SV *out, AV *av, unsigned depth)
{
	SSize_t i, n = av_len(av) + 1;
	const char *why;

	sv_catpvs(out, "[");
	for (i = 0; i < n; i++) {
		SV **item = av_fetch(av, i, 0);

		if (i)
			sv_catpvs(out, ",");
		why = write_value(aTHX_ out, item ? *item : &PL_sv_undef, depth);
		if (why)
			return why;
	}
	sv_catpvs(out, "]");
	return NULL;
}

/* Keys sorted by their bytes, so that equal data give equal lines. */
static int by_key(const void *a, const void *b)
{
	HE *const *x = a, *const *y = b;
	STRLEN m = HeKLEN(*x), n = HeKLEN(*y);
	int c = memcmp(HeKEY(*x), HeKEY(*y), m < n ? m : n);

	return c ? c : m < n ? -1 : m > n;
}

static const char *write_hash(pTHX_ SV *out, HV *hv, unsigned depth)
{
	STRLEN n = HvUSEDKEYS(hv), i = 0;
	HE **keys, *he;
	const char *why;

	/* A mortal holds the list, in case perl dies meanwhile. */
	keys = (HE **)SvPVX(sv_2mortal(newSV((n + 1) * sizeof(*keys))));
	hv_iterinit(hv);
	while (i < n && (he = hv_iternext(hv))) {
		if (HeKLEN(he) < 0)
			return "a key that is a reference";
		keys[i++] = he;
	}
	n = i;
	qsort(keys, n, sizeof(*keys), by_key);
	sv_catpvs(out, "{");
	for (i = 0; i < n; i++) {
		if (i)
			sv_catpvs(out, ",");
		write_string(aTHX_ out, HeKEY(keys[i]), HeKLEN(keys[i]), HeKUTF8(keys[i]) != 0);
		sv_catpvs(out, ":");
		why = write_value(aTHX_ out, HeVAL(keys[i]), depth);
		if (why)
			return why;
	}
	sv_catpvs(out, "}");
	return NULL;
}

static const char *write_value(pTHX_ SV *out, SV *sv, unsigned depth)
{
	SvGETMAGIC(sv);
	if (!SvOK(sv)) {
		sv_catpvs(out, "null");
		return NULL;
	}
	if (!SvROK(sv))
		return write_scalar(aTHX_ out, sv);
	if (!depth)
		return "data nested too deeply, or containing itself";
	if (SvOBJECT(SvRV(sv)) && SvPOK(SvRV(sv)) && sv_isa(sv, JSON_WRITTEN)) {
		sv_catsv(out, SvRV(sv));
		return NULL;
	}
	if (SvOBJECT(SvRV(sv)))
		return "an object";
	if (SvTYPE(SvRV(sv)) == SVt_PVAV)
		return write_array(aTHX_ out, (AV *)SvRV(sv), depth - 1);
	if (SvTYPE(SvRV(sv)) == SVt_PVHV)
		return write_hash(aTHX_ out, (HV *)SvRV(sv), depth - 1);
	return "a reference to something other than an array or hash";
}

const char *json_write(pTHX_ SV *out, SV *sv)
{
	return write_value(aTHX_ out, sv, JSON_DEPTH);
}
