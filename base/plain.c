// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plain: escapes control characters in untrusted text, so that it can neither steer a terminal nor
 * fake a line.
 */
#include "base/plain.h"

#include <stdint.h>

unsigned utf8_len(const void *s, size_t len)
{
	const uint8_t *p = s;
	unsigned n;

	if (!len)
		return 0;
	n = p[0] < 0x80 ? 1 :
	    p[0] < 0xc2 ? 0 :
	    p[0] < 0xe0 ? 2 :
	    p[0] < 0xf0 ? 3 :
	    p[0] < 0xf5 ? 4 :
			  0;
	if (n > len)
		return 0;
	for (unsigned i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

unsigned utf8_unfinished(const void *s, size_t len)
{
	const uint8_t *end = (const uint8_t *)s + len;

	for (unsigned k = 1; k <= 3 && k <= len; k++) {
		uint8_t c = end[-(int)k];

		if ((c & 0xc0) != 0x80)
			return k < (c < 0xc2 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4) ? k : 0;
	}
	return 0;
}

bool plain_may(const void *s, unsigned n)
{
	const uint8_t *p = s;
	uint32_t c;

	switch (n) {
	case 1:
		/* A lone byte from 0xa0 on is a letter of an older encoding. */
		return (*p >= 0x20 && *p < 0x7f) || *p >= 0xa0;
	case 2:
		c = (p[0] & 0x1f) << 6 | (p[1] & 0x3f);
		return c >= 0xa0 && c != 0x61c;
	case 3:
		c = (p[0] & 0x0f) << 12 | (p[1] & 0x3f) << 6 | (p[2] & 0x3f);
		return c != 0x200e && c != 0x200f && !(c >= 0x2028 && c <= 0x202e) &&
		       !(c >= 0x2066 && c <= 0x2069);
	default:
		return true;
	}
}

/* Sixteen bytes at a time: the compiler uses vector instructions if there are any. */
typedef int8_t bytes16 __attribute__((vector_size(16)));

/* All ones for each byte from 0x20 to 0x7e: with 1 added these, and no others, are above 0x20. */
static inline bytes16 good_bytes(const uint8_t *p)
{
	typedef uint8_t raw16 __attribute__((vector_size(16)));
	raw16 x;

	memcpy(&x, p, sizeof(x));
	return (bytes16)(x + 1) > 0x20;
}

bool plain_ascii(const void *s, size_t len)
{
	const uint8_t *p = s, *last;
	uint64_t half[2];
	bytes16 good;

	if (len < sizeof(good)) {
		for (size_t i = 0; i < len; i++)
			if ((uint8_t)(p[i] - 0x20) > 0x5e)
				return false;
		return true;
	}
	last = p + len - sizeof(good);
	good = good_bytes(last);
	for (; last - p >= (ptrdiff_t)sizeof(good); p += 2 * sizeof(good))
		good &= good_bytes(p) & good_bytes(p + sizeof(good));
	if (p < last)
		good &= good_bytes(p);
	memcpy(half, &good, sizeof(half));
	return (half[0] & half[1]) == UINT64_MAX;
}

static bool is_stack(const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && (s[i] == ' ' || s[i] == '\t'))
		i++;
	return len - i >= 3 && !memcmp(s + i, "=> ", 3);
}

/* The length of the character at S, 1 for an invalid byte; *STAYS: it is shown unescaped. */
static unsigned look(const char *s, size_t len, unsigned keep, bool *stays)
{
	unsigned n = utf8_len(s, len);

	if (!n)
		n = 1;
	*stays = plain_may(s, n) || (*s == '\t' && keep & PLAIN_TABS) ||
		 (*s == '\n' &&
		  (keep & PLAIN_LINES || (keep & PLAIN_STACK && is_stack(s + 1, len - 1))));
	return n;
}

size_t plain_len(const char *s, size_t len, unsigned keep)
{
	size_t sum = 0;
	unsigned n;
	bool stays;

	for (size_t i = 0; i < len; i += n) {
		n = look(s + i, len - i, keep, &stays);
		sum += stays ? n : s[i] == '\n' ? 2 : 4 * n;
	}
	return sum;
}

/* Write the N bytes at S, escaped, to TO, which may overlap them. */
static char *write_escaped(char *to, const char *s, unsigned n)
{
	uint8_t c[4];

	memcpy(c, s, n);
	if (*c == '\n') {
		*to++ = '\\';
		*to++ = 'n';
		return to;
	}
	for (unsigned i = 0; i < n; i++) {
		*to++ = '\\';
		*to++ = 'x';
		*to++ = "0123456789abcdef"[c[i] >> 4];
		*to++ = "0123456789abcdef"[c[i] & 15];
	}
	return to;
}

void plain_write(char *to, const char *s, size_t len, unsigned keep)
{
	unsigned n;
	bool stays;

	for (size_t i = 0; i < len; i += n) {
		n = look(s + i, len - i, keep, &stays);
		if (stays) {
			memmove(to, s + i, n);
			to += n;
		} else {
			to = write_escaped(to, s + i, n);
		}
	}
}

char *plain_text(char *buf, size_t size, const char *s)
{
	size_t len = strlen(s), at = 0, need;
	unsigned n;

	for (size_t i = 0; i < len; i += n) {
		bool stays;

		n = look(s + i, len - i, 0, &stays);
		need = stays ? n : s[i] == '\n' ? 2 : 4 * n;
		if (at + need >= size)
			break;
		plain_write(buf + at, s + i, n, 0);
		at += need;
	}
	buf[at] = '\0';
	return buf;
}
