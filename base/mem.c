// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mem: allocation that cannot fail, with one place for "out of memory"; and arenas, which free many
 * small things at once.
 */
#include "base/mem.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *mem_check(void *p)
{
	static const char text[] = "zedperl: out of memory\n";

	if (p)
		return p;
	/* write() and not stdio: stdio may allocate. */
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		abort();
	abort();
}

void *mem_alloc(size_t size)
{
	return mem_check(malloc(size ? size : 1));
}

void *mem_zalloc(size_t size)
{
	return mem_check(calloc(1, size ? size : 1));
}

void *mem_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mem_check(p == MAP_FAILED ? NULL : p);
	/* With huge pages, the first touch would back 2 MB of each such area. */
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

void mem_unmap(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

void *mem_realloc(void *p, size_t size)
{
	return mem_check(realloc(p, size ? size : 1));
}

void mem_give_back(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#endif
}

void mem_close(FILE *f)
{
	bool whole = !ferror(f);

	if (fclose(f) != 0 || !whole)
		mem_check(NULL);
}

char *mem_strndup(const char *s, size_t len)
{
	char *p = mem_alloc(len + 1);

	memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
	size_t n = *cap ? *cap : 8;

	if (need <= *cap)
		return p;
	while (n < need)
		n *= 2;
	*cap = n;
	return mem_realloc(p, n * size);
}

void *mem_grow_zeroed(void *p, size_t *cap, size_t need, size_t size)
{
	size_t was = *cap;
	char *q = mem_grow(p, cap, need, size);

	if (*cap > was)
		memset(q + was * size, 0, (*cap - was) * size);
	return q;
}

struct arena_block {
	struct arena_block *next;
	size_t pad; /* keeps data[] aligned to 16 */
	unsigned char data[];
};

#define BLOCK_SIZE 16384
#define FIRST_BLOCK 1024 /* many arenas hold little: each type that is called for has one */

void *arena_alloc(struct arena *a, size_t size)
{
	size_t need = (size + 15) & ~(size_t)15;
	void *p;

	if (!a->blocks || need > a->size - a->used) {
		size_t n = a->blocks ? BLOCK_SIZE : FIRST_BLOCK;
		struct arena_block *b;

		n = need > n ? need : n;
		b = mem_alloc(sizeof(*b) + n);
		b->next = a->blocks;
		a->blocks = b;
		a->size = n;
		a->used = 0;
	}
	p = a->blocks->data + a->used;
	a->used += need;
	return memset(p, 0, size);
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	memcpy(p, s, len);
	return p;
}

void arena_fini(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	a->used = a->size = 0;
}
