// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * maps: a list of mappings for each process, sorted by address, in blocks, so that an insertion
 * only moves the entries of a block.  A child shares its parent's list until one of them changes
 * it, and each block until it is changed.
 */
#include "reader/perf/maps.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK_MOST 128 /* maps of a block */

struct block {
	unsigned refs, n; /* blocks are never empty */
	size_t cap;
	struct perf_map *v;
};

struct map_list {
	unsigned refs, n, nblocks; /* n: of all blocks */
	size_t cap;
	struct block **blocks;
};

/* A map of a list: the one at I of the block B.  The end is index 0 of the block after the last. */
struct map_place {
	unsigned b, i;
};

struct maps_process {
	int32_t pid;
	uint64_t changed;      /* the number of its last change */
	struct map_list *list; /* NULL: empty */
	const char *jitdump;   /* NULL: none */
	uint64_t jit_until;    /* it is about this process up to this time */
};

static uint32_t hash_of(const struct perf_maps *m, int32_t pid)
{
	return index_hash(&m->by_pid, (uint32_t)pid);
}

static struct maps_process *process_of(const struct perf_maps *m, int32_t pid)
{
	uint32_t hash = hash_of(m, pid), slot = index_home(&m->by_pid, hash), i;

	while (index_next(&m->by_pid, hash, &slot, &i))
		if (m->v[i].pid == pid)
			return &m->v[i];
	return NULL;
}

/* The same, created if missing, when others move; NULL: too many. */
static struct maps_process *process_at(struct perf_maps *m, int32_t pid)
{
	struct maps_process *p = process_of(m, pid);
	uint32_t n = m->by_pid.n;

	if (p || n == MAPS_MAX)
		return p;
	m->v = mem_grow(m->v, &m->cap, n + 1, sizeof(*m->v));
	m->v[n] = (struct maps_process){ .pid = pid };
	index_begin(&m->by_pid);
	index_add(&m->by_pid, hash_of(m, pid), n);
	return &m->v[n];
}

static void let_go_block(struct block *b)
{
	if (--b->refs)
		return;
	free(b->v);
	free(b);
}

static void let_go(struct perf_maps *m, struct map_list *list)
{
	if (!list || --list->refs)
		return;
	m->nmaps -= list->n;
	for (unsigned i = 0; i < list->nblocks; i++)
		let_go_block(list->blocks[i]);
	free(list->blocks);
	free(list);
}

/* P's list, made unshared.  NULL: no room. */
static struct map_list *own_list(struct perf_maps *m, struct maps_process *p)
{
	struct map_list *was = p->list, *list;

	if (was && was->refs == 1)
		return was;
	if (was && was->n > MAPS_MAX - m->nmaps)
		return NULL;
	list = mem_zalloc(sizeof(*list));
	list->refs = 1;
	if (was) {
		list->blocks = mem_grow(NULL, &list->cap, was->nblocks + 1, sizeof(*list->blocks));
		list->n = was->n;
		list->nblocks = was->nblocks;
		for (unsigned i = 0; i < was->nblocks; i++) {
			list->blocks[i] = was->blocks[i];
			list->blocks[i]->refs++;
		}
		m->nmaps += list->n;
	}
	let_go(m, was);
	p->list = list;
	return list;
}

/* The block at I of L, made unshared. */
static struct block *own_block(struct map_list *l, unsigned i)
{
	struct block *was = l->blocks[i], *b;

	if (was->refs == 1)
		return was;
	b = mem_zalloc(sizeof(*b));
	b->refs = 1;
	b->n = was->n;
	b->v = mem_grow(NULL, &b->cap, was->n + 1, sizeof(*b->v));
	memcpy(b->v, was->v, was->n * sizeof(*b->v));
	let_go_block(was);
	l->blocks[i] = b;
	return b;
}

/* Insert a block without maps before the one at I. */
static struct block *new_block(struct map_list *l, unsigned i)
{
	struct block *b = mem_zalloc(sizeof(*b));

	b->refs = 1;
	l->blocks = mem_grow(l->blocks, &l->cap, l->nblocks + 1, sizeof(struct block *));
	memmove(l->blocks + i + 1, l->blocks + i, (l->nblocks - i) * sizeof(struct block *));
	l->blocks[i] = b;
	l->nblocks++;
	return b;
}

