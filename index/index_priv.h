/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INDEX_INDEX_PRIV_H
#define ZED_INDEX_INDEX_PRIV_H

#include "index/index.h"
#include "index/checked_file.h"

/*
 * What an index has in its file (checked_file.h), in the byte order and layout of the machine
 * that made it: another version, or another machine's, is made again.  All numbers of others (of
 * streams, tasks, entries) are compared with how many there are before their use.
 */

/* What the input is: compared with that of the input that is to be read. */
struct index_key {
	uint64_t size, changed; /* bytes; ns since 1970 */
	uint64_t ends;		/* a hash of its first and last bytes */
};

/* The key of S.  False: it is not a file that can be read again. */
bool index_key_of(const struct source *s, struct index_key *out);

enum index_section {
	INDEX_HEAD,
	INDEX_TEXTS,
	INDEX_STREAMS,
	INDEX_PLACES, /* those of a stream after each other */
	INDEX_NAMES,
	INDEX_LOSSES,
	INDEX_CPUS,
	INDEX_TYPES,
	INDEX_TASKS,
	INDEX_CPU_CELLS,
	INDEX_TASK_CELLS,
	INDEX_CHECKS,
	INDEX_STATES,
	INDEX_SECTIONS
};

#define INDEX_LEVELS 16
#define INDEX_FEW 64 /* cells: a coarser level of so few would be of no use */

struct index_head {
	struct index_key key;
	struct trace_index_head told;
	uint64_t base;	/* ns: where cells begin */
	uint64_t jumps; /* 1: nothing stands in the way of a jump */
	uint64_t nnames;
	uint32_t shift;	 /* a cell of a CPU is 1 << shift ns long, in level 0 ... */
	uint32_t ncells; /* ... and there are so many of each CPU; of each level a quarter */
	uint32_t task_shift;
	uint32_t pad;
};

struct index_place {
	uint64_t v[11]; /* the numbers of a stream_place, in its order */
	uint64_t since, before;
	int32_t pid, before_pid;
	uint32_t any, follows;
};

struct index_stream {
	struct index_place last;
	struct period ends; /* as source_ops.ends finds them */
	uint64_t first;	    /* of its places */
	uint32_t n;
	int32_t cpu;
};

struct index_name {
	uint64_t ts;
	int32_t pid;
	uint16_t stream;
	uint8_t kind, len;
	char name[16];
};

struct index_loss {
	uint64_t from, to;
	int32_t cpu;
	uint32_t lost, anywhere, pad;
};

struct index_cpu {
	struct period ends;
	uint64_t events;
	int64_t cpu;
};

struct index_type {
	uint64_t events;
	uint32_t system, name; /* where they begin in the texts */
};

struct index_task {
	uint64_t run, ready, blocked; /* ns */
	uint64_t known;		      /* when it was met first */
	uint64_t first;		      /* of its cells */
	uint32_t n;
	int32_t pid;
	char comm[16];
};

/* Level after level, CPU after CPU. */
struct index_cpu_cell {
	uint32_t n, who;
	uint8_t busy, unknown, top, flags; /* shares of 255; CELL_* */
};

/* Only cells in which it did something; by time. */
struct index_task_cell {
	uint32_t at;	   /* number of the cell */
	uint16_t share[3]; /* of 65535: run, ready, blocked */
	uint16_t pad;
};

struct index_check {
	uint64_t ts, first; /* of its states */
	uint32_t n, pad;
};

struct index_state {
	uint64_t since;
	uint32_t task;
	int32_t cpu;
	uint32_t state, pad;
};

struct trace_index {
	struct checked_file *file;
	struct index_head head;
	struct jumps jumps;
	/* Sections that were asked for: whole, owned, LEN items. */
	void *loaded[INDEX_SECTIONS];
	uint64_t len[INDEX_SECTIONS];
	bool tried[INDEX_SECTIONS];
};

/* Section S as a whole, *N items; borrowed.  NULL and 0: it is empty, or damaged. */
const void *index_section(const struct trace_index *x, enum index_section s, uint64_t *n);

/* N items of section S from number AT on, into OUT.  False: they are not there. */
bool index_items(const struct trace_index *x, enum index_section s, uint64_t at, uint64_t n,
		 void *out);

/* jumps.c: a place as the file has it; and X->jumps. */
struct index_place index_place_of(const struct stream_place *at);
void index_jumps_init(struct trace_index *x);

/* ---- the making ---- */

/* Shares of tasks, cell by cell, in bounded memory: task_shares.c. */
struct task_shares;

struct task_shares *task_shares_new(uint64_t base, uint64_t most);
void task_shares_free(struct task_shares *t);
/* TASK did PART (0 to 2) from FROM to TO: after what it did before. */
void task_shares_add(struct task_shares *t, uint32_t task, unsigned part, uint64_t from,
		     uint64_t to);
/* Once all has been added: the cells of TASK, *N of them, and the ns of each part. */
const struct index_task_cell *task_shares_of(struct task_shares *t, uint32_t task, uint32_t *n,
					     uint64_t sum[3]);
uint32_t task_shares_shift(const struct task_shares *t);

/* Names of tasks in events, as far as a run would need them: name_log.c. */
struct name_log;

struct name_log *name_log_new(uint64_t most);
void name_log_free(struct name_log *l);
/* EV, of a type that names tasks, of stream number STREAM. */
void name_log_event(struct name_log *l, const struct event *ev, unsigned stream);
/* By time; *N of them.  NULL: there were too many, or too long ones. */
const struct index_name *name_log_all(struct name_log *l, uint64_t *n);

#endif
