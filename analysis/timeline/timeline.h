/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_ANALYSIS_TIMELINE_TIMELINE_H
#define ZED_ANALYSIS_TIMELINE_TIMELINE_H

#include "trace/catalog.h"
#include "analysis/timeline/marks.h"
#include "analysis/timeline/tasks.h"

/*
 * What CPUs and tasks did, for a picture: shares of each stretch of time (cells.h), and single
 * events (marks.h).  Made while events are read, in memory that does not grow with the trace, at
 * the cost of some loads an event.  What is not known (before the first record, where events were
 * lost, where a switch is missing, without the scheduler's events) is a share of its own.
 */
struct timeline;
struct stable;

/* The shares of a CPU's cell, and of a task's; the rest of a task's cell it slept. */
enum { CPU_BUSY, CPU_UNKNOWN };
enum { TASK_RUN_SHARE, TASK_READY_SHARE, TASK_BLOCKED_SHARE, TASK_UNKNOWN_SHARE };

/*
 * The part that is asked for: only it is drawn; what happened before only gives the states at its
 * beginning.  The functions may be NULL: all.  They get ARG.
 */
struct timeline_part {
	uint64_t from, to; /* ns, both inclusive; 0 and UINT64_MAX: open */
	bool to_end;	   /* up to TO, even if no later event comes */
	bool (*takes_cpu)(const void *arg, int cpu);
	/* By the name that it has when it runs, or gets; a lane stays with its task. */
	bool (*takes_task)(const void *arg, int32_t pid, const char *comm);
	/* Has PID of the input SOURCE a lane, however long others run?  NULL: no task has. */
	bool (*keeps_task)(const void *arg, uint32_t source, int32_t pid);
	const void *arg;
};

/*
 * For a consumer that keeps more than a picture has: how many cells CPUs have (as cells_init()),
 * and what is called with each stretch of time in which a task ran, was ready or blocked, once
 * it has ended; for one task in order of time.
 */
struct timeline_detail {
	uint32_t cpu_cells;
	uint64_t cpu_cells_most;
	void (*task)(void *arg, uint32_t number, unsigned part, uint64_t from, uint64_t to);
	void *arg;
};

/* Before the first event.  D is copied. */
void timeline_detail(struct timeline *t, const struct timeline_detail *d);

/* C, STABLE and N (borrowed) must outlive it, and so must PART's arg.  PART NULL: all. */
struct timeline *timeline_new(struct catalog *c, const struct stable *stable, struct notes *n,
			      const struct timeline_part *part);
void timeline_free(struct timeline *t);

/*
 * EV has come, or it was not chosen and is of a type that timeline_follows(), or (if it is not
 * needed otherwise) only the losses before it.
 */
void timeline_event(struct timeline *t, const struct event *ev);
void timeline_beyond(struct timeline *t, const struct event *ev);
void timeline_lost(struct timeline *t, const struct event *ev);

/* Are events of that type needed even if not chosen, as they change states? */
bool timeline_follows(struct timeline *t, const struct etype *type);
/* Draw nothing from TS on. */
bool timeline_is_over(const struct timeline *t, uint64_t ts);

/*
 * Records of CPU of input SOURCE after its last one, at TS, are not in the trace: what it did then
 * is unknown, as in a loss.  To be called when all of its records have come.
 */
void timeline_cut(struct timeline *t, unsigned source, int cpu, uint64_t ts);

/*
 * Input SOURCE has the records of some tasks only: what a CPU did after the last one is unknown.
 * To be called when all have come.
 */
void timeline_chosen(struct timeline *t, unsigned source);

/*
 * Before the first event, of a part whose `from` is not 0: what somebody who has read what comes
 * before knows, at a time before `from` from which on events come.  CPU counts for TASK_RUNS,
 * LETTER for TASK_BLOCKED; pid 0: the CPU is idle.
 */
struct timeline_assumed {
	uint32_t source;
	int cpu;
	int32_t pid;
	const char *comm;
	enum task_state state;
	char letter;
};
void timeline_assume(struct timeline *t, const struct timeline_assumed *a);

