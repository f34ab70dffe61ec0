/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_CHARS16_H
#define ZED_BASE_CHARS16_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

/*
 * A string in an array of 16 bytes (a kernel's comm) as two words: byte n is bits 8 * (n % 8) of
 * word n / 8 on every machine; the NUL and all bytes after it are 0.  So strings are compared and
 * hashed as two numbers.
 */
struct chars16 {
	uint64_t w[2];
	unsigned len; /* bytes before the NUL; 16: no NUL */
};

/* Sets the top bit of the first zero byte of V, and of no byte before it. */
static inline uint64_t chars16_zeros(uint64_t v)
{
	return (v - 0x0101010101010101u) & ~v & 0x8080808080808080u;
}

/* P: 16 bytes. */
static inline struct chars16 chars16_load(const void *p)
{
	struct chars16 c;
	uint64_t low, high;

	memcpy(c.w, p, 16);
	c.w[0] = le64toh(c.w[0]);
	c.w[1] = le64toh(c.w[1]);
	low = chars16_zeros(c.w[0]);
	high = chars16_zeros(c.w[1]);
	/* The bits below the lowest set bit; all bits if none is set. */
	c.w[0] &= (low - 1) & ~low;
	c.w[1] = low ? 0 : c.w[1] & (high - 1) & ~high;
	c.len = low  ? (unsigned)__builtin_ctzll(low) / 8 :
		high ? 8 + (unsigned)__builtin_ctzll(high) / 8 :
		       16;
	return c;
}

#endif
