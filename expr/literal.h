/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_LITERAL_H
#define ZED_EXPR_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

/* A literal number, without a sign. */
struct literal {
	uint64_t num;
	bool is_time; /* it had a unit of time: ns */
	bool is_bits; /* hex or octal */
};

enum literal_end {
	LITERAL_OK,
	LITERAL_NONE,	  /* not a number, or followed by a letter */
	LITERAL_FRACTION, /* has a point, but is not a time of whole ns */
	LITERAL_BIG,	  /* more than 64 bits */
};

/* The number at *S, which moves past it: 12, 0x1f, 017, 10ms, 1.5us. */
enum literal_end literal_number(const char **s, struct literal *out);

/* May C be part of a name? */
bool literal_is_word(char c);

#endif
