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

/* The decimal digits of V at the end of BUF (20 bytes); returns where they begin. */
static char *digits_u64(char buf[20], uint64_t v)
{
	char *p = buf + 20;

	while (v >= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		p -= 2;
		memcpy(p, pairs + v * 2, 2);
	} else {
		*--p = '0' + v;
	}
	return p;
}

/* Hexadecimal, without 0x; BUF has 16 bytes. */
static char *digits_hex(char buf[16], uint64_t v)
{
	char *p = buf + 16;

	do {
		*--p = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return p;
}

void out_u64(struct outbuf *o, uint64_t v)
{
	char buf[40] = "", *p = digits_u64(buf, v);

	/*
	 * Always copy as much as the longest number has, in a few moves; len counts only what is
	 * used.
	 */
	memcpy(out_room(o, 20), p, 20);
	o->len += buf + 20 - p;
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
	char buf[16], *p = digits_hex(buf, v);

	out_bytes(o, p, buf + 16 - p);
}

void out_u64_pad(struct outbuf *o, uint64_t v, unsigned width, char fill)
{
	char buf[20], *p = digits_u64(buf, v);
	unsigned n = buf + 20 - p;

	if (n < width)
		out_fill(o, fill, width - n);
	out_bytes(o, p, n);
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
