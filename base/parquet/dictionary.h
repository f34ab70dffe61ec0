/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_DICTIONARY_H
#define ZED_BASE_PARQUET_DICTIONARY_H

#include "base/hash_index.h"
#include "base/outbuf.h"

/*
 * The distinct values of a column, numbered from 0 in the order of their first use.
 * Zero-initialise.
 */
#define DICTIONARY_MOST 16384	      /* values at most; ... */
#define DICTIONARY_BYTES (256u << 10) /* ... texts: bytes in total */
#define DICTIONARY_FULL UINT32_MAX

struct dictionary {
	struct hash_index index;
	uint32_t n;
	struct outbuf plain; /* texts: the values as PLAIN has them */
	uint64_t *numbers;   /* numbers: the values */
	uint32_t *places;    /* texts: where in plain each begins */
	size_t cap;
	uint32_t last; /* texts: the number of the one that was asked for last */
};

/* The number of the value V; DICTIONARY_FULL: it is new, and there is no room. */
uint32_t dictionary_number(struct dictionary *d, uint64_t v);

/*
 * The same for a text of LEN bytes.  *IS_NEW: this call entered it.  A dictionary holds either
 * numbers or texts.
 */
uint32_t dictionary_text(struct dictionary *d, const void *p, uint32_t len, bool *is_new);

/* Remove the values numbered N and up, of a dictionary of numbers. */
void dictionary_cut(struct dictionary *d, uint32_t n);

/* Bytes of memory. */
size_t dictionary_size(const struct dictionary *d);

void dictionary_fini(struct dictionary *d);

#endif
