/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_LTTNG_EVENT_H
#define ZED_TRACE_LTTNG_EVENT_H

#include <stdint.h>

struct field;

/*
 * An event of LTTng's kernel tracer (etype.lttng), which has the name and the fields' names of
 * tracefs where it differs: irq:softirq_entry, and pid for tid.
 *
 * Source of the facts: lttng-modules 2.10 to 2.14, include/instrumentation.
 */
#define LTTNG_SYSTEM "lttng" /* of second names, and of events that tracefs has not */
#define LTTNG_PRIO 100	     /* MAX_RT_PRIO, which LTTng subtracts from the kernel's priority */

/*
 * tracefs has one event for all system calls (raw_syscalls), with a number; LTTng has one for each,
 * with a name.
 */
enum lttng_call { LTTNG_NO_CALL, LTTNG_ENTER, LTTNG_EXIT };

struct lttng_event {
	const char *name;      /* as LTTng writes it: "irq_softirq_entry" */
	enum lttng_call call;  /* it is the entry or exit of a system call */
	const char *call_name; /* which one; NULL: its field id says it (LTTng does not know it) */
	int64_t call_nr;       /* its number on that machine (sysnames_number()) */
	/*
	 * Where its records have that number, which LTTng does not write: of the one event for all
	 * exits, before version 2.6.  Not one of the type's fields; or NULL.
	 */
	const struct field *call_field;
};

/* What LTTng's mask "rwbs" of a block device's request says. */
enum lttng_rwbs {
	LTTNG_RWBS_WRITE = 1 << 0,
	LTTNG_RWBS_DISCARD = 1 << 1,
	LTTNG_RWBS_READ = 1 << 2,
	LTTNG_RWBS_RAHEAD = 1 << 3,
	LTTNG_RWBS_BARRIER = 1 << 4,
	LTTNG_RWBS_SYNC = 1 << 5,
	LTTNG_RWBS_META = 1 << 6,
	LTTNG_RWBS_SECURE = 1 << 7,
	LTTNG_RWBS_FLUSH = 1 << 8,
	LTTNG_RWBS_FUA = 1 << 9,
	LTTNG_RWBS_PREFLUSH = 1 << 10,
};

#define LTTNG_RWBS_LETTERS 10 /* at most, with the NUL */

/*
 * MASK in the letters that the kernel's own events have (blk_fill_rwbs): "WS", "FWFS", "RA"; "N":
 * neither reads nor writes.
 */
void lttng_rwbs(uint64_t mask, char letters[LTTNG_RWBS_LETTERS]);

#endif