/*
 * What is known by now about each CPU and task: TASK runs on CPU of the input SOURCE (TASK_IDLE: it
 * is idle); TASK, which does not run, is in STATE (LETTER: TASK_BLOCKED, why).  Either function may
 * be NULL.
 */
struct timeline_state_taker {
	void (*cpu)(void *arg, uint32_t source, int cpu, uint32_t task);
	void (*task)(void *arg, uint32_t task, enum task_state state, char letter);
	void *arg;
};
void timeline_each_state(const struct timeline *t, const struct timeline_state_taker *each);

/* Keep the single events around FROM to TO (ns): marks_keep(). */
void timeline_keep(struct timeline *t, uint64_t from, uint64_t to, uint64_t weight);

/* A lane of the answer. */
struct timeline_lane {
	bool is_task;
	int cpu;	 /* of a CPU */
	uint32_t source; /* number of its input */
	uint32_t task;	 /* of a task: its number */
	uint64_t run;	 /* ns that it ran */
};

#define TIMELINE_NAMES 254 /* tasks named in cells, from 1 on; 255: another one, 0: idle */

struct timeline_answer {
	uint64_t start, end;		/* ns */
	uint64_t cpu_width, task_width; /* ns of a cell */
	struct timeline_lane
		*lanes; /* ncpus of CPUs by input and number, then ntasks by run time */
	unsigned ncpus, ntasks;
	uint32_t cpu_cells, task_cells; /* of a lane */
	/*
	 * Four bytes a cell, the cells of one time after each other.  A CPU's: share busy (of
	 * 255), its events (16 for each power of two of one more than they are), its name,
	 * TIMELINE_* flags.  A task's: share run, ready, blocked, unknown.
	 */
	uint8_t *cpus, *tasks;
	uint32_t names[TIMELINE_NAMES + 1]; /* task numbers; [0] is the idle task */
	unsigned nnames;
	struct marks_answer marks;
	uint16_t *mark_lanes; /* maps a mark's lane to one of `lanes` */
	bool has_switches;    /* false: the running task is not known on any CPU */
	uint64_t left;	      /* events of CPUs for which no lane was left */
};

/* The byte of a share (0 to 1), and of so many events, in cells. */
uint8_t timeline_share(float share);
uint8_t timeline_amount(uint32_t n);

enum { TIMELINE_LOST = 1, TIMELINE_IRQ = 2, TIMELINE_PARTLY = 4, TIMELINE_UNKNOWN = 8 };

/*
 * The current state; at most MARKS events, and the length of cells doubled HALVINGS times.  False:
 * no event has come.  To be freed with timeline_answer_fini(), before T changes.
 */
bool timeline_ask(struct timeline *t, size_t marks, unsigned halvings, struct timeline_answer *out);
void timeline_answer_fini(struct timeline_answer *a);

/*
 * With timeline_detail(): the state of each CPU, and of each task that is ready or blocked.  CPU
 * -1: it does not run; STATE 'r' runs, 'w' is ready, else the letter of a blocked one; TASK
 * NO_TASK (of a CPU): not known.
 */
void timeline_states(struct timeline *t,
		     void (*each)(void *arg, uint32_t task, int cpu, char state, uint64_t since),
		     void *arg);

/* The cells of CPUs, whose lanes are numbered from 0; and lane I's.  False: there are no more. */
struct cells;
const struct cells *timeline_cpu_cells(const struct timeline *t);
bool timeline_cpu(const struct timeline *t, unsigned i, uint32_t *source, int *cpu);

/* Fill in all current states up to the last event; they continue. */
void timeline_settle(struct timeline *t);

/* Was there a switch; how many tasks there are, from number TASK_OTHER + 1 on. */
bool timeline_has_switches(const struct timeline *t);
uint32_t timeline_ntasks(const struct timeline *t);

/* How many single events came that are drawn, whether they are still there or not. */
uint64_t timeline_marks(const struct timeline *t);

/* The task of that number; borrowed until the next event. */
const struct tl_task *timeline_task(const struct timeline *t, uint32_t number);

#endif
