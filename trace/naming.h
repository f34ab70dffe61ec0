/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_NAMING_H
#define ZED_TRACE_NAMING_H

#include "trace/event.h"

/*
 * Events that tell names of tasks.  The pump shows each of them, in the order of the merge, to
 * naming_see(), whether a sink wants it or not; so machine_comm() gives the name of the time.
 *
 *	task:task_rename		a new name, by exec or prctl, from behind the event on
 *	task:task_newtask		the new task's, which is its maker's
 *	sched:sched_process_fork	the same
 *	sched:sched_process_exec	the program's, without its directory
 *	sched:sched_switch		that of the task that goes, and of the one that comes
 *
 * The first one tells of every change, if it was recorded: that a trace has its format says
 * nothing, as some have all formats.  Up to the first such event there are no names of a time: what
 * the others tell may be out of date a moment later (a program calls itself something else by
 * prctl), and the list of names that a recording carries, which is of its end, is right more often.
 * Until then they count only for tasks that are not in that list.
 */
enum naming_kind {
	NAMING_NONE,
	NAMING_RENAME,
	NAMING_NEW,
	NAMING_FORK,
	NAMING_EXEC,
	NAMING_SWITCH,
};

struct naming;

struct naming *naming_new(void);
void naming_free(struct naming *n);

/*
 * Hand the names that EV tells to the machine of its type, which has a kind.  True: it was the
 * first to tell of a change, and naming_needs() answers otherwise from now on.
 */
bool naming_see(struct naming *n, const struct event *ev);

/*
 * Does naming_see() have to be shown the events of T?  Switches are frequent: they are needed only
 * where somebody asks for names (machine_go_on() tells when that begins).
 */
bool naming_needs(const struct etype *t);

/* The kind of an event SYSTEM:NAME. */
enum naming_kind naming_kind_of(const char *system, const char *name);

#endif
