/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_MAPS_H
#define ZED_READER_PERF_MAPS_H

#include "reader/perf/build_ids.h"

#include <stdbool.h>

/*
 * The mappings of each process, from MMAP, FORK, COMM and EXIT in order of time: they translate an
 * address of a call chain to a file and an offset in it.  The kernel's own are those of process -1.
 */
#define MAPS_KERNEL (-1)
#define MAPS_MAX (1u << 18)	   /* limit of maps in total, and of processes */
#define MAPS_MAX_NAMES (16u << 20) /* bytes of the names of files */

struct perf_map {
	uint64_t start, end; /* addresses; end is exclusive */
	uint64_t off;	     /* offset of start in the file */
	const char *name;
	const struct perf_build_id *build_id; /* as in its record; NULL: none there */
	uint32_t major, minor;		      /* the file's device ... */
	uint64_t inode;			      /* ... and number, in place of that; 0: not stated */
	bool function; /* of the kernel: one function, whose name NAME is; start is at off 0 */
};

struct maps_process;

struct perf_maps {
	struct maps_process *v;
	size_t cap;
	struct hash_index by_pid; /* of V */
	struct perf_names names;  /* file names, each once */
	unsigned nmaps;
	uint64_t name_bytes;
	uint64_t changes;   /* so far */
	uint64_t forgotten; /* the number of the last one by which a process lost all */
};

/*
 * PID has mapped X, whose name has LEN bytes and is copied; it replaces older mappings there.
 * False: no room, X is dropped.
 */
bool maps_add(struct perf_maps *m, int32_t pid, const struct perf_map *x, size_t len);

/* PID has nothing from START up to END. */
void maps_remove(struct perf_maps *m, int32_t pid, uint64_t start, uint64_t end);

/* CHILD starts at the time TS with PARENT's mappings.  False: no room. */
bool maps_fork(struct perf_maps *m, int32_t child, int32_t parent, uint64_t ts);

/* PID has lost all mappings: it runs another program, or has ended. */
void maps_forget(struct perf_maps *m, int32_t pid);

/*
 * The file jit-N.dump that PID, or the process that it was forked from, has mapped last; borrowed
 * as long as M.  *UNTIL: up to this time it is about PID too: a child's is that of the fork.  NULL:
 * none.
 */
const char *maps_jitdump(const struct perf_maps *m, int32_t pid, uint64_t *until);

/* The mapping of PID at ADDRESS, borrowed until the next change; or NULL. */
const struct perf_map *maps_find(const struct perf_maps *m, int32_t pid, uint64_t address);

/*
 * The mappings of PID as a number, which no other process that has some shares: while it is the
 * same, so are they.
 */
uint64_t maps_generation(const struct perf_maps *m, int32_t pid);

void maps_fini(struct perf_maps *m);

#endif
