/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_SESSION_H
#define ZED_KERNEL_SESSION_SESSION_H

#include "kernel/event_list.h"

#include <sys/types.h>

/*
 * A tracing session: a tracefs instance of our own, called zed.PID.START (the process that made it,
 * by its number in /proc, and when that began; a second one beside it zed.PID.START.names or the
 * like), with the events, filters, clock and buffers asked for.  Nothing outside the instance is
 * written.  session_close() removes it, but only in the process that made it (in a forked child it
 * only frees memory).
 */
struct session;

#define SESSION_WHEN ".when"	 /* watches for the events that make the first one be written */
#define SESSION_VALUE ".value"	 /* the same, for values computed from two events */
#define SESSION_FLIGHT ".flight" /* keeps the newest events, while the first one is read */

#define SESSION_PERCENT 25 /* soon enough in a storm, and rarely at low rates */

/*
 * One of the kernel's tracers, as current_tracer takes it, and the functions it is to trace, as
 * patterns with blanks between (set_ftrace_filter, set_ftrace_notrace, set_graph_function); NULL:
 * not given.
 */
struct session_tracer {
	const char *name, *functions, *notrace, *graph;
};

/*
 * A task that we have forked, and that waits: MARK has it write TEXT to the file MARKER.  In a PID
 * namespace that is not the initial one the kernel's number of it is found by that (pidns.h).
 */
struct session_child {
	pid_t pid; /* as fork() returned it; 0: none */
	void (*mark)(void *arg, const char *marker, const char *text);
	void *arg;
};

struct session_opts {
	const char *const *events; /* patterns (tracefs_match); none: with a tracer, or markers */
	unsigned nevents;
	const char *const *filters; /* "SYS[:EVENT]: EXPR", the words and, or, not allowed */
	unsigned nfilters;
	/*
	 * Called with a filter that the kernel refuses, the reason, and ARG.  True: continue
	 * without it.  May be NULL: then it is an error.
	 */
	bool (*refused)(void *arg, const char *filter, const struct err *why);
	void *arg;
	const pid_t *pids; /* only events of these tasks, by /proc's numbers, and of CHILD ... */
	unsigned npids;
	bool children; /* ... and of their children (event-fork) */
	struct session_child child;
	const char *cpus;   /* "0,2-5": record on these only; NULL: all */
	const char *clock;  /* NULL: mono, or local where the kernel lacks it, which is reported */
	unsigned buffer_kb; /* per CPU; 0: the kernel's default */
	unsigned subbuf_kb; /* size of a sub-buffer; 0: the kernel's (a page) */
	bool stacks;	    /* the kernel's stack after each event ... */
	const char *const *stack_events; /* ... or after those of these patterns */
	unsigned nstack_events;
	bool user_stacks;	      /* and the program's, after each event */
	struct session_tracer tracer; /* "": none; for the tasks above only */
	bool markers;	     /* what programs write to the top instance's trace_marker, too */
	bool symbols;	     /* session_kallsyms() comes next: read them beside the rest */
	unsigned percent;    /* filled, when poll() wakes; 0: the kernel's */
	const char *beside;  /* of a second instance: the suffix of its name, as below; NULL: "" */
	struct notes *notes; /* borrowed until session_close() */
};

/*
 * Make the instance and set everything, tracing off. An event that refuses to be enabled (EPERM) is
 * reported and left out; if none is left, or nothing can be set up: NULL with E, and nothing
 * remains.  A filter that no event accepted is an error (or refused()); if only some events of the
 * subsystem refused it, these are named (NOTE_WARN) and recorded without it, as the kernel does.
 * What O points to, except the notes, is copied.
 */
struct session *session_open(const struct session_opts *o, struct err *e);
void session_close(struct session *s);

/*
 * The same for the instance NAME of another process (".": the top one), which is read and otherwise
 * left alone: session_start() and all that sets something do nothing, session_close() does not
 * remove it.  What is read is gone for its owner.  Any event may come.
 */
struct session *session_attach(const char *name, struct notes *n, struct err *e);
bool session_is_ours(const struct session *s); /* not attached */

/*
 * The number that events (common_pid) have for this process, which is not getpid() in another PID
 * namespace than the initial one; 0: unknown.
 */
