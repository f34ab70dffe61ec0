// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_table: a bounded table of task names by pid.  Names that processes give themselves are short
 * and change often, so each entry keeps its memory until it needs more.
 */
#include "trace/comms/comm_table.h"

#include "base/hash_index.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 16 /* room for a kernel's name */

struct comm_entry {
	int32_t pid;
	uint32_t room; /* bytes at name */
	char *name;
};

struct comm_table {
	struct comm_entry *v; /* in the order in which they were added */
	size_t cap;
	unsigned n;
	unsigned kept;		  /* this many of the first are never evicted */
	unsigned victim;	  /* the next one to evict when the table is full */
	struct hash_index by_pid; /* of V */
};

static uint32_t hash_of(const struct comm_table *t, int32_t pid)
{
	return index_hash(&t->by_pid, (uint32_t)pid);
}

struct comm_table *comm_table_new(void)
{
	struct comm_table *t = mem_zalloc(sizeof(*t));

	index_begin(&t->by_pid);
	return t;
}

void comm_table_free(struct comm_table *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->n; i++)
		free(t->v[i].name);
	free(t->v);
	index_fini(&t->by_pid);
	free(t);
}

bool comm_table_find(const struct comm_table *t, int32_t pid, unsigned *i)
{
	uint32_t hash = hash_of(t, pid), slot = index_home(&t->by_pid, hash);

	while (index_next(&t->by_pid, hash, &slot, i))
		if (t->v[*i].pid == pid)
			return true;
	return false;
}

static struct comm_entry *add(struct comm_table *t, int32_t pid)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = (struct comm_entry){ .pid = pid };
	index_add(&t->by_pid, hash_of(t, pid), t->n - 1);
	return &t->v[t->n - 1];
}

/* Reuse the entry of the oldest name for PID. */
static struct comm_entry *replace_oldest(struct comm_table *t, int32_t pid)
{
	unsigned i = t->victim;

	t->victim = i + 1 < t->n ? i + 1 : t->kept;
	index_remove(&t->by_pid, hash_of(t, t->v[i].pid), i);
	t->v[i].pid = pid;
	index_add(&t->by_pid, hash_of(t, pid), i);
	return &t->v[i];
}

void comm_table_set(struct comm_table *t, int32_t pid, const char *name, size_t len)
{
	struct comm_entry *x;
	unsigned i;

	if (comm_table_find(t, pid, &i))
		x = &t->v[i];
	else
		x = t->n - t->kept < COMM_TABLE_MAX ? add(t, pid) : replace_oldest(t, pid);
	if (len > COMM_MAX)
		len = COMM_MAX;
	if (len >= x->room) {
		free(x->name);
		x->room = len < FIRST_ROOM ? FIRST_ROOM : len + 1;
		x->name = mem_alloc(x->room);
	}
	memcpy(x->name, name, len);
	x->name[len] = '\0';
}

void comm_table_keep(struct comm_table *t)
{
	t->kept = t->victim = t->n;
}

const char *comm_table_name(const struct comm_table *t, int32_t pid)
{
	unsigned i;

	return comm_table_find(t, pid, &i) ? t->v[i].name : NULL;
}

unsigned comm_table_count(const struct comm_table *t)
{
	return t->n;
}

const char *comm_table_nth(const struct comm_table *t, unsigned i, int32_t *pid)
{
	*pid = t->v[i].pid;
	return t->v[i].name;
}
