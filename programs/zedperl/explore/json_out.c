// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * json_out: texts and bytes of a trace in an answer of explore.
 */
#include "programs/zedperl/explore/explore_priv.h"

#include "base/plain.h"

static void out_one(struct outbuf *o, unsigned char c)
{
	if (c == '"' || c == '\\')
		out_printf(o, "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		out_printf(o, "\\u%04x", c);
	else if (c < 0x80)
		out_char(o, (char)c);
	else
		out_printf(o, "\\\\x%02x", c);
}

void out_json(struct outbuf *o, const char *text, size_t len)
{
	out_char(o, '"');
	while (len) {
		unsigned n = utf8_len(text, len);

		if (n > 1)
			out_bytes(o, text, n);
		else
			out_one(o, (unsigned char)*text);
		n = n ? n : 1;
		text += n;
		len -= n;
	}
	out_char(o, '"');
}

void out_base64(struct outbuf *o, const void *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const uint8_t *from = p;
	char *to = out_room(o, 4 * (n / 3 + 1) + 2), *start = to;

	*to++ = '"';
	for (; n >= 3; n -= 3, from += 3) {
		uint32_t v = (uint32_t)from[0] << 16 | (uint32_t)from[1] << 8 | from[2];

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = digits[v >> 6 & 63];
		*to++ = digits[v & 63];
	}
	if (n) {
		uint32_t v = (uint32_t)from[0] << 16 | (n > 1 ? (uint32_t)from[1] << 8 : 0);

		*to++ = digits[v >> 18];
		*to++ = digits[v >> 12 & 63];
		*to++ = n > 1 ? digits[v >> 6 & 63] : '=';
		*to++ = '=';
	}
	*to++ = '"';
	o->len += (size_t)(to - start);
}
