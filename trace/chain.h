/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CHAIN_H
#define ZED_TRACE_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Marks in a call chain (linux/perf_event.h, enum perf_callchain_context): not addresses, but the
 * mode of the addresses after them.
 */
enum chain_mark {
	CHAIN_HYPERVISOR = -32,
	CHAIN_KERNEL = -128,
	CHAIN_USER = -512,
	CHAIN_USER_DEFERRED = -640, /* followed by a cookie, not an address */
	CHAIN_GUEST = -2048,
	CHAIN_GUEST_KERNEL = -2176,
	CHAIN_GUEST_USER = -2560,
};

/*
 * The last page of the address space is reserved for marks: no code is there.  Any other value in
 * it is an unwinder's bogus address (UINT64_MAX, for example).
 */
#define CHAIN_FIRST_MARK ((uint64_t)-4095)

static inline bool chain_is_mark(uint64_t value)
{
	return value >= CHAIN_FIRST_MARK;
}

/* Is what follows the mark MARK neither an address nor a mark? */
static inline bool chain_has_cookie(uint64_t mark)
{
	return mark == (uint64_t)CHAIN_USER_DEFERRED;
}

/* Does MARK say where the addresses after it are? */
static inline bool chain_is_known(uint64_t mark)
{
	switch ((int64_t)mark) {
	case CHAIN_HYPERVISOR:
	case CHAIN_KERNEL:
	case CHAIN_USER:
	case CHAIN_USER_DEFERRED:
	case CHAIN_GUEST:
	case CHAIN_GUEST_KERNEL:
	case CHAIN_GUEST_USER:
		return true;
	}
	return false;
}

#endif
