/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_CTYPE_H
#define ZED_BASE_CTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The C type of a value: an integer on a machine whose longs have LONG_SIZE bytes, or the address
 * of bytes that can be read.  Any other address is an unsigned integer as long as a long.
 */
struct ctype {
	bool bytes;   /* size and is_signed are those of an item at that address */
	uint8_t size; /* 1, 2, 4 or 8 */
	bool is_signed;
};

/*
 * The type whose name is the word W of LEN bytes: "u32", "__le16", "size_t".  False: unknown, or
 * only part of a type name, such as "long".
 */
bool ctype_of_name(const char *w, size_t len, unsigned long_size, struct ctype *t);

/* The type named by these words, in a cast or sizeof().  *POINTER: they end with a star. */
struct ctype ctype_of_words(const char *words, unsigned long_size, bool *known, bool *pointer);

/* The type of a number as it is written: "0x10UL". */
struct ctype ctype_of_number(const char *digits, uint64_t value, unsigned long_size);

/* What C's integer promotions make of T, and the type in which T and U are computed. */
struct ctype ctype_promoted(struct ctype t);
struct ctype ctype_common(struct ctype t, struct ctype u);

#endif
