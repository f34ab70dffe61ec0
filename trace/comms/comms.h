/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMMS_H
#define ZED_TRACE_COMMS_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Names of tasks by pid, regardless of time (comm_time has the names of a time).  A name that is
 * returned is borrowed until the same task gets another, or the table is freed.
 */
struct comms;

/*
 * The names of the LEN bytes of a saved_cmdlines at TEXT, which are copied.  *BAD gets the number
 * of lines that make no sense, *MORE that of names beyond COMM_TABLE_MAX.
 */
struct comms *comms_new(const char *text, size_t len, unsigned *bad, unsigned *more);
void comms_free(struct comms *c); /* NULL is fine */

/* The name of PID, or NULL. */
const char *comms_name(const struct comms *c, int32_t pid);

/*
 * The name that trace-cmd 3.1.6 finds for PID in the text, or NULL: the first line of a name that
 * has more, and none for the tasks behind the place where it stops reading.
 */
const char *comms_stock_name(struct comms *c, int32_t pid);

/* PID is called NAME from now on, LEN bytes, of which 255 are kept. */
void comms_learn(struct comms *c, int32_t pid, const char *name, size_t len);

/* The number of names, and the I-th: in the text's order, then in that of learning. */
unsigned comms_count(const struct comms *c);
const char *comms_nth(const struct comms *c, unsigned i, int32_t *pid);

/* Note that the source did not know PID; has that been noted within the last second? */
void comms_refuse(struct comms *c, int32_t pid);
bool comms_refused(const struct comms *c, int32_t pid);

#endif
