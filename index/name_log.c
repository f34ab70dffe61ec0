// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * name_log: the names of tasks in events, as a run that passes over these events needs them.  Of
 * switches, which have names all the time, those that change something, and the last one of each
 * task; from the first rename on a run reads none of them.
 */
#include "index/index_priv.h"

#include "base/hash_index.h"
#include "base/mem.h"
#include "trace/comm_event.h"

#include <stdlib.h>
#include <string.h>

struct logged_name {
	struct index_name n;
	uint64_t order;
};

/* The name that a task had last. */
struct last_name {
	struct index_name n;
	bool again; /* it was seen again, at n.ts, after it was logged */
};

struct name_log {
	struct logged_name *v;
	struct index_name *all; /* once asked for */
	size_t n, cap;
	uint64_t most;
	struct last_name *tasks;
	size_t ntasks, cap_tasks;
	struct hash_index by_pid; /* of tasks */
	bool renamed;
	bool cut; /* some are not there */
};

struct name_log *name_log_new(uint64_t most)
{
	struct name_log *l = mem_zalloc(sizeof(*l));

	l->most = most;
	index_begin(&l->by_pid);
	return l;
}

void name_log_free(struct name_log *l)
{
	if (!l)
		return;
	index_fini(&l->by_pid);
	free(l->tasks);
	free(l->all);
	free(l->v);
	free(l);
}

static struct last_name *last_of(struct name_log *l, int32_t pid)
{
	uint32_t hash = index_hash(&l->by_pid, (uint32_t)pid), slot = index_home(&l->by_pid, hash),
		 i;

	while (index_next(&l->by_pid, hash, &slot, &i))
		if (l->tasks[i].n.pid == pid)
			return &l->tasks[i];
	if (l->ntasks == l->most) {
		l->cut = true;
		return NULL;
	}
	l->tasks = mem_grow(l->tasks, &l->cap_tasks, l->ntasks + 1, sizeof(*l->tasks));
	l->tasks[l->ntasks] = (struct last_name){ .n.pid = pid };
	index_add(&l->by_pid, hash, (uint32_t)l->ntasks);
	return &l->tasks[l->ntasks++];
}

static void append(struct name_log *l, const struct index_name *n)
{
	if (l->n == l->most) {
		l->cut = true;
		return;
	}
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n] = (struct logged_name){ .n = *n, .order = l->n };
	l->n++;
}

static void take_name(struct name_log *l, const struct index_name *n)
{
	bool is_switch = n->kind == COMM_EVENT_SWITCH;
	struct last_name *last = l->renamed ? NULL : last_of(l, n->pid);

	if (last && is_switch && last->n.kind == n->kind && last->n.len == n->len &&
	    !memcmp(last->n.name, n->name, sizeof(n->name))) {
		last->again = true;
		last->n.ts = n->ts;
		last->n.stream = n->stream;
		return;
	}
	if (last)
		*last = (struct last_name){ .n = *n };
	l->renamed |= n->kind == COMM_EVENT_RENAME;
	append(l, n);
}

void name_log_event(struct name_log *l, const struct event *ev, unsigned stream)
{
	struct index_name n = { .ts = ev->ts,
				.stream = (uint16_t)stream,
				.kind = ev->type->comm_event };
	const char *name;
	size_t len;

	if (l->cut || (l->renamed && (n.kind == COMM_EVENT_SWITCH || n.kind == COMM_EVENT_EXEC)))
		return;
	for (unsigned i = 0; comm_event_nth(ev, i, &n.pid, &name, &len); i++) {
		if (len > sizeof(n.name) || stream > UINT16_MAX) {
			l->cut = true;
			return;
		}
		n.len = (uint8_t)len;
		memset(n.name, 0, sizeof(n.name));
		if (len)
			memcpy(n.name, name, len);
		take_name(l, &n);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct logged_name *x = a, *y = b;

	if (x->n.ts != y->n.ts)
		return x->n.ts < y->n.ts ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

const struct index_name *name_log_all(struct name_log *l, uint64_t *n)
{
	for (size_t i = 0; i < l->ntasks; i++)
		if (l->tasks[i].again)
			append(l, &l->tasks[i].n);
	*n = l->n;
	if (l->cut)
		return NULL;
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_time);
	l->all = mem_alloc((l->n + 1) * sizeof(*l->all));
	for (size_t i = 0; i < l->n; i++)
		l->all[i] = l->v[i].n;
	return l->all;
}
