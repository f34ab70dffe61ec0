// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outbuf: a text that grows, and numbers formatted at its end.
 */
#include "base/outbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void outbuf_fini(struct outbuf *o)
{
	free(o->p);
	memset(o, 0, sizeof(*o));
}

void outbuf_grow(struct outbuf *o, size_t n)
{
	size_t cap = o->cap ? o->cap : 256;

	while (cap - o->len <= n)
		cap *= 2;
	o->p = mem_realloc(o->p, cap);
	o->cap = cap;
}

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
	"8081828384858687888990919293949596979899";

/* How many decimal digits V has. */
static unsigned count_digits(uint64_t v)
{
	static const uint64_t power[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 is log10(2), near enough for 64 bits. */
	unsigned n = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= power[n]);
}

static void put_pair(char *p, unsigned v)
{
	memcpy(p, pairs + v * 2, 2);
}

/*
 * The N digits of V, written to their final place: bytes stored singly and then loaded as a long
 * word stall store forwarding.  Eight at a time do not depend on each other.
 */
static void put_digits(char *p, uint64_t v, unsigned n)
{
	uint32_t rest;

	for (; n > 8; v /= 100000000) {
		uint32_t low = v % 100000000, a = low / 10000, b = low % 10000;

		n -= 8;
		put_pair(p + n, a / 100);
		put_pair(p + n + 2, a % 100);
		put_pair(p + n + 4, b / 100);
		put_pair(p + n + 6, b % 100);
	}
	for (rest = v; n >= 2; rest /= 100) {
		n -= 2;
		put_pair(p + n, rest % 100);
	}
	if (n)
		*p = '0' + rest;
}

void out_u64(struct outbuf *o, uint64_t v)
{
	unsigned n = count_digits(v);

	put_digits(out_room(o, n), v, n);
	o->len += n;
}

void out_i64(struct outbuf *o, int64_t v)
{
	if (v < 0) {
		out_char(o, '-');
		out_u64(o, 0 - (uint64_t)v);
	} else {
		out_u64(o, v);
	}
}

void out_hex(struct outbuf *o, uint64_t v)
{
	unsigned n = (67 - __builtin_clzll(v | 1)) / 4;
	char *p = out_room(o, n);

	o->len += n;
	for (; n--; v >>= 4)
		p[n] = "0123456789abcdef"[v & 15];
}

void out_u64_pad(struct outbuf *o, uint64_t v, unsigned width, char fill)
{
	unsigned n = count_digits(v);

	if (n < width)
		out_fill(o, fill, width - n);
	put_digits(out_room(o, n), v, n);
	o->len += n;
}

void out_plain_slow(struct outbuf *o, size_t from, unsigned keep)
{
	size_t len = o->len - from, need = plain_len(o->p + from, len, keep), more = need - len;

	if (!more)
		return;
	out_room(o, more);
	memmove(o->p + from + more, o->p + from, len);
	plain_write(o->p + from, o->p + from + more, len, keep);
	o->len += more;
}

void out_printf(struct outbuf *o, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	out_room(o, n + 1);
	va_start(ap, fmt);
	vsnprintf(o->p + o->len, n + 1, fmt, ap);
	va_end(ap);
	o->len += n;
}
