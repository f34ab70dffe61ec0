/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_HISTORY_H
#define ZED_TRACE_COMMS_COMM_HISTORY_H

#include "trace/comms/comm_log.h"

/*
 * What is known of the names of tasks with their times: the names that hold now, and those whose
 * time has yet to come.  Time only goes on.  Of a million names the oldest give way.
 */
struct comm_history;

struct comm_history *comm_history_new(void);
void comm_history_free(struct comm_history *h);

/* Names that hold from their times on, LEN bytes at P (borrowed), by time. */
void comm_history_set_log(struct comm_history *h, const uint8_t *p, size_t len);

/* A name that holds from now on. */
void comm_history_set(struct comm_history *h, int32_t pid, const char *name, size_t len);

/*
 * A name that holds from R->ts on; those of the same time keep their order.  If more than a million
 * wait, the earliest take effect too soon.
 */
void comm_history_add(struct comm_history *h, const struct comm_record *r);

/*
 * The time is NOW: take the names that are due.  SHOWN gives the times of the log's stamps (NULL:
 * they are times).  Returns when it has to be called again; UINT64_MAX: never.
 */
uint64_t comm_history_advance(struct comm_history *h, uint64_t now,
			      uint64_t (*shown)(void *arg, uint64_t stamp), void *arg);

/* When comm_history_add()'s earliest has to be taken; UINT64_MAX: there is none. */
uint64_t comm_history_due(const struct comm_history *h);

/* The name that PID has now, valid until a name is set; NULL: it is not known. */
const char *comm_history_name(const struct comm_history *h, int32_t pid);

#endif
