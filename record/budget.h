/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_BUDGET_H
#define ZED_RECORD_BUDGET_H

#include "kernel/session/session.h"

/*
 * What a recording may cost.  While it costs more, the busiest event is switched off, one each
 * second, and on again after a while, which doubles each time that this was too early.  Each step
 * is reported (NOTE_WARN).
 */
struct budget_limits {
	unsigned cpu;  /* CPU time of this process, percent of one CPU; 0: no limit */
	uint64_t rate; /* events a second, of all CPUs together, lost ones as well; 0: no limit */
};

struct budget;

/* For S and N, borrowed; not started yet, as this reads the numbers of all events. */
struct budget *budget_new(struct session *s, const struct budget_limits *l, struct notes *n);
void budget_free(struct budget *b); /* may be NULL */

/*
 * To be called about once a second: switches events on whose time has come.  True: a limit is
 * exceeded.  Then budget_see() is to be given a sub-buffer of each CPU, and budget_switch_off() is
 * to be called.
 */
bool budget_exceeded(struct budget *b);

/* LEN bytes at P: a sub-buffer of CPU. */
void budget_see(void *arg, int cpu, const uint8_t *p, uint32_t len);
void budget_switch_off(struct budget *b);

/*
 * TEXT (freed; NULL stays NULL), the statistics of a CPU for the file that ends now, with a line
 * for each time that an event was switched off in it, "switched off: sched:sched_switch from T1 to
 * T2" or "... to the end", in units of the trace clock; to be freed.  B may be NULL.
 */
char *budget_in_stats(struct budget *b, char *text);

/* Call FN for each event that was switched off, with how often. */
void budget_each(const struct budget *b,
		 void (*fn)(void *arg, const struct tracefs_event *ev, unsigned times), void *arg);

/* A line for each event that was switched off, for the report; to be freed; NULL: none was. */
char *budget_report(const struct budget *b);

#endif
