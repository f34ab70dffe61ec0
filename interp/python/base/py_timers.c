// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * py_timers: the functions of trace.when(), in a heap by time and order.
 */
#include "interp/python/base/py_timers.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void timers_init(struct py_timers *t)
{
	memset(t, 0, sizeof(*t));
	t->due = UINT64_MAX;
}

void timers_fini(struct py_timers *t)
{
	struct py_timer *heap = t->heap;
	size_t n = t->n;

	/* A destructor of an object in a closure may make another one. */
	timers_init(t);
	while (n)
		Py_DECREF(heap[--n].function);
	free(heap);
}

int timers_traverse(struct py_timers *t, visitproc visit, void *arg)
{
	for (size_t i = 0; i < t->n; i++)
		Py_VISIT(t->heap[i].function);
	return 0;
}

static bool is_before(const struct py_timer *a, const struct py_timer *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->number < b->number;
}

static void swap(struct py_timer *a, struct py_timer *b)
{
	struct py_timer kept = *a;

	*a = *b;
	*b = kept;
}

void timers_add(struct py_timers *t, uint64_t ts, PyObject *function)
{
	size_t i = t->n;

	t->heap = mem_grow(t->heap, &t->cap, t->n + 1, sizeof(*t->heap));
	t->heap[t->n++] = (struct py_timer){ ts, t->made++, Py_NewRef(function) };
	for (; i && is_before(&t->heap[i], &t->heap[(i - 1) / 2]); i = (i - 1) / 2)
		swap(&t->heap[i], &t->heap[(i - 1) / 2]);
	t->due = t->heap[0].ts;
}

PyObject *timers_take(struct py_timers *t, uint64_t ts)
{
	PyObject *function;
	size_t i = 0, child;

	if (!t->n || t->heap[0].ts > ts)
		return NULL;
	function = t->heap[0].function;
	t->heap[0] = t->heap[--t->n];
	for (; (child = 2 * i + 1) < t->n; i = child) {
		if (child + 1 < t->n && is_before(&t->heap[child + 1], &t->heap[child]))
			child++;
		if (!is_before(&t->heap[child], &t->heap[i]))
			break;
		swap(&t->heap[child], &t->heap[i]);
	}
	t->due = t->n ? t->heap[0].ts : UINT64_MAX;
	return function;
}
