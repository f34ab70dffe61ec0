/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_UNWIND_WIRE_H
#define ZED_SYMBOLS_UNWIND_WIRE_H

#include "trace/user_state.h"

/*
 * What symbols/unwinder and `zedsyms unwind` say to each other, over a socket that keeps messages
 * apart (SOCK_SEQPACKET).  Both are of one build: numbers are as this machine has them.
 *
 *	unwinder	zedsyms
 *	job, stack	->
 *			<- where ADDRESS	any number of times, up to UNWIND_QUESTIONS
 *	mapped, file	->			the file's descriptor, with SCM_RIGHTS
 *			<- frames
 *
 * A file is sent once for each place of it in a space, the memory of one process.  zedsyms keeps
 * UNWIND_SPACES of them; the unwinder says which one is meant, and when it is a new one.
 */
#define UNWIND_FRAMES 127	/* of a stack */
#define UNWIND_STACK_MOST 65536 /* bytes; perf record takes up to 65528 */
#define UNWIND_SPACES 32	/* kept at a time */
#define UNWIND_MODULES 256	/* files of a space, each time it is mapped */
#define UNWIND_QUESTIONS 512	/* for one stack: two of a frame, and a few for its memory */

enum unwind_kind { UNWIND_JOB = 1, UNWIND_WHERE, UNWIND_MAPPED, UNWIND_DONE };

/* Followed by the len bytes of the stack from sp on. */
struct unwind_job {
	uint32_t kind;
	uint32_t space; /* its number, below UNWIND_SPACES */
	uint32_t fresh; /* not 0: forget what that number had */
	uint32_t arch;	/* enum user_arch */
	uint32_t most;	/* frames to be found, up to UNWIND_FRAMES */
	uint32_t known; /* as user_state.known */
	uint32_t len, unused;
	uint64_t pc, sp, regs[USER_REGS];
};

struct unwind_where {
	uint32_t kind, unused;
	uint64_t address;
};

struct unwind_mapped {
	uint32_t kind;
	uint32_t found; /* not 0: the file comes with it */
	uint64_t off;	/* of the address in the file */
};

/* The first n of them are sent. */
struct unwind_frames {
	uint32_t kind, n;
	uint64_t ips[UNWIND_FRAMES];
};

#endif
