// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * exclude: keeps processes out of the system calls of a session, where recording would feed itself,
 * by a filter for each event, joined to the user's.
 */
#include "base/compare.h"
#include "kernel/procs.h"
#include "kernel/session/session_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS 1024 /* of one process */

bool session_feeds_back(const struct tracefs_event *ev)
{
	return !strcmp(ev->system, "syscalls") || !strcmp(ev->system, "raw_syscalls");
}

/*
 * USER's filter (NULL: none) and all excluded tasks, as one text; false: too long.  Threads mostly
 * have consecutive numbers: a thousand of these need no more room than one.
 */
static bool whole_filter(const struct session *s, const char *user, char *text, size_t size)
{
	size_t n = 0;
	unsigned end;

	text[0] = '\0';
	if (user)
		n = snprintf(text, size, "(%s)", user);
	for (unsigned i = 0; i < s->excluded.ntasks && n < size; i = end) {
		for (end = i + 1; end < s->excluded.ntasks &&
				  s->excluded.tasks[end] == s->excluded.tasks[end - 1] + 1;)
			end++;
		if (end - i > 1)
			n += snprintf(text + n, size - n, "%s(common_pid < %d || common_pid > %d)",
				      n ? " && " : "", (int)s->excluded.tasks[i],
				      (int)s->excluded.tasks[end - 1]);
		else
			n += snprintf(text + n, size - n, "%scommon_pid != %d", n ? " && " : "",
				      (int)s->excluded.tasks[i]);
	}
	return n < size;
}

int session_set_excluded(struct session *s, const struct sess_event *ev, struct err *e)
{
	char dir[900], text[SESSION_MAX_FILTER];

	if (!whole_filter(s, ev->filter, text, sizeof(text)))
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "%s:%s: the tasks to exclude need a filter longer than %d bytes, "
			       "the limit of the kernel",
			       ev->name.system, ev->name.name, SESSION_MAX_FILTER);
	session_event_dir(s, &ev->name, dir, sizeof(dir));
	return tracefs_write(dir, "filter", text, e);
}

/* Set the filters of the system calls for the tasks that are excluded now. */
static int exclude_tasks(struct session *s, struct err *e)
{
	char dir[900], text[SESSION_MAX_FILTER];
	unsigned plain = 0;

	for (unsigned i = 0; i < s->choice.nevents; i++)
		plain += !strcmp(s->choice.events[i].name.system, "syscalls");
	for (unsigned i = 0; i < s->choice.nevents; i++)
		if (s->choice.events[i].filter && session_feeds_back(&s->choice.events[i].name))
			plain = 0;
	/*
	 * A write may cost the kernel a grace period: hundreds of equal filters are set by one
	 * write.
	 */
	if (plain > 2 && whole_filter(s, NULL, text, sizeof(text))) {
		snprintf(dir, sizeof(dir), "%s/events/syscalls", s->dir);
		TRY(tracefs_write(dir, "filter", text, e));
	} else {
		plain = 0;
	}
	for (unsigned i = 0; i < s->choice.nevents; i++) {
		const struct tracefs_event *ev = &s->choice.events[i].name;

		if (session_feeds_back(ev) && !(plain && !strcmp(ev->system, "syscalls")))
			TRY(session_set_excluded(s, &s->choice.events[i], e));
	}
	return 0;
}

void session_exclude_from(struct session *s, const struct sess_event *ev)
{
	struct err e;

	if (s->excluded.ntasks && session_feeds_back(&ev->name) &&
	    session_set_excluded(s, ev, &e) < 0)
		note_err(s->notes, NOTE_WARN, &e);
}

/* Add those of the N TASKS that are not known yet; returns how many. */
static unsigned add_tasks(struct session *s, const pid_t *tasks, unsigned n)
{
	unsigned had = s->excluded.ntasks;

	for (unsigned i = 0; i < n; i++) {
		if (had && bsearch(&tasks[i], s->excluded.tasks, had, sizeof(*tasks), compare_i32))
			continue;
		s->excluded.tasks = mem_grow(s->excluded.tasks, &s->excluded.tasks_cap,
					     s->excluded.ntasks + 1, sizeof(*s->excluded.tasks));
		s->excluded.tasks[s->excluded.ntasks++] = tasks[i];
	}
	return s->excluded.ntasks - had;
}

