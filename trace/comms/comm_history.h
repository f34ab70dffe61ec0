/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_HISTORY_H
#define ZED_TRACE_COMMS_COMM_HISTORY_H

#include "trace/comms/comm_log.h"

/*
 * Names of tasks with times: the current ones, and those of later times.  Time only moves forward.
 * Beyond a million names the oldest are dropped.
 */
struct comm_history;

struct comm_history *comm_history_new(void);
void comm_history_free(struct comm_history *h);

/* Names valid from their times on: LEN bytes at P (borrowed), sorted by time. */
void comm_history_set_log(struct comm_history *h, const uint8_t *p, size_t len);

/* A name valid from now on. */
void comm_history_set(struct comm_history *h, int32_t pid, const char *name, size_t len);

/*
 * A name valid from R->ts on; names of the same time keep their order.  If more than a million are
 * pending, the earliest take effect too early.
 */
void comm_history_add(struct comm_history *h, const struct comm_record *r);

/*
 * The time is NOW: apply the names that are due.  SHOWN converts the log's stamps to times (NULL:
 * they are times).  Returns when to call it again; UINT64_MAX: never.
 */
uint64_t comm_history_advance(struct comm_history *h, uint64_t now,
			      uint64_t (*shown)(void *arg, uint64_t stamp), void *arg);

/* When the earliest name of comm_history_add() is due; UINT64_MAX: there is none. */
uint64_t comm_history_due(const struct comm_history *h);

/* The current name of PID, valid until a name is set; NULL: unknown. */
const char *comm_history_name(const struct comm_history *h, int32_t pid);

#endif
