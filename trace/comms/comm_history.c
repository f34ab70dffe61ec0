// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_history: the names that tasks have now, out of names that come with their times.
 */
#include "trace/comms/comm_history.h"

#include "base/mem.h"
#include "base/seed.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TASKS (1u << 20)
#define MAX_WAITING (1u << 20)
#define NO_TASK UINT32_MAX

struct task {
	int32_t pid;
	uint32_t next; /* in its bucket */
	uint32_t cap;  /* bytes at name */
	char *name;
};

struct waiting {
	uint64_t ts, seq;
	char *name;
	int32_t pid;
	uint8_t len;
};

struct comm_history {
	struct task *tasks;
	size_t tasks_cap;
	unsigned n, victim; /* the one that goes first when there are too many */
	uint32_t *buckets;
	unsigned nbuckets;    /* a power of two */
	uint64_t factor;      /* of seed_hash() */
	struct waiting *heap; /* the earliest on top */
	size_t heap_cap, nheap;
	uint64_t seq;
	const uint8_t *log;
	size_t log_len, log_at; /* what has not been taken yet begins at log_at */
};

struct comm_history *comm_history_new(void)
{
	struct comm_history *t = mem_zalloc(sizeof(*t));

	t->factor = seed_new() | 1;
	t->nbuckets = 256;
	t->buckets = mem_alloc(t->nbuckets * sizeof(*t->buckets));
	memset(t->buckets, 0xff, t->nbuckets * sizeof(*t->buckets));
	return t;
}

void comm_history_free(struct comm_history *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->n; i++)
		free(t->tasks[i].name);
	for (size_t i = 0; i < t->nheap; i++)
		free(t->heap[i].name);
	free(t->tasks);
	free(t->buckets);
	free(t->heap);
	free(t);
}

/* ---- now ---- */

static uint32_t *bucket(const struct comm_history *t, int32_t pid)
{
	return &t->buckets[seed_hash(t->factor, (uint32_t)pid) & (t->nbuckets - 1)];
}

static uint32_t find_task(const struct comm_history *t, int32_t pid)
{
	uint32_t i = *bucket(t, pid);

	while (i != NO_TASK && t->tasks[i].pid != pid)
		i = t->tasks[i].next;
	return i;
}

static void enter(struct comm_history *t, unsigned i)
{
	uint32_t *b = bucket(t, t->tasks[i].pid);

	t->tasks[i].next = *b;
	*b = i;
}

static void leave(struct comm_history *t, unsigned i)
{
	uint32_t *b = bucket(t, t->tasks[i].pid);

	while (*b != i)
		b = &t->tasks[*b].next;
	*b = t->tasks[i].next;
}

static struct task *task_of(struct comm_history *t, int32_t pid)
{
	uint32_t i = find_task(t, pid);

	if (i != NO_TASK)
		return &t->tasks[i];
	if (t->n == MAX_TASKS) {
		i = t->victim;
		t->victim = (i + 1) % MAX_TASKS;
		leave(t, i);
		t->tasks[i].pid = pid;
		enter(t, i);
		return &t->tasks[i];
	}
	t->tasks = mem_grow(t->tasks, &t->tasks_cap, t->n + 1, sizeof(*t->tasks));
	t->tasks[t->n] = (struct task){ .pid = pid };
	if (t->n >= t->nbuckets) {
		t->nbuckets *= 2;
		t->buckets = mem_realloc(t->buckets, t->nbuckets * sizeof(*t->buckets));
		memset(t->buckets, 0xff, t->nbuckets * sizeof(*t->buckets));
		for (unsigned k = 0; k < t->n; k++)
			enter(t, k);
	}
	enter(t, t->n);
	return &t->tasks[t->n++];
}

void comm_history_set(struct comm_history *t, int32_t pid, const char *name, size_t len)
{
	struct task *k = task_of(t, pid);

	if (len > COMM_LOG_MAX_NAME)
		len = COMM_LOG_MAX_NAME;
	if (len >= k->cap) {
		free(k->name);
		k->cap = len < 16 ? 16 : len + 1;
		k->name = mem_alloc(k->cap);
	}
	memcpy(k->name, name, len);
	k->name[len] = '\0';
}

const char *comm_history_name(const struct comm_history *t, int32_t pid)
{
	uint32_t i = find_task(t, pid);

	return i == NO_TASK ? NULL : t->tasks[i].name;
}

/* ---- to come ---- */

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

void comm_history_add(struct comm_history *t, const struct comm_record *r)
{
	struct waiting new = { .ts = r->ts, .seq = t->seq++, .pid = r->pid, .len = r->len };
	size_t i = t->nheap++;

	new.name = mem_strndup(r->name, r->len);
	t->heap = mem_grow(t->heap, &t->heap_cap, t->nheap, sizeof(*t->heap));
	while (i && before(&new, &t->heap[(i - 1) / 2])) {
		t->heap[i] = t->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	t->heap[i] = new;
}

uint64_t comm_history_due(const struct comm_history *t)
{
	if (!t->nheap)
		return UINT64_MAX;
	return t->nheap > MAX_WAITING ? 0 : t->heap[0].ts;
}

static void take_first(struct comm_history *t)
{
	struct waiting first = t->heap[0], last = t->heap[--t->nheap];
	size_t i = 0;

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= t->nheap)
			break;
		if (k + 1 < t->nheap && before(&t->heap[k + 1], &t->heap[k]))
			k++;
		if (!before(&t->heap[k], &last))
			break;
		t->heap[i] = t->heap[k];
		i = k;
	}
	if (t->nheap)
		t->heap[i] = last;
	/*
	 * The analyzer takes heap[0] for what it was one call before, as it does not follow copies
	 * of structures to and from an element of unknown index.
	 */
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	comm_history_set(t, first.pid, first.name, first.len);
	free(first.name);
}

void comm_history_set_log(struct comm_history *t, const uint8_t *p, size_t len)
{
	t->log = p;
	t->log_len = len;
	t->log_at = 0;
}

static uint64_t take_log(struct comm_history *t, uint64_t now,
			 uint64_t (*shown)(void *arg, uint64_t stamp), void *arg)
{
	struct comm_record r;
	uint64_t ts;

	for (size_t at = t->log_at; comm_log_next(t->log, t->log_len, &at, &r); t->log_at = at) {
		ts = shown && r.ts ? shown(arg, r.ts) : r.ts;
		if (ts > now)
			return ts;
		comm_history_set(t, r.pid, r.name, r.len);
	}
	return UINT64_MAX;
}

uint64_t comm_history_advance(struct comm_history *t, uint64_t now,
			      uint64_t (*shown)(void *arg, uint64_t stamp), void *arg)
{
	uint64_t log = t->log ? take_log(t, now, shown, arg) : UINT64_MAX;

	while (comm_history_due(t) <= now && t->nheap)
		take_first(t);
	return log < comm_history_due(t) ? log : comm_history_due(t);
}
