/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_MEM_H
#define ZED_BASE_MEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Memory.  These never return NULL: when the system has none left, one line goes to stderr and the
 * process aborts, as nothing useful can be done without.  The caller bounds sizes that come from a
 * file.  Free with free().
 */
void *mem_alloc(size_t size);
void *mem_zalloc(size_t size);
void *mem_realloc(void *p, size_t size);
void *mem_check(void *p); /* P; aborts if it is NULL: for libraries that allocate */
void mem_give_back(void); /* what was freed, to the system: costs a walk over the heap */
void mem_close(FILE *f);  /* F is from open_memstream(); completes its text */
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t len); /* LEN bytes and a NUL */

/*
 * SIZE zeroed bytes, which take memory only once written to; freed by mem_unmap(), which accepts
 * NULL.
 */
void *mem_map(size_t size);
void mem_unmap(void *p, size_t size);

/* Grow the array *P of *CAP items of SIZE bytes so that it holds NEED; doubles. */
void *mem_grow(void *p, size_t *cap, size_t need, size_t size);
/* The same; new items are zero. */
void *mem_grow_zeroed(void *p, size_t *cap, size_t need, size_t size);

/*
 * An arena: many small things with one lifetime.  Zero-initialise; what arena_alloc() returns is
 * zeroed, aligned for any type, and valid until arena_fini().
 */
struct arena {
	struct arena_block *blocks;
	size_t used, size;
};

void *arena_alloc(struct arena *a, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);
void arena_fini(struct arena *a);

#endif
