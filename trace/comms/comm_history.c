// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_history: the current names of tasks, from names with times.
 */
#include "trace/comms/comm_history.h"

#include "base/mem.h"
#include "trace/comms/comm_table.h"

#include <stdlib.h>

#define MAX_WAITING (1u << 20)

struct waiting {
	uint64_t ts, seq;
	char *name;
	int32_t pid;
	uint8_t len;
};

struct comm_history {
	struct comm_table *now;
	struct waiting *heap; /* the earliest on top */
	size_t heap_cap, nheap;
	uint64_t seq;
	const uint8_t *log;
	size_t log_len, log_at; /* the unread part begins at log_at */
};

struct comm_history *comm_history_new(void)
{
	struct comm_history *h = mem_zalloc(sizeof(*h));

	h->now = comm_table_new();
	return h;
}

void comm_history_free(struct comm_history *h)
{
	if (!h)
		return;
	comm_table_free(h->now);
	for (size_t i = 0; i < h->nheap; i++)
		free(h->heap[i].name);
	free(h->heap);
	free(h);
}

void comm_history_set(struct comm_history *h, int32_t pid, const char *name, size_t len)
{
	comm_table_set(h->now, pid, name, len);
}

const char *comm_history_name(const struct comm_history *h, int32_t pid)
{
	return comm_table_name(h->now, pid);
}

static bool before(const struct waiting *a, const struct waiting *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->seq < b->seq);
}

void comm_history_add(struct comm_history *h, const struct comm_record *r)
{
	struct waiting new = { .ts = r->ts, .seq = h->seq++, .pid = r->pid, .len = r->len };
	size_t i = h->nheap++;

	new.name = mem_strndup(r->name, r->len);
	h->heap = mem_grow(h->heap, &h->heap_cap, h->nheap, sizeof(*h->heap));
	while (i && before(&new, &h->heap[(i - 1) / 2])) {
		h->heap[i] = h->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->heap[i] = new;
}

uint64_t comm_history_due(const struct comm_history *h)
{
	if (!h->nheap)
		return UINT64_MAX;
	return h->nheap > MAX_WAITING ? 0 : h->heap[0].ts;
}

static void take_first(struct comm_history *h)
{
	struct waiting first = h->heap[0], last = h->heap[--h->nheap];
	size_t i = 0;

	for (;;) {
		size_t k = 2 * i + 1;

		if (k >= h->nheap)
			break;
		if (k + 1 < h->nheap && before(&h->heap[k + 1], &h->heap[k]))
			k++;
		if (!before(&h->heap[k], &last))
			break;
		h->heap[i] = h->heap[k];
		i = k;
	}
	if (h->nheap)
		h->heap[i] = last;
	/*
	 * The analyzer assumes that heap[0] is what it was one call before, as it does not follow
	 * copies of structures to and from an element of unknown index.
	 */
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
	comm_history_set(h, first.pid, first.name, first.len);
	free(first.name);
}

void comm_history_set_log(struct comm_history *h, const uint8_t *p, size_t len)
{
	h->log = p;
	h->log_len = len;
	h->log_at = 0;
}

static uint64_t take_log(struct comm_history *h, uint64_t now,
			 uint64_t (*shown)(void *arg, uint64_t stamp), void *arg)
{
	struct comm_record r;
	uint64_t ts;

	for (size_t at = h->log_at; comm_log_next(h->log, h->log_len, &at, &r); h->log_at = at) {
		ts = shown && r.ts ? shown(arg, r.ts) : r.ts;
		if (ts > now)
			return ts;
		comm_history_set(h, r.pid, r.name, r.len);
	}
	return UINT64_MAX;
}

uint64_t comm_history_advance(struct comm_history *h, uint64_t now,
			      uint64_t (*shown)(void *arg, uint64_t stamp), void *arg)
{
	uint64_t log = h->log ? take_log(h, now, shown, arg) : UINT64_MAX;

	while (comm_history_due(h) <= now && h->nheap)
		take_first(h);
	return log < comm_history_due(h) ? log : comm_history_due(h);
}
