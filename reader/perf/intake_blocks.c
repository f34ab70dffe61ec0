// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * intake_blocks: memory for the bytes of a file, reused as soon as neither the intake nor a waiting
 * record needs it.
 */
#include "reader/perf/intake_blocks.h"

#include "base/mem.h"

#include <stdlib.h>

struct intake_block *blocks_get(struct intake_blocks *s, size_t size)
{
	struct intake_block *b = s->unused;

	if (b && b->size >= size) {
		s->unused = b->next;
	} else {
		b = mem_alloc(sizeof(*b) + size);
		b->size = size;
	}
	b->users = 1;
	b->left = false;
	return b;
}

void blocks_drop(struct intake_blocks *s, struct intake_block *b)
{
	if (--b->users)
		return;
	if (b->left)
		s->waiting -= b->size;
	b->next = s->unused;
	s->unused = b;
}

void blocks_leave(struct intake_blocks *s, struct intake_block *b)
{
	b->left = true;
	s->waiting += b->size;
	blocks_drop(s, b);
}

void blocks_fini(struct intake_blocks *s)
{
	while (s->unused) {
		struct intake_block *next = s->unused->next;

		free(s->unused);
		s->unused = next;
	}
}
