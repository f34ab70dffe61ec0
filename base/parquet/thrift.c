// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * thrift: writes the compact protocol: numbers as varints, field ids as differences.
 */
#include "base/parquet/thrift.h"

void thrift_varint(struct outbuf *o, uint64_t v)
{
	char *p = out_room(o, 10);
	size_t n = 0;

	for (; v > 127; v >>= 7)
		p[n++] = (char)(v | 128);
	p[n++] = (char)v;
	o->len += n;
}

void thrift_zigzag(struct outbuf *o, int64_t v)
{
	thrift_varint(o, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void field(struct thrift *t, unsigned id, enum thrift_type type)
{
	unsigned *last = &t->last[t->depth];

	if (id > *last && id - *last <= 15) {
		out_char(t->o, (char)((id - *last) << 4 | type));
	} else {
		out_char(t->o, (char)type);
		thrift_zigzag(t->o, id);
	}
	*last = id;
}

void thrift_begin(struct thrift *t, struct outbuf *o)
{
	t->o = o;
	t->depth = 0;
	t->last[0] = 0;
}

void thrift_end(struct thrift *t)
{
	out_char(t->o, 0);
	if (t->depth)
		t->depth--;
}

void thrift_element(struct thrift *t)
{
	t->last[++t->depth] = 0;
}

void thrift_struct(struct thrift *t, unsigned id)
{
	field(t, id, THRIFT_STRUCT);
	thrift_element(t);
}

void thrift_i8(struct thrift *t, unsigned id, int8_t v)
{
	field(t, id, THRIFT_I8);
	out_char(t->o, v);
}

void thrift_i32(struct thrift *t, unsigned id, int32_t v)
{
	field(t, id, THRIFT_I32);
	thrift_zigzag(t->o, v);
}

void thrift_i64(struct thrift *t, unsigned id, int64_t v)
{
	field(t, id, THRIFT_I64);
	thrift_zigzag(t->o, v);
}

void thrift_bool(struct thrift *t, unsigned id, bool v)
{
	field(t, id, v ? THRIFT_TRUE : THRIFT_FALSE);
}

static void bytes(struct outbuf *o, const void *p, size_t len)
{
	thrift_varint(o, len);
	if (len)
		out_bytes(o, p, len);
}

void thrift_bytes(struct thrift *t, unsigned id, const void *p, size_t len)
{
	field(t, id, THRIFT_BINARY);
	bytes(t->o, p, len);
}

void thrift_str(struct thrift *t, unsigned id, const char *s)
{
	thrift_bytes(t, id, s, strlen(s));
}

void thrift_list(struct thrift *t, unsigned id, enum thrift_type elem, size_t n)
{
	field(t, id, THRIFT_LIST);
	if (n < 15) {
		out_char(t->o, (char)(n << 4 | elem));
		return;
	}
	out_char(t->o, (char)(0xf0 | elem));
	thrift_varint(t->o, n);
}

void thrift_element_i32(struct thrift *t, int32_t v)
{
	thrift_zigzag(t->o, v);
}

void thrift_element_str(struct thrift *t, const char *s)
{
	bytes(t->o, s, strlen(s));
}
