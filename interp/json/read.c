/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read: JSON as plain Perl data.  The text is hostile: nothing is run, depth has a limit, and each
 * value takes memory only once its bytes were seen.
 */
#include "interp/json/json.h"

#include "base/ascii.h"

#include <string.h>

struct reader {
	const char *p, *end;
	const char *why; /* why it is invalid; NULL: valid so far */
};

static SV *read_value(pTHX_ struct reader *r, unsigned depth);

static SV *wrong(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return NULL;
}

static void skip_blanks(struct reader *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\r' || *r->p == '\n'))
		r->p++;
}

/* Does C come next?  Then skip it. */
static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* ---- strings ---- */

static int hex_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' :
	       c >= 'a' && c <= 'f' ? c - 'a' + 10 :
	       c >= 'A' && c <= 'F' ? c - 'A' + 10 :
				      -1;
}

static bool read_hex(struct reader *r, UV *out)
{
	UV v = 0;
	int i;

	if (r->end - r->p < 4)
		return false;
	for (i = 0; i < 4; i++) {
		int h = hex_of(r->p[i]);

		if (h < 0)
			return false;
		v = v << 4 | (UV)h;
	}
	r->p += 4;
	*out = v;
	return true;
}

/* After a backslash. */
static bool read_escape(struct reader *r, UV *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	UV low;
	char c;

	if (r->p == r->end)
		return false;
	c = *r->p++;
	if (c != 'u') {
		at = c ? strchr(from, c) : NULL;
		if (at)
			*out = (UV)(U8)to[at - from];
		return at != NULL;
	}
	if (!read_hex(r, out))
		return false;
	if (*out < 0xd800 || *out > 0xdfff)
		return true;
	/* Half of a surrogate pair: the other half has to follow. */
	if (*out > 0xdbff || r->end - r->p < 6 || r->p[0] != '\\' || r->p[1] != 'u')
		return false;
	r->p += 2;
	if (!read_hex(r, &low) || low < 0xdc00 || low > 0xdfff)
		return false;
	*out = 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00);
	return true;
}

static void add_char(pTHX_ SV *sv, UV c)
{
	U8 buf[UTF8_MAXBYTES + 1];

	if (c < 0x100 && !SvUTF8(sv)) {
		buf[0] = (U8)c;
		sv_catpvn(sv, (char *)buf, 1);
		return;
	}
	sv_utf8_upgrade(sv);
	sv_catpvn_flags(sv, (char *)buf, uvchr_to_utf8(buf, c) - buf, SV_CATUTF8);
}

/* A string, after its first quote; the caller's. */
static SV *read_string(pTHX_ struct reader *r)
{
	const char *from = r->p;
	SV *sv;
	UV c;

	while (r->p < r->end && *r->p != '"' && *r->p != '\\' && (U8)*r->p >= 0x20 &&
	       (U8)*r->p < 0x7f)
		r->p++;
	sv = newSVpvn(from, r->p - from);
	while (r->p < r->end && *r->p == '\\') {
		r->p++;
		if (!read_escape(r, &c)) {
			SvREFCNT_dec(sv);
			return wrong(r, "invalid escape after \\");
		}
		add_char(aTHX_ sv, c);
		for (from = r->p; r->p < r->end && *r->p != '"' && *r->p != '\\' &&
				  (U8)*r->p >= 0x20 && (U8)*r->p < 0x7f;
		     r->p++)
			;
		sv_catpvn(sv, from, r->p - from);
	}
	if (r->p < r->end && *r->p == '"') {
		r->p++;
		return sv;
	}
	SvREFCNT_dec(sv);
	return wrong(r, r->p < r->end ? "control or non-ASCII character in a string" :
					"unterminated string");
}

/* ---- numbers ---- */

static unsigned digits(struct reader *r)
{
	const char *from = r->p;

	while (r->p < r->end && *r->p >= '0' && *r->p <= '9')
		r->p++;
	return r->p - from;
}

