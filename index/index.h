/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INDEX_INDEX_H
#define ZED_INDEX_INDEX_H

#include "run/jump.h"
#include "run/pump.h"
#include "trace/loss.h"

/*
 * The index of one input: what one pass over it found, so that a part of it can be read, drawn or
 * asked about without reading the whole.  It is a file (index/index_priv.h): in the user's
 * cache folder, or in memory.  Whatever is in it is checked before its use, as that of
 * any input.
 *
 * Times are those of events (ns, or ticks), absolute.  CPUs are numbered from 0 in order of their
 * numbers, tasks in the order in which they were met; both numbers are the index's own.
 */
struct trace_index;

/* ---- making and finding one ---- */

#define TRACE_INDEX_EVENTS 20000000 /* one is worth being kept from so many on */
#define TRACE_INDEX_SHARE 50 /* it takes at most one part in so many of the input's size ... */
#define TRACE_INDEX_LEAST (256u << 10) /* ... or this many bytes, if that is more */

struct trace_index_opts {
	struct source_opts source;
	volatile const int *stop; /* set: end, with ERR_USAGE; may be NULL */
	/* About 20 times a second: DONE of 1 is read; may be NULL. */
	void (*progress)(void *arg, double done);
	void *progress_arg;
};

/*
 * Read the input PATH once and write its index to the empty file FD (a memfd, or a file), which
 * stays open.  -1 with E: it cannot be read, is read as it comes (a pipe), is stopped, or FD cannot
 * be written.
 */
int trace_index_write(const char *path, int fd, const struct trace_index_opts *o, struct err *e);

/*
 * Open the index in FD, which is taken over: that of S, borrowed for the call.  It is read by
 * position, so a process that is forked may use it as well, and checked piece by piece: answers of
 * a damaged piece are empty.  NULL with E (ERR_FORMAT): it is damaged, of another format, of
 * another input, or of the input as it was before.
 */
struct trace_index *trace_index_open(int fd, const struct source *s, struct err *e);
void trace_index_close(struct trace_index *x); /* NULL is fine */

/* Is every byte of it as it was written?  Reads it all. */
bool trace_index_check(const struct trace_index *x);

/*
 * The index of S in the cache folder: NULL: none, or none that can be used; that of another user,
 * and a damaged or outdated one, count as none.
 */
struct trace_index *trace_index_find(const struct source *s);

/*
 * Make the index of S (opened as O says), and return it: with KEEP in the cache folder, if there is
 * one, else in memory.  NULL with E as for trace_index_write().
 */
struct trace_index *trace_index_make(const struct source *s, const struct trace_index_opts *o,
				     bool keep, struct err *e);

/* ---- what is in the input ---- */

struct trace_index_head {
	struct period all;    /* the first and the last record; PERIOD_NONE: there is none */
	uint64_t events;      /* records */
	uint64_t size;	      /* bytes of the input */
	uint64_t damaged;     /* pieces that could not be read */
	uint64_t late;	      /* events that came earlier than one before */
	struct losses losses; /* of the whole */
	unsigned ncpus, ntasks, ntypes, nstreams;
	uint32_t has_switches; /* 0: the running task is not known on any CPU */
};
const struct trace_index_head *trace_index_head(const struct trace_index *x);

/* Of all buffers together. */
struct trace_index_cpu {
	int cpu;
	struct period ends;
	uint64_t events;
};
bool trace_index_cpu(const struct trace_index *x, unsigned i, struct trace_index_cpu *out);

/* Only those that occur; names are valid as long as X is. */
struct trace_index_type {
	const char *system, *name;
	uint64_t events;
};
bool trace_index_type(const struct trace_index *x, unsigned i, struct trace_index_type *out);

/* ns in each state in the whole trace; COMM is the last name ("<...>": unknown). */
struct trace_index_task {
	int32_t pid;
	const char *comm;
	uint64_t run, ready, blocked;
};
bool trace_index_task(const struct trace_index *x, uint32_t task, struct trace_index_task *out);

/* The number of PID's task; UINT32_MAX: it did not run, wait or get woken. */
uint32_t trace_index_task_of(const struct trace_index *x, int32_t pid);

/* ---- shares of stretches of time: a pyramid of cells, each level four times as coarse ---- */

#define TRACE_INDEX_NO_TASK UINT32_MAX

struct trace_index_cpu_cell {
	float busy, unknown; /* of the cell's time; the rest it was idle */
	uint32_t events;
	uint32_t who; /* the task that ran longest; TRACE_INDEX_NO_TASK: none */
	bool lost, irq;
};

/* Of the cell's time; the rest it slept, or is dead. */
struct trace_index_task_cell {
	float run, ready, blocked, unknown;
};

/* ns (or ticks) of the finest cells: a picture with finer ones needs a run. */
uint64_t trace_index_finest(const struct trace_index *x);

/*
 * CPU number I, or TASK, from FROM on in N cells of (TO - FROM) / N each, into OUT.  Outside of the
 * trace all is unknown.  Cells finer than those there are share their parts.
 */
void trace_index_cpu_cells(const struct trace_index *x, unsigned i, uint64_t from, uint64_t to,
			   unsigned n, struct trace_index_cpu_cell *out);
void trace_index_task_cells(const struct trace_index *x, uint32_t task, uint64_t from, uint64_t to,
			    unsigned n, struct trace_index_task_cell *out);

enum trace_index_measure { TRACE_INDEX_RUN, TRACE_INDEX_READY, TRACE_INDEX_BLOCKED };

/* The tasks with the most of that in a range, at most N into OUT, the most first; how many. */
struct trace_index_rank {
	uint32_t task;
	uint64_t ns; /* about */
};
unsigned trace_index_most(const struct trace_index *x, uint64_t from, uint64_t to,
			  enum trace_index_measure by, unsigned n, struct trace_index_rank *out);

/* ---- places and times ---- */

/*
 * How many events there are from FROM to TO (inclusive): between *LEAST and *MOST, as far as can be
 * said without reading.
 */
void trace_index_events(const struct trace_index *x, uint64_t from, uint64_t to, uint64_t *least,
			uint64_t *most);

/* Losses on CPU, in order of the time of the event after them. */
struct trace_index_loss {
	int cpu;
	bool anywhere;	   /* of any CPU */
	uint32_t lost;	   /* LOST_UNKNOWN, or how many */
	uint64_t from, to; /* the events before and after; from TS_UNKNOWN: not known */
};
/* Those that overlap FROM to TO: EACH is called for one after another until it returns false. */
void trace_index_losses(const struct trace_index *x, uint64_t from, uint64_t to,
			bool (*each)(void *arg, const struct trace_index_loss *l), void *arg);

/*
 * A state at a checkpoint: of a task that is not asleep; or of a CPU that idles: it runs
 * TRACE_INDEX_NO_TASK.  Of other CPUs it is not known what they do.
 */
struct trace_index_state {
	uint32_t task;
	int cpu;    /* where it runs; -1: it does not run */
	char state; /* 'r' runs, 'w' waits for a CPU, 'D' blocked */
	uint64_t since;
};
/*
 * The last checkpoint not after TS: its time, and EACH of the states at it.  False: TS is before
 * the first.
 */
bool trace_index_states(const struct trace_index *x, uint64_t ts, uint64_t *at,
			void (*each)(void *arg, const struct trace_index_state *s), void *arg);

/*
 * What a run over the same input needs to read only the window that is asked for (run/jump.h);
 * borrowed.  NULL: X cannot help (the input is damaged, or its events are not in order).
 */
const struct jumps *trace_index_jumps(const struct trace_index *x);

#endif
