/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_THRIFT_H
#define ZED_BASE_PARQUET_THRIFT_H

#include "base/outbuf.h"

/*
 * Thrift's compact protocol (thrift-compact-protocol.md of apache/thrift), the subset that
 * Parquet's headers need.  Fields of a structure are written in ascending order of their ids.
 */
#define THRIFT_DEEP 6 /* nesting of structures; Parquet's footer has 5 */

enum thrift_type {
	THRIFT_TRUE = 1,
	THRIFT_FALSE = 2,
	THRIFT_I8 = 3,
	THRIFT_I32 = 5,
	THRIFT_I64 = 6,
	THRIFT_BINARY = 8,
	THRIFT_LIST = 9,
	THRIFT_STRUCT = 12,
};

struct thrift {
	struct outbuf *o;
	unsigned depth;
	unsigned last[THRIFT_DEEP + 1]; /* id of the last field, by depth */
};

/* Begin a structure at the end of O, which is borrowed: the outermost, or an element of a list. */
void thrift_begin(struct thrift *t, struct outbuf *o);

/* End the structure that began last. */
void thrift_end(struct thrift *t);

/* Fields. */
void thrift_i8(struct thrift *t, unsigned id, int8_t v);
void thrift_i32(struct thrift *t, unsigned id, int32_t v);
void thrift_i64(struct thrift *t, unsigned id, int64_t v);
void thrift_bool(struct thrift *t, unsigned id, bool v);
void thrift_bytes(struct thrift *t, unsigned id, const void *p, size_t len);
void thrift_str(struct thrift *t, unsigned id, const char *s);
void thrift_struct(struct thrift *t, unsigned id);

/* The head of a list of N elements, which follow: structures, each from thrift_element() on. */
void thrift_list(struct thrift *t, unsigned id, enum thrift_type elem, size_t n);
void thrift_element(struct thrift *t);

/* Elements that are not structures. */
void thrift_element_i32(struct thrift *t, int32_t v);
void thrift_element_str(struct thrift *t, const char *s);

/* A bare varint: 7 bits per byte, low bits first. */
void thrift_varint(struct outbuf *o, uint64_t v);

/* The same for a signed number, zigzag-encoded. */
void thrift_zigzag(struct outbuf *o, int64_t v);

#endif
