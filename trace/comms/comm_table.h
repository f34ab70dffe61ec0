/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMM_TABLE_H
#define ZED_TRACE_COMMS_COMM_TABLE_H

#include "trace/comms/comm_line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names by pid, one for each task.  A name that is returned is borrowed until any name is set, or
 * the table is freed.
 */
struct comm_table;

#define COMM_TABLE_MAX (1u << 20) /* names, besides those of comm_table_keep() */

struct comm_table *comm_table_new(void);
void comm_table_free(struct comm_table *t); /* NULL is fine */

/*
 * PID is called NAME, LEN bytes, of which COMM_MAX are kept.  If the table is full, the oldest name
 * is evicted.
 */
void comm_table_set(struct comm_table *t, int32_t pid, const char *name, size_t len);

/* The current names are never evicted. */
void comm_table_keep(struct comm_table *t);

/* The name of PID, or NULL. */
const char *comm_table_name(const struct comm_table *t, int32_t pid);

/*
 * The number of names, and the I-th, in the order in which their tasks were added; *PID gets its
 * task.
 */
unsigned comm_table_count(const struct comm_table *t);
const char *comm_table_nth(const struct comm_table *t, unsigned i, int32_t *pid);

/* The index of PID's name.  False: none. */
bool comm_table_find(const struct comm_table *t, int32_t pid, unsigned *i);

#endif
