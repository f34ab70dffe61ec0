// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stretches: stretches of time, marked one by one, sorted and joined before they are searched.
 */
#include "record/cut/stretches.h"

#include "base/mem.h"

#include <stdlib.h>

struct stretch {
	uint64_t from, to;
};

void times_add(struct times *t, uint64_t from, uint64_t to)
{
	/* A script that marks the same place again and again costs only one. */
	if (t->n && from >= t->v[t->n - 1].from && from <= t->v[t->n - 1].to) {
		if (to > t->v[t->n - 1].to)
			t->v[t->n - 1].to = to;
		return;
	}
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = (struct stretch){ from, to };
}

static int by_from(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

void times_settle(struct times *t)
{
	size_t n = 0;

	if (!t->n)
		return;
	qsort(t->v, t->n, sizeof(*t->v), by_from);
	for (size_t i = 1; i < t->n; i++) {
		if (t->v[i].from > t->v[n].to)
			t->v[++n] = t->v[i];
		else if (t->v[i].to > t->v[n].to)
			t->v[n].to = t->v[i].to;
	}
	t->n = n + 1;
}

bool times_have(struct times *t, uint64_t ts)
{
	while (t->at && ts < t->v[t->at].from)
		t->at--;
	while (t->at + 1 < t->n && ts >= t->v[t->at + 1].from)
		t->at++;
	return t->n && ts >= t->v[t->at].from && ts <= t->v[t->at].to;
}

bool times_ends(const struct times *t, uint64_t *from, uint64_t *to)
{
	if (!t->n)
		return false;
	*from = t->v[0].from;
	*to = t->v[t->n - 1].to;
	return true;
}

void times_fini(struct times *t)
{
	free(t->v);
	*t = (struct times){ 0 };
}