static SV *read_number(pTHX_ struct reader *r)
{
	const char *from = r->p;
	bool whole = true;
	char text[400];
	int kind;
	NV nv;
	UV v;

	if (r->p < r->end && *r->p == '-')
		r->p++;
	if (r->p + 1 < r->end && r->p[0] == '0' && ascii_digit(r->p[1]))
		return wrong(r, "number with a leading 0");
	if (!digits(r))
		return wrong(r, "no value");
	if (r->p < r->end && *r->p == '.') {
		whole = false;
		r->p++;
		if (!digits(r))
			return wrong(r, "number without digits after the decimal point");
	}
	if (r->p < r->end && (*r->p == 'e' || *r->p == 'E')) {
		whole = false;
		r->p++;
		if (r->p < r->end && (*r->p == '+' || *r->p == '-'))
			r->p++;
		if (!digits(r))
			return wrong(r, "number without digits after e");
	}
	if ((size_t)(r->p - from) >= sizeof(text))
		return wrong(r, "number too long");
	memcpy(text, from, r->p - from);
	text[r->p - from] = 0;
	kind = whole ? grok_number(text, r->p - from, &v) : 0;
	if ((kind & (IS_NUMBER_IN_UV | IS_NUMBER_NOT_INT)) != IS_NUMBER_IN_UV) {
		nv = Atof(text);
		return Perl_isinf(nv) ? wrong(r, "number too large") : newSVnv(nv);
	}
	if (!(kind & IS_NUMBER_NEG))
		return newSVuv(v);
	return v <= (UV)IV_MAX	   ? newSViv(-(IV)v) :
	       v == (UV)IV_MAX + 1 ? newSViv(IV_MIN) :
				     newSVnv(Atof(text));
}

/* ---- the rest ---- */

static SV *read_word(pTHX_ struct reader *r, const char *word, SV *value)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->p) < len || memcmp(r->p, word, len) != 0) {
		SvREFCNT_dec(value);
		return wrong(r, "no value");
	}
	r->p += len;
	return value;
}

static SV *read_array(pTHX_ struct reader *r, unsigned depth)
{
	AV *av = newAV();
	SV *item;

	if (take(r, ']'))
		return newRV_noinc((SV *)av);
	do {
		item = read_value(aTHX_ r, depth);
		if (!item)
			break;
		av_push(av, item);
	} while (take(r, ','));
	if (!r->why && take(r, ']'))
		return newRV_noinc((SV *)av);
	SvREFCNT_dec(av);
	return wrong(r, "expected , or ] in an array");
}

static bool read_member(pTHX_ struct reader *r, HV *hv, unsigned depth)
{
	SV *key, *value;

	if (!take(r, '"'))
		return wrong(r, "expected a string as key"), false;
	key = read_string(aTHX_ r);
	if (!key)
		return false;
	value = take(r, ':') ? read_value(aTHX_ r, depth) :
			       wrong(r, "expected : and a value after a key");
	if (value)
		(void)hv_store_ent(hv, key, value, 0);
	SvREFCNT_dec(key);
	return value != NULL;
}

static SV *read_hash(pTHX_ struct reader *r, unsigned depth)
{
	HV *hv = newHV();

	if (take(r, '}'))
		return newRV_noinc((SV *)hv);
	do {
		if (!read_member(aTHX_ r, hv, depth))
			break;
	} while (take(r, ','));
	if (!r->why && take(r, '}'))
		return newRV_noinc((SV *)hv);
	SvREFCNT_dec(hv);
	return wrong(r, "expected , or } in an object");
}

static SV *read_value(pTHX_ struct reader *r, unsigned depth)
{
	skip_blanks(r);
	if (r->p == r->end)
		return wrong(r, "no value");
	switch (*r->p) {
	case '{':
	case '[':
		if (!depth)
			return wrong(r, "nested too deeply");
		return *r->p++ == '{' ? read_hash(aTHX_ r, depth - 1) :
					read_array(aTHX_ r, depth - 1);
	case '"':
		r->p++;
		return read_string(aTHX_ r);
	case 'n':
		return read_word(aTHX_ r, "null", newSV(0));
	case 't':
		return read_word(aTHX_ r, "true", newSViv(1));
	case 'f':
		return read_word(aTHX_ r, "false", newSViv(0));
	default:
		return read_number(aTHX_ r);
	}
}

SV *json_read(pTHX_ const char *text, size_t len, const char **why, size_t *at)
{
	struct reader r = { .p = text, .end = text + len };
	SV *sv = read_value(aTHX_ & r, JSON_DEPTH);

	skip_blanks(&r);
	if (sv && r.p < r.end) {
		SvREFCNT_dec(sv);
		sv = wrong(&r, "trailing data");
	}
	*why = r.why;
	*at = r.p - text;
	return sv;
}
