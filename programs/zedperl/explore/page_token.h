/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_PAGE_TOKEN_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_PAGE_TOKEN_H

#include "base/err.h"

/* What the address of the page has that others cannot guess: 128 random bits in hex. */
#define PAGE_TOKEN_LEN 32

struct page_token {
	char text[PAGE_TOKEN_LEN + 1];
};

/* From the kernel's generator.  -1 with E: it gives none. */
int pagetoken_make(struct page_token *t, struct err *e);

/*
 * Does PATH begin with "/TOKEN/"?  Then what follows, else NULL.  Takes the same time whichever of
 * the token's characters are right.
 */
const char *pagetoken_below(const struct page_token *t, const char *path);

#endif
