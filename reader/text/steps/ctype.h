/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_STEPS_CTYPE_H
#define ZED_READER_TEXT_STEPS_CTYPE_H

#include "reader/model/event.h"

/*
 * The C type of a value in a print format: an integer, or the address of bytes of the record.  An
 * address of the kernel is an unsigned integer as long as its longs.
 */
struct ctype {
	bool bytes;   /* size and is_signed are those of an item at that address */
	uint8_t size; /* 1, 2, 4 or 8 */
	bool is_signed;
};

/* The type that these words name: of a cast or sizeof().  *POINTER: they end with a star. */
struct ctype ctype_of_words(const char *words, unsigned long_size, bool *known, bool *pointer);

/* The type of a number as it is written: "0x10UL". */
struct ctype ctype_of_number(const char *digits, uint64_t value, unsigned long_size);

/* What C's integer promotions make of T, and the type in which T and U are computed. */
struct ctype ctype_promoted(struct ctype t);
struct ctype ctype_common(struct ctype t, struct ctype u);

#endif
