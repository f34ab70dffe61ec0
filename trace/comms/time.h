/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_TIME_H
#define ZED_TRACE_COMMS_TIME_H

#include "trace/comms/comm_log.h"

/*
 * What is known of the names of tasks with their times: the names that hold now, and those whose
 * time has yet to come.  Time only goes on.  Of a million names the oldest give way.
 */
struct commtime;

struct commtime *commtime_new(void);
void commtime_free(struct commtime *t);

/* Names that hold from their times on, LEN bytes at P (borrowed), by time. */
void commtime_set_log(struct commtime *t, const uint8_t *p, size_t len);

/* A name that holds from now on. */
void commtime_set(struct commtime *t, int32_t pid, const char *name, size_t len);

/*
 * A name that holds from R->ts on; those of the same time keep their order.  If more than a million
 * wait, the earliest take effect too soon.
 */
void commtime_add(struct commtime *t, const struct comm_record *r);

/*
 * The time is NOW: take the names that are due.  SHOWN gives the times of the log's stamps (NULL:
 * they are times).  Returns when it has to be called again; UINT64_MAX: never.
 */
uint64_t commtime_go_on(struct commtime *t, uint64_t now,
			uint64_t (*shown)(void *arg, uint64_t stamp), void *arg);

/* When commtime_add()'s earliest has to be taken; UINT64_MAX: there is none. */
uint64_t commtime_due(const struct commtime *t);

/* The name that PID has now, valid until a name is set; NULL: it is not known. */
const char *commtime_name(const struct commtime *t, int32_t pid);

#endif
