// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * delivered: how many events of each CPU the reader of a stream gets, if the stream breaks.
 */
#include "record/delivered.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void delivered_add(struct delivered *t, int cpu, unsigned events, uint64_t end)
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
	t->v[t->first + t->n++] = (struct delivered_piece){ end, cpu, events };
}

void delivered_forget(struct delivered *t, uint64_t read)
{
	while (t->n && t->v[t->first].end <= read) {
		t->first++;
		t->n--;
	}
	if (!t->n)
		t->first = 0;
}

void delivered_settle(struct delivered *t, uint64_t read)
{
	while (t->n && t->v[t->first + t->n - 1].end > read) {
		const struct delivered_piece *last = &t->v[t->first + --t->n];

		t->events[last->cpu] -= last->events;
	}
}

uint64_t delivered_events(const struct delivered *t, int cpu)
{
	return cpu >= 0 && (size_t)cpu < t->events_cap ? t->events[cpu] : 0;
}

uint64_t delivered_missing(const struct delivered *t, int cpu, uint64_t read)
{
	uint64_t n = 0;

	for (size_t i = t->n; i && t->v[t->first + i - 1].end > read; i--)
		if (t->v[t->first + i - 1].cpu == cpu)
			n += t->v[t->first + i - 1].events;
	return n;
}

void delivered_fini(struct delivered *t)
{
	free(t->events);
	free(t->v);
	*t = (struct delivered){ 0 };
}
