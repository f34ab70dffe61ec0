// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * utf8_text: bytes of a trace as UTF-8, from which they can be recovered: for JSON and for tables.
 */
#include "text/utf8_text.h"

/*
 * Bytes that are not UTF-8 become private use characters, U+EF80 for 0x80 to U+EFFF for 0xff.
 * Every JSON reader accepts these (lone surrogates, the alternative, are refused by some and all
 * mapped to one character by others), and real text does not use them.  If it does, their three
 * bytes are escaped in the same way.
 */
static bool stands_for_byte(const uint8_t *p, unsigned n)
{
	return n == 3 && p[0] == 0xee && p[1] >= 0xbe;
}

/*
 * The inside of a string.  What plain.h escapes for terminals is escaped as well, so the object is
 * plain text whatever the string contains.
 */
void utf8_json(struct outbuf *o, const void *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = p + len;

	while (p < end) {
		const uint8_t *run = p;
		unsigned n;

		while (p < end && *p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
			p++;
		out_bytes(o, (const char *)run, p - run);
		if (p == end)
			return;
		n = utf8_len(p, end - p);
		if (*p == '"' || *p == '\\') {
			out_char(o, '\\');
			out_char(o, *p);
		} else if (!n || stands_for_byte(p, n)) {
			out_printf(o, "\\uef%02x", *p);
			n = 1;
		} else if (n < 2) {
			out_printf(o, "\\u%04x", *p);
		} else if (!plain_may(p, n)) {
			/* None of these is beyond U+FFFF. */
			out_printf(o, "\\u%04x",
				   n == 2 ? (p[0] & 0x1f) << 6 | (p[1] & 0x3f) :
					    (p[0] & 0x0f) << 12 | (p[1] & 0x3f) << 6 |
						    (p[2] & 0x3f));
		} else {
			out_bytes(o, (const char *)p, n);
		}
		p += n;
	}
}

void utf8_text(struct outbuf *o, const void *bytes, size_t len)
{
	const uint8_t *p = bytes, *end = p + len;

	while (p < end) {
		unsigned n = utf8_len(p, (size_t)(end - p));

		if (!n || stands_for_byte(p, n)) {
			const char as[3] = { (char)0xee, (char)(0xbc | *p >> 6),
					     (char)(0x80 | (*p & 0x3f)) };

			out_bytes(o, as, 3);
			n = 1;
		} else {
			out_bytes(o, (const char *)p, n);
		}
		p += n;
	}
}
