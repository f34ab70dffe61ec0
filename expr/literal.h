/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_EXPR_LITERAL_H
#define ZED_EXPR_LITERAL_H

#include <stdbool.h>
#include <stdint.h>

/* A number as it is written, without a sign. */
struct literal {
	uint64_t num;
	bool is_time; /* it had a unit of time: ns */
	bool is_bits; /* hex or octal */
};

enum literal_end {
	LITERAL_OK,
	LITERAL_NONE,	  /* no number, or one that a letter follows */
	LITERAL_FRACTION, /* with a point, but not a time of whole ns */
	LITERAL_BIG,	  /* more than 64 bits */
};

/* The number at *S, which moves to what follows: 12, 0x1f, 017, 10ms, 1.5us. */
enum literal_end literal_number(const char **s, struct literal *out);

/* May C stand in a name? */
bool literal_is_word(char c);

#endif
