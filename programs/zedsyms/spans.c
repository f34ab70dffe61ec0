// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * spans: the range that holds an address, of ranges that may be within each other.
 */
#include "programs/zedsyms/spans.h"

#include "base/mem.h"

#include <stdlib.h>

#define LOOK_BACK_MOST 256 /* ranges that are looked at for one address */

void spans_add(struct spans *s, uint64_t lo, uint64_t hi, uint64_t value)
{
	s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct code_span){ .lo = lo, .hi = hi, .value = value };
}

static int by_lo(const void *a, const void *b)
{
	const struct code_span *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

void spans_sort(struct spans *s)
{
	uint64_t reach = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_lo);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].hi > reach)
			reach = s->v[i].hi;
		s->v[i].reach = reach;
	}
}

bool spans_find(const struct spans *s, uint64_t address, uint64_t *value)
{
	size_t lo = 0, hi = s->n;
	const struct code_span *found = NULL;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->v[mid].lo <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (unsigned i = 0; lo && i < LOOK_BACK_MOST && s->v[lo - 1].reach > address; i++) {
		const struct code_span *x = &s->v[--lo];

		if (x->hi > address && (!found || x->hi - x->lo < found->hi - found->lo))
			found = x;
	}
	if (found)
		*value = found->value;
	return found;
}
