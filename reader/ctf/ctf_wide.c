// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_wide: text of UTF-16 and UTF-32, of either byte order, as UTF-8.
 */
#include "reader/ctf/ctf_layout.h"
#include "trace/field.h"

#define REPLACEMENT 0xfffd

static uint32_t load_unit(const uint8_t *p, unsigned unit, bool big)
{
	return (uint32_t)field_load(p, unit, big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
}

static bool is_surrogate(uint32_t c)
{
	return c >= 0xd800 && c < 0xe000;
}

/* The character at *P, of at least one unit before END; *P moves behind it. */
static uint32_t next_char(const uint8_t **p, const uint8_t *end, unsigned unit, bool big)
{
	uint32_t c = load_unit(*p, unit, big), low;

	*p += unit;
	if (unit == 2 && c >= 0xd800 && c < 0xdc00 && end - *p >= 2) {
		low = load_unit(*p, unit, big);
		if (low >= 0xdc00 && low < 0xe000) {
			*p += unit;
			return 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	return is_surrogate(c) || c > 0x10ffff ? REPLACEMENT : c;
}

static uint8_t *put_char(uint8_t *to, uint32_t c)
{
	static const uint8_t first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	unsigned n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	*to++ = (uint8_t)(first[n] | c >> 6 * (n - 1));
	while (--n)
		*to++ = (uint8_t)(0x80 | (c >> 6 * (n - 1) & 0x3f));
	return to;
}

size_t ctf_wide_to_utf8(const uint8_t *p, size_t len, unsigned unit, bool big, uint8_t *to)
{
	const uint8_t *end = p + len, *from = to;

	while ((size_t)(end - p) >= unit) {
		uint32_t c = next_char(&p, end, unit, big);

		if (!c)
			break;
		to = put_char(to, c);
	}
	return to - from;
}