pid_t session_self(const struct session *s);

/* Are the numbers of tasks in /proc those of its events?  Not in most PID namespaces (pidns.h). */
bool session_has_proc(const struct session *s);

/* The tasks whose events alone it records, by those numbers, into *PIDS; how many, 0: all. */
unsigned session_tasks(const struct session *s, const pid_t **pids);

/* Its events are, or may be, of the previous boot: the tasks of this boot are not theirs. */
bool session_is_past(const struct session *s);

/*
 * /proc/kallsyms with the addresses that its events have, to be freed; *LEN bytes; NULL with E.  If
 * they are of the previous boot, and it is known (Linux 6.12, 6.13) how far the kernel has moved
 * since, its symbols get their old addresses, and those of modules, which may have been anywhere,
 * are left out.
 */
char *session_kallsyms(struct session *s, size_t *len, struct err *e);

int session_start(struct session *s, struct err *e); /* tracing_on 1 */
int session_stop(struct session *s, struct err *e);  /* tracing_on 0; the rest can be read */

/*
 * Set when poll() on session_fd() wakes: when this much of a CPU's buffer is filled, or, with 0,
 * when there is anything.  Costs a write only if it changes.  In a kernel before 5.0 it cannot be
 * set: it wakes when there is anything.  False: it will not wake like this (an instance of another
 * process, which is not changed).
 */
bool session_set_percent(struct session *s, unsigned percent);

/* Is tracing on?  False also when another process has switched it off. */
bool session_is_on(const struct session *s);

const char *session_root(const struct session *s);   /* of tracefs */
const char *session_dir(const struct session *s);    /* of the instance */
const char *session_name(const struct session *s);   /* another process's; "": ours, the top one */
const char *session_suffix(const struct session *s); /* session_opts.beside, or "" */
/* The directory of its second instance (watch.h), whether it exists or not. */
void session_beside(const struct session *s, char *buf, size_t size);
const char *session_clock(const struct session *s);  /* "mono" */
unsigned session_page_size(const struct session *s); /* sub-buffer, bytes */
/* The trace_options that were set, "options overwrite record-cmd ... nostacktrace". */
const char *session_settings(const struct session *s);
unsigned session_page_head(const struct session *s); /* offset of the data in it, bytes */

/* The CPUs that the instance has buffers for, in order.  Returns how many. */
unsigned session_cpus(const struct session *s, const int **cpus);

/* The events that are recorded, sorted.  Borrowed until session_rescan(). */
const struct tracefs_event *session_events(const struct session *s, unsigned *n);

/*
 * Look for new events (a module was loaded): those that the patterns name are enabled and given to
 * GIVE (which may be NULL).  Costs a read of available_events (about 2 ms): call it once a second
 * or so.
 */
int session_rescan(struct session *s, void (*give)(void *arg, const struct tracefs_event *ev),
		   void *arg, struct err *e);

/*
 * Switch EV, one of session_events(), off, or on again, while recording; session_disabled() does
 * not report it.  -1 with E.
 */
int session_switch(struct session *s, const struct tracefs_event *ev, bool on, struct err *e);

/*
 * Change, while it traces, which events are recorded, and their filters, to those of O; nothing
 * else of O is considered.  An unknown event or a filter without one is an error: -1 with E, and
 * nothing changes.  The change is then made by session_change_step(), as each event may keep the
 * kernel busy for some ms: the caller takes pages in between.  An event that stays is recorded
 * throughout.  One that accepts none of its new filters keeps the filter it had, which is reported.
 */
int session_change(struct session *s, const struct session_opts *o, struct err *e);

/*
 * The next event of such a change.  GIVE as of session_rescan(): events that are new.  False: there
 * is no more to do.
 */
bool session_change_step(struct session *s, void (*give)(void *arg, const struct tracefs_event *ev),
			 void *arg);
bool session_is_changing(const struct session *s);

/*
 * How many events that were enabled at the last call are disabled now (another process has switched
 * them off, or their module has gone), as "a:b, c:d and 3 more" into NAMES.  Costs a read of
 * set_event (up to 3 ms, with all events): call it once a second or so.
 */
unsigned session_disabled(struct session *s, char *names, size_t size);