/* Add PID to the text of session_excluded(). */
static void add_name(struct session *s, pid_t pid)
{
	size_t at = strlen(s->excluded.who);
	char comm[16];

	for (unsigned i = 0; i < s->excluded.npids; i++)
		if (s->excluded.pids[i] == pid)
			return;
	s->excluded.pids = mem_grow(s->excluded.pids, &s->excluded.pids_cap, s->excluded.npids + 1,
				    sizeof(*s->excluded.pids));
	s->excluded.pids[s->excluded.npids++] = pid;
	if (!procs_comm(pid, comm))
		snprintf(comm, sizeof(comm), "process");
	snprintf(s->excluded.who + at, sizeof(s->excluded.who) - at, "%s%s %d", at ? ", " : "",
		 comm, (int)pid);
}

/* How many of the events feed back; 0 in another process's instance. */
static int touches(const struct session *s)
{
	int n = 0;

	for (unsigned i = 0; i < s->choice.nevents && !s->attached; i++)
		n += session_feeds_back(&s->choice.events[i].name);
	return n;
}

/* Exclude the N TASKS, in the kernel's numbers, of process PID, in /proc's. */
static int exclude(struct session *s, pid_t pid, const pid_t *tasks, unsigned n, struct err *e)
{
	unsigned had = s->excluded.ntasks;
	int touched = touches(s);
	pid_t *before;

	before = mem_alloc((had + 1) * sizeof(*before));
	if (had)
		memcpy(before, s->excluded.tasks, had * sizeof(*before));
	if (add_tasks(s, tasks, n)) {
		qsort(s->excluded.tasks, s->excluded.ntasks, sizeof(*s->excluded.tasks),
		      compare_i32);
		if (exclude_tasks(s, e) < 0) {
			/* The others stay excluded. */
			memcpy(s->excluded.tasks, before, had * sizeof(*before));
			s->excluded.ntasks = had;
			touched = err_within(e, "cannot exclude the system calls of process %d",
					     (int)pid);
		} else {
			add_name(s, pid);
		}
	}
	free(before);
	return touched;
}

int session_exclude(struct session *s, pid_t pid, struct err *e)
{
	pid_t tasks[MAX_TASKS];

	if (!touches(s))
		return 0;
	if (s->numbers.space == PIDNS_OTHER)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "the system calls of process %d are not excluded: the kernel's "
			       "number of it is unknown in this PID namespace",
			       (int)pid);
	return exclude(s, pid, tasks, procs_threads(pid, tasks, MAX_TASKS), e);
}

/* /proc does not have the kernel's numbers. */
static int exclude_numbered(struct session *s, pid_t pid, struct err *e)
{
	pid_t tasks[MAX_TASKS];
	unsigned n, unknown;
	struct err why;

	if (!s->numbers.self)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "cannot exclude our own system calls: in this PID namespace the "
			       "kernel's number of this process is unknown, and its trace_marker "
			       "does not tell it (outside of the namespace this works)");
	tasks[0] = s->numbers.self;
	n = session_number_threads(s, tasks + 1, MAX_TASKS - 1, &unknown, &why);
	if (unknown)
		note_say(s->notes, NOTE_WARN,
			 "the system calls of %u of our own threads are recorded: the kernel's "
			 "number of %s is unknown in this PID namespace",
			 unknown, unknown == 1 ? "it" : "them");
	return exclude(s, pid, tasks, 1 + n, e);
}

int session_exclude_self(struct session *s, struct err *e)
{
	pid_t pid = procs_self();

	if (!touches(s))
		return 0;
	return s->numbers.space == PIDNS_OTHER ? exclude_numbered(s, pid, e) :
						 session_exclude(s, pid, e);
}

const char *session_excluded(const struct session *s)
{
	return s->excluded.who;
}
