/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state_now: what CPUs and tasks do at one time, for a picture that begins there.
 */
#include "analysis/timeline/timeline_priv.h"

void timeline_each_state(const struct timeline *t, const struct timeline_state_taker *each)
{
	for (unsigned i = 0; i < t->nsources && each->cpu; i++) {
		for (unsigned k = 0; k < t->sources[i].n; k++) {
			const struct tl_cpu *c = t->sources[i].cpus[k];

			if (c && c->task != NO_TASK && c->switches)
				each->cpu(each->arg, i, c->number, c->task);
		}
	}
	for (uint32_t i = TASK_OTHER + 1; i < t->tasks.n && each->task; i++) {
		const struct tl_task *task = &t->tasks.v[i];

		if (task->state != TASK_UNKNOWN && task->state != TASK_RUNS)
			each->task(each->arg, i, (enum task_state)task->state, task->letter);
	}
}
