/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_TASKS_H
#define ZED_ANALYSIS_TIMELINE_TASKS_H

#include "base/hash_index.h"

struct span;

/*
 * The tasks of a time line by their input and pid, each with a number.  Once there are TASKS_MOST,
 * a new one is TASK_OTHER.
 */
enum task_state { TASK_UNKNOWN, TASK_RUNS, TASK_READY, TASK_BLOCKED, TASK_DEAD };

enum { TASK_IDLE, TASK_OTHER, TASKS_MOST = 65536 };

struct tl_task {
	int32_t pid;
	uint32_t source;
	char comm[16];
	uint8_t state;
	char letter;	/* of a blocked one */
	uint8_t noted;	/* woken before it left */
	uint8_t listed; /* in timeline.waiting */
	uint8_t asked;	/* it was asked whether it keeps a lane ... */
	uint8_t kept;	/* ... and it does */
	int lane;	/* -1: it has none */
	uint64_t since; /* ns, of the state */
	uint64_t run;	/* ns that it ran, until it left last */
};

struct tasks {
	struct tl_task *v;
	uint32_t n;
	size_t cap;
	struct hash_index index; /* of V but the first two, by source and pid */
};

void tasks_init(struct tasks *t);
void tasks_fini(struct tasks *t);

/* The number of the task PID of the input SOURCE; pid 0: TASK_IDLE. */
uint32_t tasks_find(struct tasks *t, uint32_t source, int32_t pid);

/* Set its name to NAME, up to the NUL. */
void tasks_name(struct tasks *t, uint32_t number, const struct span *name);

#endif
