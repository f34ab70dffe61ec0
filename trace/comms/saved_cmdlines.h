/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_SAVED_CMDLINES_H
#define ZED_TRACE_COMMS_SAVED_CMDLINES_H

#include "trace/comms/comm_table.h"

/*
 * The kernel's list of names (saved_cmdlines), which a recording carries: lines "PID NAME".  The
 * last line for a task is used.
 */
struct saved_cmdlines {
	unsigned bad;	/* invalid lines */
	unsigned more;	/* names beyond COMM_TABLE_MAX, skipped */
	unsigned stock; /* trace-cmd 3.1.6 reads this many of the first tasks */
};

/* Enter the names of the LEN bytes at TEXT into T, which is empty. */
struct saved_cmdlines saved_cmdlines_read(const char *text, size_t len, struct comm_table *t);

#endif
