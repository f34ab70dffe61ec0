// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * task_lanes: which tasks have a lane, those that ran most and those that keep theirs, and the
 * states that are filled into them.
 */
#include "analysis/timeline/timeline_priv.h"

#include "base/mem.h"

#define NEVER_LESS (UINT64_MAX / 2) /* more than any task runs */

static bool takes_task(const struct timeline *t, uint32_t number)
{
	const struct tl_task *task = &t->tasks.v[number];

	return number > TASK_OTHER &&
	       (!t->part.takes_task || t->part.takes_task(t->part.arg, task->pid, task->comm));
}

/* The lane of the task that has run least, of those that may lose theirs; -1: none may. */
static int least_lane(struct timeline *t)
{
	int least = -1;

	t->least = NEVER_LESS;
	for (unsigned i = 0; i < t->task_cells.nlanes; i++) {
		const struct tl_task *task = &t->tasks.v[t->lane_task[i]];

		if (task->kept || task->run >= t->least)
			continue;
		t->least = task->run;
		least = (int)i;
	}
	return least;
}

/* The time before its task's current state began, or before TS, is unknown. */
static void give_lane(struct timeline *t, uint32_t number, unsigned lane, uint64_t ts)
{
	struct tl_task *task = &t->tasks.v[number];

	if (task->state == TASK_UNKNOWN)
		task->since = ts;
	task->lane = (int)lane;
	t->lane_task[lane] = number;
	cells_fill(&t->task_cells, lane, TASK_UNKNOWN_SHARE, t->first, task->since, NO_TASK);
}

/* NUMBER gets the lane of another task, LANE. */
static void take_lane(struct timeline *t, uint32_t number, unsigned lane, uint64_t ts)
{
	t->tasks.v[t->lane_task[lane]].lane = -1;
	cells_clear(&t->task_cells, lane);
	give_lane(t, number, lane, ts);
}

void tl_want_lane(struct timeline *t, uint32_t number, uint64_t ts)
{
	struct tl_task *task = &t->tasks.v[number];
	int lane;

	if (!takes_task(t, number))
		return;
	if (task->run <= t->least + t->least / 4)
		return;
	lane = least_lane(t);
	if (lane >= 0 && task->run > t->least + t->least / 4)
		take_lane(t, number, (unsigned)lane, ts);
}

static bool keeps_lane(const struct timeline *t, struct tl_task *task)
{
	if (!task->asked && t->part.keeps_task)
		task->kept = t->part.keeps_task(t->part.arg, task->source, task->pid);
	task->asked = true;
	return task->kept;
}

void tl_meet_task(struct timeline *t, uint32_t number, uint64_t ts)
{
	struct tl_task *task = &t->tasks.v[number];
	bool kept = number > TASK_OTHER && keeps_lane(t, task);
	int lane;

	if (task->lane >= 0)
		return;
	if (t->task_cells.nlanes < TASK_LANES) {
		if (takes_task(t, number))
			give_lane(t, number, (unsigned)cells_lane(&t->task_cells), ts);
	} else if (kept && takes_task(t, number)) {
		lane = least_lane(t);
		if (lane >= 0)
			take_lane(t, number, (unsigned)lane, ts);
	}
}

void tl_close_task(struct timeline *t, uint32_t number, uint64_t ts)
{
	struct tl_task *task = &t->tasks.v[number];
	uint64_t since = task->since > t->first ? task->since : t->first;
	unsigned part;

	if (task->lane < 0 && !t->detail.task)
		return;
	switch (task->state) {
	case TASK_RUNS:
		part = TASK_RUN_SHARE;
		break;
	case TASK_READY:
		part = TASK_READY_SHARE;
		break;
	case TASK_BLOCKED:
		if (task->letter != 'D')
			return;
		part = TASK_BLOCKED_SHARE;
		break;
	case TASK_DEAD:
		return;
	default:
		part = TASK_UNKNOWN_SHARE;
	}
	if (t->detail.task && part != TASK_UNKNOWN_SHARE && since < ts)
		t->detail.task(t->detail.arg, number, part, since, ts);
	if (task->lane >= 0)
		cells_fill(&t->task_cells, (unsigned)task->lane, part, since, ts, NO_TASK);
}

/* ---- its state ---- */

/* The task NUMBER waits or sleeps: a loss will make that uncertain. */
static void list_waiting(struct timeline *t, uint32_t number)
{
	struct tl_task *task = &t->tasks.v[number];

	if (task->listed)
		return;
	task->listed = true;
	t->waiting = mem_grow(t->waiting, &t->cap_waiting, t->nwaiting + 1, sizeof(*t->waiting));
	t->waiting[t->nwaiting++] = number;
}

void tl_set_state(struct timeline *t, uint32_t number, enum task_state state, uint64_t ts)
{
	struct tl_task *task = &t->tasks.v[number];

	if (number <= TASK_OTHER)
		return;
	tl_close_task(t, number, ts);
	task->state = state;
	task->since = ts;
	task->noted = false;
	if (t->detail.task && (state == TASK_READY || state == TASK_BLOCKED))
		list_waiting(t, number);
}
