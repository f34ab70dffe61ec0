/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_JIT_DUMP_H
#define ZED_SYMBOLS_JIT_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The functions that a process compiled at run time, with the times from which on they were where
 * they are: jit-PID.dump, which java (libperf-jvmti), node (--perf-prof), python and .NET write
 * (linux/tools/perf/Documentation/jitdump-specification.txt).  Addresses are used again by other
 * functions, which /tmp/perf-PID.map cannot say.  Zero-initialise.
 */
#define JIT_DUMP_MOST (4ull << 30)    /* bytes of such a file; it has the code too */
#define JIT_RECORDS_MOST (1u << 22)   /* that are looked at */
#define JIT_FUNCTIONS_MOST (1u << 20) /* that are kept */
#define JIT_NAMES_MOST (128u << 20)   /* bytes of all names */
#define JIT_NAME_MOST 4095	      /* ... of one */
#define JIT_FILE_NS 20000000000ull    /* reading one */

struct jit_function {
	uint64_t start, end; /* addresses; end is exclusive */
	uint64_t from, to;   /* it is there in this time: ns of CLOCK_MONOTONIC; TO is exclusive */
	uint64_t index;	     /* the number that its process gave it */
	size_t name;	     /* in names */
};

struct jit_dump {
	struct jit_function *v; /* by start, then by time */
	uint64_t *reach;	/* of each: the greatest end of those up to it */
	size_t n, cap;
	char *names;
	size_t names_len, names_cap;
	unsigned bad;  /* records that were invalid */
	bool cut;      /* it ends within a record, as while it is written, or after a kill */
	bool too_many; /* more than may be kept, or read: the rest is missing */
};

enum jit_answer { JIT_READ, JIT_FOREIGN, JIT_INVALID, JIT_OTHER_CLOCK };

/*
 * Read the file FD, which is closed, of the process PID.  JIT_FOREIGN: it belongs to another user
 * than root or this one; JIT_INVALID: it is not a jitdump, or one of another process;
 * JIT_OTHER_CLOCK: its times are cycles of the CPU.
 */
enum jit_answer jit_dump_read(struct jit_dump *d, int fd, int32_t pid);

/* The function that was at ADDRESS at the time TS; NULL: none. */
const struct jit_function *jit_dump_at(const struct jit_dump *d, uint64_t address, uint64_t ts);

static inline const char *jit_dump_name(const struct jit_dump *d, const struct jit_function *f)
{
	return d->names + f->name;
}

static inline size_t jit_dump_bytes(const struct jit_dump *d)
{
	return d->cap * (sizeof(*d->v) + sizeof(*d->reach)) + d->names_cap;
}

void jit_dump_fini(struct jit_dump *d);

#endif