/*
 * CPU's trace_pipe_raw, O_NONBLOCK and O_CLOEXEC, owned by the session (open from session_open()
 * on, so that no process can remove the instance); -1 if it could not be opened, which was
 * reported.
 */
int session_fd(const struct session *s, int cpu);

/*
 * The time of the instance's clock now, by clock_gettime() where user space has that clock (mono,
 * mono_raw, boot, tai), else by per_cpu/cpuN/stats ("now ts": coarser, and a file is read).  ns, or
 * ticks where the clock has no ns.  Records that were reserved before, and not yet read, may be up
 * to a slack earlier: that is left to the caller.
 */
int session_now(struct session *s, uint64_t *now, struct err *e);

/* The clock of clock_gettime() that the trace clock CLOCK is; -1: none. */
int session_clock_id(const char *clock);

/* May session_now() be called often (is it a clock_gettime)? */
bool session_clock_is_cheap(const struct session *s);

/*
 * Exclude the tasks of process PID, a number of /proc (procs.h), from the events of syscalls and
 * raw_syscalls, where recording would feed itself, by a filter per event joined to the user's.
 * Returns how many events were changed (0: none of these is recorded), -1 with E: the kernel
 * refuses, or its number of PID is unknown.  A process that is excluded already costs nothing.
 */
int session_exclude(struct session *s, pid_t pid, struct err *e);

/* The same for this process; in most PID namespaces for its first thread only, which it reports. */
int session_exclude_self(struct session *s, struct err *e);

/*
 * The processes excluded by session_exclude(), for the report: "zedtrace 12, zedperl 14"; "" for
 * none.
 */
const char *session_excluded(const struct session *s);

struct cpu_stats {
	uint64_t entries, overrun, commit_overrun, dropped, read;
};

/*
 * The kernel's statistics of CPU; *TEXT (may be NULL) gets per_cpu/cpuN/stats itself, to be freed.
 */
int session_stats(const struct session *s, int cpu, struct cpu_stats *st, char **text,
		  struct err *e);

/*
 * A CPU's statistics over resets: another process that clears the buffers, or sets the clock, makes
 * the kernel count from 0 again.  What it had counted before is kept, as far as it was seen.
 */
struct stats_total {
	struct cpu_stats last, kept;
	bool reset;	  /* there was one */
	unsigned noticed; /* of them, how many were noticed when they happened (others.h) ... */
	bool ahead;	  /* ... and one was seen by its counts before that */
};

/*
 * ST, as session_stats() gave it: add what was counted before resets.  NOTICED: how many there have
 * been; one that was not noticed is seen if a count is lower than before.
 */
void stats_total_take(struct stats_total *t, struct cpu_stats *st, unsigned noticed);

/*
 * ALL, the kernel's text of a CPU whose statistics are NOW, with the counts since SINCE; to be
 * freed.  LAST: entries and overruns, too, which are reported only once.
 */
char *session_stats_since(const char *all, const struct cpu_stats *now,
			  const struct cpu_stats *since, bool last);

/*
 * TEXT, such a text (freed; may be NULL), with a line "KEY: COUNT" of ours, if there are any; to be
 * freed.
 */
char *session_stats_add(char *text, const char *key, uint64_t count);

/*
 * Remove the instances of each zedtrace or zedperl that no longer runs, or is a zombie; one that
 * was killed just now is waited for.  One of another PID namespace or user counts as well: an
 * owner shows by a lock that it runs (owner.h).  TELL is called with a line for each ("removed
 * zed.12.345", "zed.13.400: in use by process 13").  Returns how many were removed, -1 with E.
 */
int session_cleanup(void (*tell)(void *arg, const char *line), void *arg, struct err *e);

/*
 * The same before a session is made, without waiting: a dead instance goes on tracing, at 250 to
 * 390 ns an event.  Each one that is removed is reported to N (NOTE_WARN).  Does nothing if
 * ZED_KEEP_DEAD is set in the environment, for those who want to look into them (session_attach).
 */
void session_remove_dead(struct notes *n);

/*
 * Call EACH for the instances that session_cleanup() would remove and whose buffers still hold
 * events: NAME, and how many EVENTS.
 */
void session_each_dead(void (*each)(void *arg, const char *name, uint64_t events), void *arg);

#endif
