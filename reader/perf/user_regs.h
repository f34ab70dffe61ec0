/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_USER_REGS_H
#define ZED_READER_PERF_USER_REGS_H

#include "trace/event_sample.h"
#include "trace/user_state.h"

#include <stdbool.h>

/*
 * machine_ops.user_state: the registers that perf copied (PERF_SAMPLE_REGS_USER), which it numbers
 * as the kernel's arch/ARCH/include/uapi/asm/perf_regs.h does, by DWARF's numbers; and the stack.
 * Only those of a 64-bit program on x86-64 or arm64.
 */
bool perf_user_state(void *arg, const struct event_sample *s, struct user_state *out);

#endif
