/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * marks: single events in windows that are kept.
 */
#include "analysis/timeline/marks.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define PAD_LEAST 100000 /* ns added to a window before and after */

void marks_fini(struct marks *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->v[i]);
	free(m->v);
}

static bool meets(const struct marks_window *w, const struct marks_chunk *c)
{
	return w->from <= c->v[c->n - 1].ts && w->to >= c->v[0].ts;
}

static bool is_kept(const struct marks *m, const struct marks_chunk *c)
{
	for (unsigned i = 0; i < m->nwindows; i++)
		if (meets(&m->windows[i], c))
			return true;
	return false;
}

/* Free the chunks after the recent ones that no window needs. */
static void sweep(struct marks *m)
{
	size_t out = 0, recent = m->n > MARKS_RECENT ? m->n - MARKS_RECENT : 0;

	for (size_t i = 0; i < m->n; i++) {
		if (i >= recent || is_kept(m, m->v[i]))
			m->v[out++] = m->v[i];
		else
			free(m->v[i]);
	}
	m->n = out;
}

static unsigned lightest(const struct marks *m)
{
	unsigned least = 0;

	for (unsigned i = 1; i < m->nwindows; i++)
		if (m->windows[i].weight < m->windows[least].weight)
			least = i;
	return least;
}

static void drop_window(struct marks *m, unsigned i)
{
	m->windows[i] = m->windows[--m->nwindows];
}

static void new_chunk(struct marks *m)
{
	if (m->n > MARKS_RECENT && !is_kept(m, m->v[m->n - MARKS_RECENT - 1])) {
		size_t i = m->n - MARKS_RECENT - 1;

		free(m->v[i]);
		memmove(&m->v[i], &m->v[i + 1], (m->n - i - 1) * sizeof(*m->v));
		m->n--;
	}
	while (m->n >= MARKS_CHUNKS) {
		sweep(m);
		if (m->n < MARKS_CHUNKS || !m->nwindows)
			break;
		drop_window(m, lightest(m));
	}
	m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n] = mem_alloc(sizeof(**m->v));
	m->v[m->n]->number = m->chunks++;
	m->v[m->n++]->n = 0;
}

struct mark *marks_add(struct marks *m)
{
	struct marks_chunk *c = m->n ? m->v[m->n - 1] : NULL;

	if (!c || c->n == MARKS_CHUNK) {
		new_chunk(m);
		c = m->v[m->n - 1];
	}
	m->all++;
	return &c->v[c->n++];
}

void marks_keep(struct marks *m, uint64_t from, uint64_t to, uint64_t weight)
{
	uint64_t pad = (to - from) / 4 > PAD_LEAST ? (to - from) / 4 : PAD_LEAST;
	unsigned at = m->nwindows;

	if (at == MARKS_WINDOWS) {
		at = lightest(m);
		if (m->windows[at].weight >= weight)
			return;
	} else {
		m->nwindows++;
	}
	m->windows[at] = (struct marks_window){ .from = from > pad ? from - pad : 0,
						.to = to > UINT64_MAX - pad ? to : to + pad,
						.weight = weight };
}

/* ---- the result ---- */

static int by_weight(const void *a, const void *b)
{
	const struct marks_window *x = a, *y = b;

	return (x->weight < y->weight) - (x->weight > y->weight);
}

static int by_place(const void *a, const void *b)
{
	const struct marks_range *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* The index of the first of A that is not before TS. */
static size_t find(const struct mark *const *v, size_t n, uint64_t ts)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (v[middle]->ts < ts)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/*
 * The marks of a window among the N marks V, at most MOST: the last ones without a gap, as the end
 * of a case explains it.
 */
static struct marks_range range_of(const struct marks *m, const struct marks_window *w,
				   const struct mark *const *v, size_t n, size_t most)
{
	size_t first = find(v, n, w->from), last = find(v, n, w->to + 1), at = 0;

	if (first == last)
		return (struct marks_range){ .n = 0 };
	for (size_t i = 0; i < m->n && at < last; at += m->v[i++]->n)
		if (i && m->v[i]->number != m->v[i - 1]->number + 1 && at > first)
			first = at;
	if (last - first > most)
		first = last - most;
	return (struct marks_range){
		.from = v[first]->ts, .to = v[last - 1]->ts, .first = first, .n = last - first
	};
}

/* Ranges that meet become one. */
static void join(struct marks_answer *a)
{
	size_t out = 0;

	qsort(a->ranges, a->nranges, sizeof(*a->ranges), by_place);
	for (size_t i = 0; i < a->nranges; i++) {
		struct marks_range *last = out ? &a->ranges[out - 1] : NULL, *r = &a->ranges[i];

		if (!last || r->first >= last->first + last->n) {
			a->ranges[out++] = *r;
		} else if (r->first + r->n > last->first + last->n) {
			last->n = r->first + r->n - last->first;
			last->to = r->to;
		}
	}
	a->nranges = out;
}

static const struct mark **all_of(const struct marks *m, size_t *n)
{
	const struct mark **v = mem_alloc((m->n * MARKS_CHUNK + 1) * sizeof(const struct mark *));

	*n = 0;
	for (size_t i = 0; i < m->n; i++)
		for (uint32_t k = 0; k < m->v[i]->n; k++)
			v[(*n)++] = &m->v[i]->v[k];
	return v;
}

void marks_choose(const struct marks *m, size_t most, struct marks_answer *out)
{
	struct marks_window w[MARKS_WINDOWS];
	size_t n, left = most, to = 0;
	const struct mark **v = all_of(m, &n);

	*out = (struct marks_answer){ .v = v };
	out->ranges = mem_zalloc((MARKS_WINDOWS + 1) * sizeof(*out->ranges));
	if (n == m->all && n <= most && n) {
		out->n = n;
		out->ranges[0] =
			(struct marks_range){ .from = v[0]->ts, .to = v[n - 1]->ts, .n = n };
		out->nranges = 1;
		return;
	}
	memcpy(w, m->windows, sizeof(w));
	qsort(w, m->nwindows, sizeof(*w), by_weight);
	for (unsigned i = 0; i < m->nwindows && left; i++) {
		size_t share = left <= most / 6 + 1 ? left : most / 6 + 1;
		struct marks_range r = range_of(m, &w[i], v, n, share);

		if (!r.n)
			continue;
		out->ranges[out->nranges++] = r;
		left -= r.n;
	}
	join(out);
	for (size_t i = 0; i < out->nranges; i++) {
		struct marks_range *r = &out->ranges[i];

		memmove(&v[to], &v[r->first], r->n * sizeof(const struct mark *));
		r->first = to;
		to += r->n;
	}
	out->n = to;
}

void marks_answer_fini(struct marks_answer *a)
{
	free(a->v);
	free(a->ranges);
}
