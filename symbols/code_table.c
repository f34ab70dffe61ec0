// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * code_table: the functions of a file, sorted, and the one that holds an address.
 */
#include "symbols/code_table.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define NESTED_MOST 16 /* entries that are looked at for one that encloses the others */

bool code_table_add(struct code_table *t, uint64_t start, uint64_t end, const char *name)
{
	if (t->n == CODE_ENTRIES_MAX)
		return false;
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = (struct code_entry){ start, end, name };
	return true;
}

/* Merge the sorted halves of V into TO: qsort() does not keep the order of equal ones. */
static void merge(const struct code_entry *v, size_t n, size_t half, struct code_entry *to)
{
	size_t a = 0, b = half;

	while (a < half || b < n)
		*to++ = b == n || (a < half && v[a].start <= v[b].start) ? v[a++] : v[b++];
}

static void sort(struct code_entry *v, size_t n, struct code_entry *tmp)
{
	size_t half = n / 2;

	if (n < 2)
		return;
	sort(v, half, tmp);
	sort(v + half, n - half, tmp);
	if (v[half - 1].start <= v[half].start)
		return;
	merge(v, n, half, tmp);
	memcpy(v, tmp, n * sizeof(*v));
}

void code_table_sort(struct code_table *t)
{
	struct code_entry *tmp = mem_alloc((t->n + 1) * sizeof(*tmp));
	size_t kept = 0;

	sort(t->v, t->n, tmp);
	free(tmp);
	for (size_t i = 0; i < t->n; i++) {
		if (kept && t->v[kept - 1].start == t->v[i].start)
			kept--;
		t->v[kept++] = t->v[i];
	}
	t->n = kept;
}

const struct code_entry *code_table_at(const struct code_table *t, uint64_t address)
{
	size_t lo = 0, hi = t->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->v[mid].start <= address)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (unsigned i = 0; lo && i < NESTED_MOST; i++) {
		const struct code_entry *x = &t->v[--lo];

		if (address < x->end || address == x->start)
			return x;
	}
	return NULL;
}

void code_table_fini(struct code_table *t)
{
	free(t->v);
	free(t->text);
	memset(t, 0, sizeof(*t));
}
