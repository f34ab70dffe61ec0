/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_OTHERS_H
#define ZED_KERNEL_SESSION_OTHERS_H

#include "kernel/session/session.h"

/*
 * Notices what other processes do with the buffers of a session: events that another reader takes,
 * or clears, are missing here, and no count of the kernel shows it.
 */
struct others;

/*
 * Begin to watch; the session's own files must be open.  S is borrowed until others_close().  On a
 * machine that cannot watch files only events that are switched off are noticed.
 */
struct others *others_open(struct session *s);
void others_close(struct others *o);

/*
 * Check, and report to N what other processes have begun to do: reading our buffers (what is read
 * there is gone), clearing them or setting the clock (what was there is gone, and the kernel's
 * counts begin anew), resizing them (what no longer fits is lost, and counted), switching events
 * off.  True if the buffers have been touched since
 * others_open(), so that the kernel's counts no longer match ours.  Costs what session_disabled()
 * does: once a second or so.
 */
bool others_say(struct others *o, struct notes *n);

/*
 * As session_stats(), with what the kernel had counted before others made it count anew.  O NULL:
 * resets are not watched.  T is the CPU's.
 */
int others_stats(struct others *o, const struct session *s, int cpu, struct stats_total *t,
		 struct cpu_stats *st, char **text, struct err *e);

/*
 * COUNT events, which the kernel says were read, have not reached us: report that, if there are
 * any.
 */
void others_say_read(uint64_t count, struct notes *n);

/*
 * TEXT, the kernel's statistics of a CPU (freed; may be NULL), with a line that COUNT of its events
 * were read by others, if there are any; to be freed.
 */
char *others_in_stats(char *text, uint64_t count);

#endif
