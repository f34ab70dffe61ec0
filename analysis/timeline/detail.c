/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * detail: what a time line knows beyond its picture: the states at this time, and its cells.
 */
#include "analysis/timeline/timeline_priv.h"

void timeline_states(struct timeline *t,
		     void (*each)(void *arg, uint32_t task, int cpu, char state, uint64_t since),
		     void *arg)
{
	size_t left = 0;

	for (unsigned i = 0; i < t->cpu_cells.nlanes; i++)
		each(arg, t->cpus[i]->task, t->cpus[i]->number, 'r', t->cpus[i]->in);
	for (size_t i = 0; i < t->nwaiting; i++) {
		struct tl_task *task = &t->tasks.v[t->waiting[i]];

		if (task->state != TASK_READY && task->state != TASK_BLOCKED) {
			task->listed = false;
			continue;
		}
		t->waiting[left++] = t->waiting[i];
		each(arg, t->waiting[i], -1, task->state == TASK_READY ? 'w' : task->letter,
		     task->since);
	}
	t->nwaiting = left;
}

const struct cells *timeline_cpu_cells(const struct timeline *t)
{
	return &t->cpu_cells;
}

bool timeline_cpu(const struct timeline *t, unsigned i, uint32_t *source, int *cpu)
{
	if (i >= t->cpu_cells.nlanes)
		return false;
	*source = t->cpus[i]->source;
	*cpu = t->cpus[i]->number;
	return true;
}

bool timeline_has_switches(const struct timeline *t)
{
	return t->has_switches;
}

uint32_t timeline_ntasks(const struct timeline *t)
{
	return t->tasks.n;
}