/* The first map of L that ends after ADDRESS. */
static struct map_place first_behind(const struct map_list *l, uint64_t address)
{
	struct map_place at = { 0 };
	unsigned to = l->nblocks;

	while (at.b < to) {
		unsigned mid = (at.b + to) / 2;

		if (l->blocks[mid]->v[l->blocks[mid]->n - 1].end > address)
			to = mid;
		else
			at.b = mid + 1;
	}
	if (at.b == l->nblocks)
		return at;
	to = l->blocks[at.b]->n;
	while (at.i < to) {
		unsigned mid = (at.i + to) / 2;

		if (l->blocks[at.b]->v[mid].end > address)
			to = mid;
		else
			at.i = mid + 1;
	}
	return at;
}

/* The one at AT, or NULL at the end. */
static const struct perf_map *map_at(const struct map_list *l, struct map_place at)
{
	return at.b < l->nblocks ? &l->blocks[at.b]->v[at.i] : NULL;
}

static struct map_place next_of(const struct map_list *l, struct map_place at)
{
	if (++at.i == l->blocks[at.b]->n)
		at = (struct map_place){ at.b + 1, 0 };
	return at;
}

/* AT, or the start of the next block if AT is at the end of its block. */
static struct map_place delete_at(struct perf_maps *m, struct map_list *l, struct map_place at)
{
	struct block *b = own_block(l, at.b);

	b->n--;
	l->n--;
	m->nmaps--;
	memmove(b->v + at.i, b->v + at.i + 1, (b->n - at.i) * sizeof(*b->v));
	if (!b->n) {
		let_go_block(b);
		l->nblocks--;
		memmove(l->blocks + at.b, l->blocks + at.b + 1,
			(l->nblocks - at.b) * sizeof(struct block *));
		at.i = 0;
	} else if (at.i == b->n) {
		at = (struct map_place){ at.b + 1, 0 };
	}
	return at;
}

/* Insert X before the one at AT; returns its place. */
static struct map_place insert_at(struct perf_maps *m, struct map_list *l, struct map_place at,
				  const struct perf_map *x)
{
	struct block *b;

	/* Prefer the end of a block to the start of the next. */
	if (!at.i && at.b)
		at = (struct map_place){ at.b - 1, l->blocks[at.b - 1]->n };
	b = l->nblocks ? own_block(l, at.b) : new_block(l, 0);
	if (b->n == BLOCK_MOST) {
		struct block *more = new_block(l, at.b + 1);

		/* Maps added in order of addresses fill their blocks. */
		more->n = at.i == b->n ? 0 : b->n / 2;
		b->n -= more->n;
		more->v = mem_grow(NULL, &more->cap, more->n + 1, sizeof(*more->v));
		memcpy(more->v, b->v + b->n, more->n * sizeof(*more->v));
		if (at.i > b->n || !more->n) {
			at = (struct map_place){ at.b + 1, at.i - b->n };
			b = more;
		}
	}
	b->v = mem_grow(b->v, &b->cap, b->n + 1, sizeof(*b->v));
	memmove(b->v + at.i + 1, b->v + at.i, (b->n - at.i) * sizeof(*b->v));
	b->v[at.i] = *x;
	b->n++;
	l->n++;
	m->nmaps++;
	return at;
}

/* Remove everything from START up to END from L; returns the place of what follows. */
static struct map_place clear(struct perf_maps *m, struct map_list *l, uint64_t start, uint64_t end)
{
	struct map_place at = first_behind(l, start);
	const struct perf_map *x = map_at(l, at);

	if (x && x->start < start) {
		struct perf_map left = *x;

		left.end = start;
		if (x->end > end) {
			at = insert_at(m, l, at, &left);
			at = next_of(l, at);
		} else {
			own_block(l, at.b)->v[at.i].end = start;
			at = next_of(l, at);
		}
	}
	while ((x = map_at(l, at)) && x->end <= end)
		at = delete_at(m, l, at);
	if (x && x->start < end) {
		struct perf_map *right = &own_block(l, at.b)->v[at.i];

		right->off += end - right->start;
		right->start = end;
	}
	return at;
}

