/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REPORT_HISTORY_H
#define ZED_TEXT_REPORT_HISTORY_H

#include "base/hash_index.h"

struct machine;
struct calls;

/* State kept from printed records for later lines.  Zero-initialise; memory_fini() frees. */
#define MEMORY_NAME 16 /* bytes of a task's name, with its NUL */

struct memory {
	/* tasks and their names */
	struct memory_name {
		const struct machine *machine;
		int32_t pid;
		char name[MEMORY_NAME];
	} * names;
	size_t cap;
	struct hash_index by_task; /* of names, by machine and pid */
	/* for each machine whose functions are printed */
	struct memory_calls {
		const struct machine *machine;
		struct calls *calls;
	} * traced;
	size_t traced_cap, ntraced;
};

void memory_fini(struct memory *mem);

/*
 * A record of M says that PID is called NAME (LEN bytes, up to a NUL).  The first name of a task is
 * kept; at most a million tasks.
 */
void memory_learn(struct memory *mem, const struct machine *m, int32_t pid, const char *name,
		  size_t len);

/* The name of PID of M so far, or "<...>".  Valid until the next memory_learn(). */
const char *memory_comm(const struct memory *mem, const struct machine *m, int32_t pid);

/*
 * The functions of M that are being called: their nesting depth, from the function tracer's
 * records, each of which has a function and its caller.  Owned by MEM.
 */
struct calls *memory_calls(struct memory *mem, const struct machine *m);

/*
 * The indentation of FUNC (NULL: no name), called by PARENT on CPU, from 0 to CALLS_DEEP: the depth
 * at which PARENT was last seen on that CPU.
 */
#define CALLS_DEEP 512 /* more than a kernel stack can hold */
unsigned calls_nest(struct calls *c, int cpu, const char *parent, const char *func);

#endif
