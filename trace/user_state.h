/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_USER_STATE_H
#define ZED_TRACE_USER_STATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * A program's registers and a copy of its stack at the moment of a sample, from which its callers
 * are found (perf record --call-graph dwarf).
 */
enum user_arch { USER_X86_64, USER_ARM64, USER_I386 };

#define USER_REGS 32 /* DWARF's numbers: x86-64 has 0 to 15, i386 0 to 7, arm64 0 to 31 */

struct user_state {
	enum user_arch arch;
	int32_t pid;		  /* the process, by the recorder's number */
	uint32_t known;		  /* bit n: regs[n] was copied */
	uint64_t regs[USER_REGS]; /* by DWARF's numbers */
	uint64_t pc, sp;
	const uint8_t *stack; /* len bytes from the address sp on */
	size_t len;
};

#endif
