/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_BYTES_H
#define ZED_BASE_BYTES_H

#include "base/err.h"

/*
 * A cursor over bytes of a file in memory.  Nothing is read past its end: each function returns -1
 * and says where in the file the bytes ran out.
 */
struct cursor {
	const uint8_t *p;
	uint64_t len, pos;
	uint64_t base; /* file offset of p[0], for messages */
	bool big_endian;
};

void cursor_init(struct cursor *c, const void *p, uint64_t len, uint64_t base, bool big_endian);

static inline uint64_t cursor_left(const struct cursor *c)
{
	return c->len - c->pos;
}

/* Unsigned numbers of 1, 2, 4, 8 bytes in the cursor's byte order. */
int cursor_u8(struct cursor *c, uint8_t *out, struct err *e);
int cursor_u16(struct cursor *c, uint16_t *out, struct err *e);
int cursor_u32(struct cursor *c, uint32_t *out, struct err *e);
int cursor_u64(struct cursor *c, uint64_t *out, struct err *e);

/* A string that must end in NUL within the cursor and MAX bytes; *OUT is borrowed. */
int cursor_str(struct cursor *c, const char **out, uint64_t max, struct err *e);

/* LEN bytes; *OUT is borrowed. */
int cursor_bytes(struct cursor *c, uint64_t len, const uint8_t **out, struct err *e);

/* Cut the next LEN bytes off as a cursor of their own. */
int cursor_sub(struct cursor *c, uint64_t len, struct cursor *out, struct err *e);

/*
 * A hash of LEN bytes at P after those of H (0: nothing before them): FNV-1a, not for hostile data.
 * Hashing in pieces differs from hashing at once if an intermediate hash is 0, which does not
 * happen in practice.
 */
static inline uint64_t bytes_hash(uint64_t h, const void *p, size_t len)
{
	const uint8_t *b = p;

	h = h ? h : 0xcbf29ce484222325u;
	while (len--)
		h = (h ^ *b++) * 0x100000001b3u;
	return h;
}

/* Numbers at P in a byte order that the caller knows; P has enough bytes. */
uint16_t bytes_u16(const uint8_t *p, bool big_endian);
uint32_t bytes_u32(const uint8_t *p, bool big_endian);
uint64_t bytes_u64(const uint8_t *p, bool big_endian);

/* Put the low SIZE bytes of V (at most 8) at P in that order. */
static inline void bytes_put(uint8_t *p, uint64_t v, unsigned size, bool big_endian)
{
	for (unsigned i = 0; i < size; i++)
		p[big_endian ? size - 1 - i : i] = (uint8_t)(v >> (8 * i));
}

#endif
