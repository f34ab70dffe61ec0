// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto: strings that are not plain, and messages that are too long for the bytes reserved for
 * their length.
 */
#include "sink/perfetto/proto.h"

#include <stdlib.h>

void proto_end_long(struct outbuf *o, size_t at)
{
	size_t len = o->len - at;
	char size[PROTO_VARINT_MAX];
	size_t n = (size_t)(proto_varint(size, len) - size);

	out_room(o, n);
	memmove(o->p + at + n - PROTO_KEPT, o->p + at, len);
	memcpy(o->p + at - PROTO_KEPT, size, n);
	o->len += n - PROTO_KEPT;
}

void proto_plain_slow(struct outbuf *o, size_t from)
{
	static const char digits[] = "0123456789abcdef";
	size_t len, bad = 0, n;
	char *copy;

	out_plain_slow(o, from, 0);
	len = o->len - from;
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_len(o->p + from + i, len - i);
		bad += !n;
	}
	if (!bad)
		return;
	copy = mem_strndup(o->p + from, len);
	o->len = from;
	out_room(o, len + 3 * bad);
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = utf8_len(copy + i, len - i);
		if (n) {
			out_bytes(o, copy + i, n);
			continue;
		}
		out_str(o, "\\x");
		out_char(o, digits[(copy[i] & 0xff) >> 4]);
		out_char(o, digits[copy[i] & 15]);
	}
	free(copy);
}
