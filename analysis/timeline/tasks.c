/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks: the tasks of a time line by input and pid.
 */
#include "analysis/timeline/tasks.h"

#include "base/mem.h"
#include "base/seed.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS (2u * TASKS_MOST)

static void add(struct tasks *t, uint32_t source, int32_t pid, const char *name)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct tl_task){ .pid = pid, .source = source, .lane = -1 };
	memcpy(t->v[t->n].comm, name, strlen(name));
	t->n++;
}

void tasks_init(struct tasks *t)
{
	*t = (struct tasks){ .factor = seed_new() | 1 };
	t->slots = mem_zalloc(SLOTS * sizeof(*t->slots));
	add(t, 0, 0, "<idle>");
	add(t, 0, -1, "<others>");
}

void tasks_fini(struct tasks *t)
{
	free(t->v);
	free(t->slots);
}

uint32_t tasks_find(struct tasks *t, uint32_t source, int32_t pid)
{
	uint32_t *slot, i;

	if (!pid)
		return TASK_IDLE;
	slot = &t->slots[seed_hash(t->factor, (uint32_t)pid ^ source << 24) % SLOTS];
	for (i = *slot; i; i = t->v[i].hash_next)
		if (t->v[i].pid == pid && t->v[i].source == source)
			return i;
	if (t->n == TASKS_MOST)
		return TASK_OTHER;
	add(t, source, pid, "<...>");
	t->v[t->n - 1].hash_next = *slot;
	return *slot = t->n - 1;
}

void tasks_name(struct tasks *t, uint32_t number, const struct span *name)
{
	struct tl_task *task = &t->v[number];
	size_t len;

	if (number <= TASK_OTHER || !name->len)
		return;
	len = strnlen((const char *)name->p,
		      name->len < sizeof(task->comm) - 1 ? name->len : sizeof(task->comm) - 1);
	if (!len || (!memcmp(task->comm, name->p, len) && !task->comm[len]))
		return;
	if (len == 5 && !memcmp(name->p, "<...>", 5))
		return;
	memset(task->comm, 0, sizeof(task->comm));
	memcpy(task->comm, name->p, len);
}