static const char *kept_name(struct perf_maps *m, const char *name, size_t len)
{
	size_t was = m->names.n;
	const char *kept = perf_names_keep(&m->names, name, len);

	if (m->names.n != was)
		m->name_bytes += len + 1;
	return kept;
}

/* Is NAME that of a file of JIT code: "jit-", the process, ".dump"? */
static bool is_jitdump(const char *name)
{
	const char *slash = strrchr(name, '/');
	size_t digits;

	if (!slash || strncmp(slash, "/jit-", 5) != 0)
		return false;
	digits = strspn(slash + 5, "0123456789");
	return digits && !strcmp(slash + 5 + digits, ".dump");
}

bool maps_add(struct perf_maps *m, int32_t pid, const struct perf_map *x, size_t len)
{
	struct perf_map kept = *x;
	struct maps_process *p;
	struct map_list *l;

	/* A map may be split around the new one. */
	if (x->start >= x->end || m->nmaps + 2 > MAPS_MAX || len >= MAPS_MAX_NAMES - m->name_bytes)
		return x->start >= x->end;
	p = process_at(m, pid);
	l = p ? own_list(m, p) : NULL;
	if (!l || m->nmaps + 2 > MAPS_MAX)
		return false;
	p->changed = ++m->changes;
	kept.name = kept_name(m, x->name, len);
	if (is_jitdump(kept.name)) {
		p->jitdump = kept.name;
		p->jit_until = UINT64_MAX;
	}
	insert_at(m, l, clear(m, l, x->start, x->end), &kept);
	return true;
}

void maps_remove(struct perf_maps *m, int32_t pid, uint64_t start, uint64_t end)
{
	struct maps_process *p = process_of(m, pid);
	struct map_list *l = p && p->list && start < end ? own_list(m, p) : NULL;

	/* A map may be split around what is removed. */
	if (!l || m->nmaps >= MAPS_MAX)
		return;
	p->changed = ++m->changes;
	clear(m, l, start, end);
}

bool maps_fork(struct perf_maps *m, int32_t child, int32_t parent, uint64_t ts)
{
	struct maps_process *p, was;

	maps_forget(m, child);
	p = process_of(m, parent);
	if (!p || !p->list)
		return true;
	was = *p;
	p = process_at(m, child);
	if (!p)
		return false;
	p->list = was.list;
	p->changed = ++m->changes;
	p->list->refs++;
	p->jitdump = was.jitdump;
	p->jit_until = was.jit_until < ts ? was.jit_until : ts;
	return true;
}

void maps_forget(struct perf_maps *m, int32_t pid)
{
	struct maps_process *p = process_of(m, pid), *last;
	uint32_t i;

	if (!p)
		return;
	m->forgotten = ++m->changes;
	i = (uint32_t)(p - m->v);
	let_go(m, p->list);
	index_remove(&m->by_pid, hash_of(m, pid), i);
	last = &m->v[m->by_pid.n];
	if (p == last)
		return;
	*p = *last;
	index_remove(&m->by_pid, hash_of(m, p->pid), m->by_pid.n);
	index_add(&m->by_pid, hash_of(m, p->pid), i);
}

const char *maps_jitdump(const struct perf_maps *m, int32_t pid, uint64_t *until)
{
	const struct maps_process *p = process_of(m, pid);

	*until = p ? p->jit_until : 0;
	return p ? p->jitdump : NULL;
}

const struct perf_map *maps_find(const struct perf_maps *m, int32_t pid, uint64_t address)
{
	const struct maps_process *p = process_of(m, pid);
	const struct map_list *l = p ? p->list : NULL;
	const struct perf_map *x = l ? map_at(l, first_behind(l, address)) : NULL;

	return x && x->start <= address ? x : NULL;
}

uint64_t maps_generation(const struct perf_maps *m, int32_t pid)
{
	const struct maps_process *p = process_of(m, pid);

	return p ? p->changed : m->forgotten;
}

void maps_fini(struct perf_maps *m)
{
	for (uint32_t i = 0; i < m->by_pid.n; i++)
		let_go(m, m->v[i].list);
	index_fini(&m->by_pid);
	free(m->v);
	perf_names_fini(&m->names);
	memset(m, 0, sizeof(*m));
}
