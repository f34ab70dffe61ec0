/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks: the tasks of a time line by input and pid.
 */
#include "analysis/timeline/tasks.h"

#include "base/mem.h"
#include "trace/field.h"

#include <stdlib.h>
#include <string.h>

static void add(struct tasks *t, uint32_t source, int32_t pid, const char *name)
{
	t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct tl_task){ .pid = pid, .source = source, .lane = -1 };
	memcpy(t->v[t->n].comm, name, strlen(name));
	t->n++;
}

void tasks_init(struct tasks *t)
{
	*t = (struct tasks){ .n = 0 };
	index_begin(&t->index);
	add(t, 0, 0, "<idle>");
	add(t, 0, -1, "<others>");
}

void tasks_fini(struct tasks *t)
{
	free(t->v);
	index_fini(&t->index);
}

uint32_t tasks_find(struct tasks *t, uint32_t source, int32_t pid)
{
	uint32_t hash, slot, i;

	if (!pid)
		return TASK_IDLE;
	hash = index_hash(&t->index, (uint64_t)source << 32 | (uint32_t)pid);
	slot = index_home(&t->index, hash);
	while (index_next(&t->index, hash, &slot, &i))
		if (t->v[i].pid == pid && t->v[i].source == source)
			return i;
	if (t->n == TASKS_MOST)
		return TASK_OTHER;
	add(t, source, pid, "<...>");
	index_add(&t->index, hash, t->n - 1);
	return t->n - 1;
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
