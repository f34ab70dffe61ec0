/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_PARQUET_DICTIONARY_H
#define ZED_BASE_PARQUET_DICTIONARY_H

#include "base/outbuf.h"

/*
 * The distinct values of a column, numbered from 0 in the order of their first use.
 * Zero-initialise all but factor, which dictionary_fini() keeps.
 */
#define DICTIONARY_MOST 16384	      /* values at most; ... */
#define DICTIONARY_BYTES (256u << 10) /* ... texts: bytes in total */
#define DICTIONARY_FULL UINT32_MAX

struct dictionary_slot {
	uint64_t key; /* the number, or the hash of the text */
	uint32_t at;  /* of the value, + 1; 0: free */
};

struct dictionary {
	struct dictionary_slot *slots; /* 1 << bits */
	unsigned bits;
	uint32_t n;
	struct outbuf plain; /* texts: the values as PLAIN has them */
	uint64_t *numbers;   /* numbers: the values */
	uint32_t *places;    /* texts: where in plain each begins */
	size_t cap;
	uint32_t last;	 /* texts: the number of the one that was asked for last */
	uint64_t factor; /* seed_new() | 1: values cannot be chosen to collide */
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
