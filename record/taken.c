// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * taken: how many events of each CPU the reader of a stream gets, if the stream breaks.
 */
#include "record/taken.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "record/count.h"

#include <stdlib.h>
#include <string.h>

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define COMMIT_SIZE 0x07ffffffu /* of a sub-buffer's commit word (format.md 4.1) */

void taken_add(struct taken *t, int cpu, unsigned events, uint64_t end)
{
	if (!events || cpu < 0)
		return;
	t->events = mem_grow_zeroed(t->events, &t->events_cap, (size_t)cpu + 1, sizeof(*t->events));
	t->events[cpu] += events;
	if (t->first && t->first + t->n == t->cap) {
		memmove(t->v, t->v + t->first, t->n * sizeof(*t->v));
		t->first = 0;
	}
	t->v = mem_grow(t->v, &t->cap, t->first + t->n + 1, sizeof(*t->v));
	t->v[t->first + t->n++] = (struct taken_piece){ end, cpu, events };
}

void taken_forget(struct taken *t, uint64_t read)
{
	while (t->n && t->v[t->first].end <= read) {
		t->first++;
		t->n--;
	}
	if (!t->n)
		t->first = 0;
}

void taken_settle(struct taken *t, uint64_t read)
{
	while (t->n && t->v[t->first + t->n - 1].end > read) {
		const struct taken_piece *last = &t->v[t->first + --t->n];

		t->events[last->cpu] -= last->events;
	}
}

uint64_t taken_events(const struct taken *t, int cpu)
{
	return cpu >= 0 && (size_t)cpu < t->events_cap ? t->events[cpu] : 0;
}

void taken_fini(struct taken *t)
{
	free(t->events);
	free(t->v);
	*t = (struct taken){ 0 };
}

unsigned taken_in_page(const uint8_t *p, uint32_t len, uint32_t head)
{
	uint32_t used;
	uint64_t ts = 0;

	if (head < 12 || len < head)
		return 0;
	/* The low half of the commit word, which is a long. */
	used = bytes_u32(p + (BIG_ENDIAN_HERE ? head - 4 : 8), BIG_ENDIAN_HERE) & COMMIT_SIZE;
	return count_page(p + head, used < len - head ? used : len - head, BIG_ENDIAN_HERE, &ts);
}
