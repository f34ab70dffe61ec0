// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps: for each process a list of what it has mapped, in the order of addresses.  A child shares
 * its parent's list until one of them changes it.
 */
#include "reader/perf/maps.h"

#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define NBUCKETS 4096

struct list {
	unsigned refs, n;
	size_t cap;
	struct perf_map *v;
};

struct maps_process {
	struct maps_process *next;
	int32_t pid;
	struct list *list; /* NULL: empty */
};

static struct maps_process **bucket_of(const struct perf_maps *m, int32_t pid)
{
	uint64_t h = ((uint64_t)(uint32_t)pid ^ m->seed) * 0x9e3779b97f4a7c15u;

	return &m->v[(h >> 32) % NBUCKETS];
}

static struct maps_process *process_of(const struct perf_maps *m, int32_t pid)
{
	struct maps_process *p = m->v ? *bucket_of(m, pid) : NULL;

	while (p && p->pid != pid)
		p = p->next;
	return p;
}

/* The same, made if it is not there; NULL: there are too many. */
static struct maps_process *process_at(struct perf_maps *m, int32_t pid)
{
	struct maps_process *p = process_of(m, pid), **bucket;

	if (p || m->nprocesses == MAPS_MAX)
		return p;
	if (!m->v) {
		m->v = mem_zalloc(NBUCKETS * sizeof(struct maps_process *));
		m->seed = seed_new();
	}
	bucket = bucket_of(m, pid);
	p = mem_zalloc(sizeof(*p));
	p->pid = pid;
	p->next = *bucket;
	*bucket = p;
	m->nprocesses++;
	return p;
}

static void let_go(struct perf_maps *m, struct list *list)
{
	if (!list || --list->refs)
		return;
	m->nmaps -= list->n;
	free(list->v);
	free(list);
}

/* P's list, as one that no other process has.  NULL: there is no room. */
static struct list *own_list(struct perf_maps *m, struct maps_process *p)
{
	struct list *was = p->list, *list;

	if (was && was->refs == 1)
		return was;
	if (was && was->n > MAPS_MAX - m->nmaps)
		return NULL;
	list = mem_zalloc(sizeof(*list));
	list->refs = 1;
	if (was) {
		list->v = mem_grow(NULL, &list->cap, was->n + 1, sizeof(*list->v));
		memcpy(list->v, was->v, was->n * sizeof(*list->v));
		list->n = was->n;
		m->nmaps += list->n;
	}
	let_go(m, was);
	p->list = list;
	return list;
}

/* The first of L's that ends behind ADDRESS. */
static unsigned first_behind(const struct list *l, uint64_t address)
{
	unsigned from = 0, to = l->n;

	while (from < to) {
		unsigned mid = (from + to) / 2;

		if (l->v[mid].end > address)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

/* Put the N maps at V in the place of those from FROM up to TO. */
static void replace(struct perf_maps *m, struct list *l, unsigned from, unsigned to,
		    const struct perf_map *v, unsigned n)
{
	l->v = mem_grow(l->v, &l->cap, l->n + n, sizeof(*l->v));
	memmove(l->v + from + n, l->v + to, (l->n - to) * sizeof(*l->v));
	memcpy(l->v + from, v, n * sizeof(*l->v));
	l->n = l->n - (to - from) + n;
	m->nmaps = m->nmaps - (to - from) + n;
}

static const char *kept_name(struct perf_maps *m, const char *name, size_t len)
{
	unsigned was = m->names.n;
	const char *kept = perf_names_keep(&m->names, name, len);

	if (m->names.n != was)
		m->name_bytes += len + 1;
	return kept;
}

bool maps_add(struct perf_maps *m, int32_t pid, const struct perf_map *x, size_t len)
{
	struct maps_process *p;
	struct perf_map put[3];
	unsigned from, to, n = 0;
	struct list *l;

	/* One may become two, around the new one. */
	if (x->start >= x->end || m->nmaps + 2 > MAPS_MAX || len >= MAPS_MAX_NAMES - m->name_bytes)
		return x->start >= x->end;
	p = process_at(m, pid);
	l = p ? own_list(m, p) : NULL;
	if (!l || m->nmaps + 2 > MAPS_MAX)
		return false;
	from = to = first_behind(l, x->start);
	while (to < l->n && l->v[to].start < x->end)
		to++;
	if (from < to && l->v[from].start < x->start) {
		put[n] = l->v[from];
		put[n++].end = x->start;
	}
	put[n] = *x;
	put[n++].name = kept_name(m, x->name, len);
	if (from < to && l->v[to - 1].end > x->end) {
		put[n] = l->v[to - 1];
		put[n].off += x->end - put[n].start;
		put[n++].start = x->end;
	}
	replace(m, l, from, to, put, n);
	return true;
}

bool maps_fork(struct perf_maps *m, int32_t child, int32_t parent)
{
	const struct maps_process *from = process_of(m, parent);
	struct maps_process *p;

	maps_forget(m, child);
	if (!from || !from->list)
		return true;
	p = process_at(m, child);
	if (!p)
		return false;
	p->list = from->list;
	p->list->refs++;
	return true;
}

void maps_forget(struct perf_maps *m, int32_t pid)
{
	struct maps_process **at, *p = process_of(m, pid);

	if (!p)
		return;
	for (at = bucket_of(m, pid); *at != p; at = &(*at)->next)
		;
	*at = p->next;
	let_go(m, p->list);
	free(p);
	m->nprocesses--;
}

const struct perf_map *maps_find(const struct perf_maps *m, int32_t pid, uint64_t address)
{
	const struct maps_process *p = process_of(m, pid);
	const struct list *l = p ? p->list : NULL;
	unsigned i;

	if (!l)
		return NULL;
	i = first_behind(l, address);
	return i < l->n && l->v[i].start <= address ? &l->v[i] : NULL;
}

void maps_fini(struct perf_maps *m)
{
	for (unsigned i = 0; m->v && i < NBUCKETS; i++) {
		while (m->v[i]) {
			struct maps_process *p = m->v[i];

			m->v[i] = p->next;
			let_go(m, p->list);
			free(p);
		}
	}
	free(m->v);
	perf_names_fini(&m->names);
	memset(m, 0, sizeof(*m));
}
