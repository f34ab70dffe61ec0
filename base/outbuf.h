/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_OUTBUF_H
#define ZED_BASE_OUTBUF_H

#include "base/mem.h"
#include "base/plain.h"

#include <string.h>

/*
 * Text that grows.  Numbers are formatted here by hand, as this is what the print sink spends its
 * time on. Zero-initialise; outbuf_fini() frees.  p is not terminated unless out_end() was called.
 */
struct outbuf {
	char *p;
	size_t len, cap;
};

void outbuf_fini(struct outbuf *o);

/* Make room for N more bytes: the slow half of out_room(). */
void outbuf_grow(struct outbuf *o, size_t n);

/* Where the next N bytes go; add to len what was written. */
static inline char *out_room(struct outbuf *o, size_t n)
{
	if (o->cap - o->len <= n)
		outbuf_grow(o, n);
	return o->p + o->len;
}

static inline void out_char(struct outbuf *o, char c)
{
	*out_room(o, 1) = c;
	o->len++;
}

static inline void out_bytes(struct outbuf *o, const char *s, size_t n)
{
	if (n)
		memcpy(out_room(o, n), s, n);
	o->len += n;
}

static inline void out_str(struct outbuf *o, const char *s)
{
	out_bytes(o, s, strlen(s));
}

/* N times C. */
static inline void out_fill(struct outbuf *o, char c, size_t n)
{
	memset(out_room(o, n), c, n);
	o->len += n;
}

/* A NUL after the text, not counted in len.  Returns p. */
static inline char *out_end(struct outbuf *o)
{
	*out_room(o, 1) = '\0';
	return o->p;
}

void out_u64(struct outbuf *o, uint64_t v);
void out_i64(struct outbuf *o, int64_t v);
/* Without 0x. */
void out_hex(struct outbuf *o, uint64_t v);

/* At least WIDTH wide, filled with FILL ('0' or ' ') on the left. */
void out_u64_pad(struct outbuf *o, uint64_t v, unsigned width, char fill);

/* Make the text from FROM on plain (plain.h): for a line, once it is complete. */
void out_plain_slow(struct outbuf *o, size_t from, unsigned keep);

static inline void out_plain(struct outbuf *o, size_t from, unsigned keep)
{
	if (!plain_ascii(o->p + from, o->len - from))
		out_plain_slow(o, from, keep);
}

/* printf, for code that is not hot. */
void out_printf(struct outbuf *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
