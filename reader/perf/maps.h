/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_MAPS_H
#define ZED_READER_PERF_MAPS_H

#include "reader/perf/attrs/attr_names.h"

#include <stdbool.h>

/*
 * What each process has mapped, as MMAP, FORK, COMM and EXIT tell in the order of their times: from
 * an address of a call chain to a file and an offset in it.  The kernel's own are those of process
 * -1.
 */
#define MAPS_KERNEL (-1)
#define MAPS_MAX (1u << 18)	   /* maps, and processes, of all together */
#define MAPS_MAX_NAMES (16u << 20) /* bytes of the names of files */

struct perf_map {
	uint64_t start, end; /* addresses; end is the first after it */
	uint64_t off;	     /* of start in the file */
	const char *name;
};

struct maps_process;

struct perf_maps {
	struct maps_process **v; /* a hash table; NULL: nothing is known */
	struct perf_names names; /* those of files, each once */
	uint64_t seed;
	unsigned nmaps, nprocesses;
	uint64_t name_bytes;
};

/*
 * PID has mapped X, whose name has LEN bytes and is copied; what lay there before has gone.  False:
 * there is no more room, and it is left out.
 */
bool maps_add(struct perf_maps *m, int32_t pid, const struct perf_map *x, size_t len);

/* CHILD begins with what PARENT has.  False: no room. */
bool maps_fork(struct perf_maps *m, int32_t child, int32_t parent);

/* PID has nothing any more: it runs another program, or is over. */
void maps_forget(struct perf_maps *m, int32_t pid);

/* What PID has at ADDRESS, borrowed until the next change; or NULL. */
const struct perf_map *maps_find(const struct perf_maps *m, int32_t pid, uint64_t address);

void maps_fini(struct perf_maps *m);

#endif
