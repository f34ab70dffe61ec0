/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_TIMELINE_PRIV_H
#define ZED_ANALYSIS_TIMELINE_TIMELINE_PRIV_H

#include "analysis/timeline/cells.h"
#include "analysis/timeline/timeline.h"
#include "stable/map.h"

#define CPUS_MOST 8192 /* of an input: kernels are not built for more */
#define SOURCES_MOST 256
#define TASK_LANES 64
#define NO_LANE UINT32_MAX /* of a CPU that was not asked for */

/* What is known about a CPU. */
struct tl_cpu {
	int number;
	uint32_t source;
	unsigned lane;
	uint32_t task;	/* the task that runs, if known */
	uint64_t in;	/* since when */
	uint64_t sure;	/* the last event that shows it */
	bool switches;	/* a switch was seen since `in`, or before */
	bool cut;	/* after its last record, at cut_at, its activity is unknown */
	bool cut_tasks; /* ... and tasks that wait or sleep may have run there */
	uint64_t cut_at;
};

struct tl_source {
	struct tl_cpu **cpus; /* by number; NULL: none seen */
	unsigned n;
};

/* What a type of event says about CPUs and tasks: found once for each. */
enum event_role_kind {
	EVENT_ROLE_NOTHING,
	EVENT_ROLE_SWITCH,
	EVENT_ROLE_WAKING,
	EVENT_ROLE_WAKEUP,
	EVENT_ROLE_NEW,
	EVENT_ROLE_IRQ
};

struct event_role {
	bool met;
	uint8_t kind;
	struct stable_map *map;	 /* NULL: the record itself has the fields */
	const struct field *pid; /* of a switch: the task that leaves; else the one that is woken */
	const struct field *comm, *next_pid, *next_comm, *state, *preempted; /* or NULL */
	const struct field *flags; /* common_flags, or NULL */
};

struct timeline {
	struct timeline_part part;
	struct timeline_detail detail;
	struct catalog *catalog;
	const struct stable *stable;
	struct notes *notes;
	bool begun, has_switches;
	bool is_over;	      /* the part asked for has ended: a later event came */
	uint64_t first, last; /* times of events */
	uint64_t left;
	struct cells cpu_cells, task_cells;
	struct tl_source *sources;
	unsigned nsources;
	struct tl_cpu **cpus; /* by lane */
	size_t cap_cpus;
	struct tasks tasks;
	uint32_t lane_task[TASK_LANES]; /* the task of each lane */
	uint64_t least;			/* the least run time of a task with a lane */
	uint32_t *waiting; /* with detail: tasks that wait or sleep, or did so a while ago */
	size_t nwaiting, cap_waiting;
	struct event_role *roles; /* by etype.idx */
	size_t nroles;
	struct marks marks;
	struct mark undrawn; /* that of an event which is not drawn */
};

/* ---- task_lanes.c ---- */

/* The task NUMBER was met: it gets a lane while there are any, and in any case if it keeps one. */
void tl_meet_task(struct timeline *t, uint32_t number, uint64_t ts);

/* The task NUMBER, which has run, has no lane: does it deserve one? */
void tl_want_lane(struct timeline *t, uint32_t number, uint64_t ts);

/* Fill in the task's current state up to TS; it continues. */
void tl_close_task(struct timeline *t, uint32_t number, uint64_t ts);

/* From TS on it is in STATE; for the tasks that have no state of their own nothing is done. */
void tl_set_state(struct timeline *t, uint32_t number, enum task_state state, uint64_t ts);

/* ---- event_role.c ---- */

/* T, of a trace with CATALOG's types. */
void event_role_find(struct event_role *s, const struct etype *t, struct catalog *c,
		     const struct stable *stable, struct notes *n);
void event_role_fini(struct event_role *s);

#endif
