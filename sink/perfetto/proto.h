/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SINK_PERFETTO_PROTO_H
#define ZED_SINK_PERFETTO_PROTO_H

#include "base/outbuf.h"

#include <string.h>

/*
 * Protocol buffers, written into an outbuf (protobuf.dev, "Encoding"): a field is its number and
 * kind as a varint, and its value.  Negative numbers are varints of their 64 bits.
 */
enum proto_kind { PROTO_VARINT = 0, PROTO_BYTES = 2 };

#define PROTO_VARINT_MAX 10 /* bytes */

static inline char *proto_varint(char *p, uint64_t v)
{
	while (v >= 0x80) {
		*p++ = (char)(v | 0x80);
		v >>= 7;
	}
	*p++ = (char)v;
	return p;
}

static inline void proto_number(struct outbuf *o, uint64_t v)
{
	char *p = out_room(o, PROTO_VARINT_MAX);

	o->len += (size_t)(proto_varint(p, v) - p);
}

static inline void proto_key(struct outbuf *o, unsigned field, enum proto_kind kind)
{
	proto_number(o, (uint64_t)field << 3 | kind);
}

static inline void proto_uint(struct outbuf *o, unsigned field, uint64_t v)
{
	proto_key(o, field, PROTO_VARINT);
	proto_number(o, v);
}

static inline void proto_bytes(struct outbuf *o, unsigned field, const char *s, size_t len)
{
	proto_key(o, field, PROTO_BYTES);
	proto_number(o, len);
	out_bytes(o, s, len);
}

static inline void proto_str(struct outbuf *o, unsigned field, const char *s)
{
	proto_bytes(o, field, s, strlen(s));
}

/* The slow half of proto_plain(). */
void proto_plain_slow(struct outbuf *o, size_t from);

/*
 * What follows FROM is a string: it is made plain (base/plain.h), and bytes that are not UTF-8
 * become \xNN too, as strings are UTF-8 here.
 */
static inline void proto_plain(struct outbuf *o, size_t from)
{
	if (!plain_ascii(o->p + from, o->len - from))
		proto_plain_slow(o, from);
}

/*
 * A message within a message: proto_begin() returns what proto_end() needs.  Two bytes are reserved
 * for its length, enough for nearly all: a varint may be longer than it has to be.
 */
#define PROTO_KEPT 2

static inline size_t proto_begin(struct outbuf *o, unsigned field)
{
	proto_key(o, field, PROTO_BYTES);
	out_room(o, PROTO_KEPT);
	o->len += PROTO_KEPT;
	return o->len;
}

/* The slow half: the message is too long for the reserved bytes. */
void proto_end_long(struct outbuf *o, size_t at);

static inline void proto_end(struct outbuf *o, size_t at)
{
	size_t len = o->len - at;

	if (len >= 1u << 14) {
		proto_end_long(o, at);
		return;
	}
	o->p[at - 2] = (char)(len | 0x80);
	o->p[at - 1] = (char)(len >> 7);
}

#endif
