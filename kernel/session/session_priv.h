/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_SESSION_PRIV_H
#define ZED_KERNEL_SESSION_SESSION_PRIV_H

#include "base/mem.h"
#include "kernel/pidns.h"
#include "kernel/session/session.h"
#include "kernel/tracefs.h"

#include <pthread.h>

/*
 * Shared by session.c (the instance), settings.c (how it records), events.c (which events),
 * filters.c and exclude.c (which of these are left out), change.c and refilter.c (both, while it
 * traces).
 */

#define SESSION_PREFIX "zed." /* of the names of instances: zed.PID.START ... */
/*
 * ... and the suffixes of that of a second one: SESSION_WHEN, SESSION_VALUE, SESSION_FLIGHT, and
 * last:
 */
#define SESSION_NAMES ".names"	/* one for names (watch.h) */
#define SESSION_THREADS ".tids" /* for a moment (thread_numbers.c) */

#define SESSION_MAX_FILTER 4000 /* bytes of one: the kernel accepts less than a page */

struct sess_filter {
	char *text;	      /* as the user gave it */
	char *pattern, *expr; /* cut; the expression in the kernel's words */
};

/* An event that is recorded. */
struct sess_event {
	struct tracefs_event name;
	char *filter; /* the user's, in the kernel's words; NULL: none */
};

/* Which events are recorded (events.c). */
struct sess_choice {
	char **patterns;
	unsigned npatterns;
	char *listing;		     /* available_events when last read */
	char *enabled;		     /* set_event when last read; NULL: not read yet */
	struct tracefs_events known; /* the same, split */
	bool *chosen;		     /* which of these the patterns name */
	struct sess_event *events;
	struct tracefs_event *names; /* the same sorted, for session_events() */
	unsigned nevents;
	size_t events_cap, names_cap;
	struct arena arena;
	struct tracefs_event *dropped; /* recorded once: their formats are known to the output */
	unsigned ndropped;
	size_t dropped_cap;
	char **stacks; /* patterns of the events that have stacks */
	unsigned nstacks;
};

/* Which of these are left out (filters.c). */
struct sess_filters {
	struct sess_filter *v;
	unsigned n;
	bool (*refused)(void *arg, const char *filter, const struct err *why);
	void *refused_arg;
};

#define SESSION_NAMED 3 /* events in a notice, by name */

/* A change of both, event by event (change.c). */
struct sess_change {
	bool on;
	unsigned at;		   /* the next one of choice.known */
	struct sess_filters old;   /* the filters before */
	unsigned refused;	   /* events that did not accept their new filters ... */
	char names[300], why[256]; /* ... the first of them, and why that one did not */
};

/* Processes whose system calls are left out, and their tasks, sorted (exclude.c). */
struct sess_excluded {
	char who[1024]; /* session_excluded() */
	pid_t *pids, *tasks;
	unsigned npids, ntasks;
	size_t pids_cap, tasks_cap;
};

/* The kernel's symbols while they are read ahead (kernel_symbols.c). */
struct sess_symbols {
	pthread_t thread;
	bool runs;
	char *text; /* the thread's, as are these; NULL: why */
	size_t len;
	struct err why;
};

/* Tasks in the kernel's numbers (task_numbers.c). */
struct sess_numbers {
	enum pidns space;
	pid_t self;  /* session_self() */
	pid_t *pids; /* session_opts.pids, and the child's */
	unsigned npids;
};

/* buffer_percent. */
struct sess_percent {
	int fd; /* -1: this kernel does not have it */
	unsigned set;
};

struct session {
	char root[256], dir[352];
	char name[48], suffix[16]; /* of the instance: "zed.PID.START", and what follows it */
	pid_t owner;		   /* getpid() */
	int lock;		   /* owner.h's, on DIR; -1: none */
	struct sess_numbers numbers;
	bool made;
	bool attached; /* of another process: nothing is set */
	bool past;     /* session_is_past() */
	long moved; /* how much higher than in its events the kernel is now; 0: not, or unknown */
	struct notes *notes;
	struct sess_choice choice;
	struct sess_filters filters;
	struct sess_change change;
	struct sess_excluded excluded;
	struct sess_symbols symbols;
	char clock[64];
	char settings[300];	       /* "options overwrite ..." */
	int clock_id;		       /* -1: user space cannot read it */
	unsigned page_size, page_head; /* of a sub-buffer, and where its data begin: bytes */
	int *cpus, *fds;
	unsigned ncpus;
	int stats_fd;
	struct sess_percent percent;
};

/* Fill in S, all zeros, as far as it is independent of the kernel. */
void session_init(struct session *s, struct notes *n);

/*
 * Find out what O's patterns and filters mean on this kernel.  Nothing is written yet, so that a
 * typing error makes no instance.
 */
int session_choose(struct session *s, const struct session_opts *o, struct err *e);

/*
 * Find the kernel's numbers of this process and of O's tasks.  In a new instance, before its
 * buffers are set: in a PID namespace we and O's child write into it, and it is cleared.  -1 with
 * E: that of a task is unknown.
 */
int session_number_tasks(struct session *s, const struct session_opts *o, struct err *e);

/* Sizes; clock and options, before the buffers are opened; then CPUs and tasks. */
int session_set_sizes(struct session *s, const struct session_opts *o, struct err *e);
int session_set_buffers(struct session *s, const struct session_opts *o, struct err *e);
int session_set_scope(struct session *s, const struct session_opts *o, struct err *e);

/*
 * Only the reading part of that: sizes of sub-buffers; the CPUs, and the files of all; any event.
 */
int session_read_pages(struct session *s, struct err *e);
int session_find_cpus(struct session *s, struct err *e); /* nothing if they are known */
int session_open_cpus(struct session *s, struct err *e);
void session_all_events(struct session *s);

/* Switch on the chosen events.  -1 with E if all refuse. */
int session_enable(struct session *s, struct err *e);

/* The event that is recorded; NULL: EV is not. */
struct sess_event *session_find_event(const struct session *s, const struct tracefs_event *ev);

/*
 * Record an event more, while tracing is on: its filter is set first.  NULL: it refuses, which was
 * reported.
 */
struct sess_event *session_take_event(struct session *s, const struct tracefs_event *ev);

/* Record EV no longer. */
void session_drop_event(struct session *s, struct sess_event *ev);

/* Was EV recorded once, up to such a drop? */
bool session_was_recorded(const struct session *s, const struct tracefs_event *ev);

/* Does PATTERN, one of tracefs_match()'s, choose EV? */
bool session_names_event(const char *pattern, const struct tracefs_event *ev);

/* Cut and check O's filters; each must name one of the chosen events. */
int session_read_filters(struct session *s, const struct session_opts *o, struct err *e);

/* Set the filters on the events that are on.  -1 with E if one of them is accepted by no event. */
int session_filter(struct session *s, struct err *e);

/*
 * Have the kernel write its stack after the events of O's patterns.  -1 with E if there is none of
 * them, or the kernel refuses.
 */
int session_set_stacks(struct session *s, const struct session_opts *o, struct err *e);

/* The same for an event that came later, and the opposite. */
void session_stack_event(struct session *s, const struct sess_event *ev);
void session_unstack_event(struct session *s, const struct sess_event *ev);

/*
 * Have O's tracer, if it names one, write into the instance.  -1 with E: the kernel refuses it,
 * with the file, the reason, the tracers that there are, and what to do.  To be called before the
 * buffers are opened: the kernel does not change the tracer of an instance that is being read
 * (EBUSY).
 */
int session_set_tracer(struct session *s, const struct session_opts *o, struct err *e);

/* Exclude the excluded tasks from an event that came later, if it is a system call. */
void session_exclude_from(struct session *s, const struct sess_event *ev);

/* Set the user's filters on an event that came later, with the excluded tasks. */
void session_filter_event(struct session *s, struct sess_event *ev);

/*
 * Begin WORK(ARG) in a thread that takes no signals: they are for the one that waits.  False: it
 * cannot be started.
 */
bool session_thread(pthread_t *thread, void *(*work)(void *arg), void *arg);

/* Begin to read the kernel's symbols, for session_kallsyms(); wait for that, and forget them. */
void session_symbols_begin(struct session *s);
void session_symbols_end(struct session *s);

/*
 * In a change: the new filters in place of the old ones, at once, so that nothing that both let
 * through is lost.  False: they are the same, and nothing was written.
 */
bool session_refilter_event(struct session *s, struct sess_event *ev);

/*
 * Why the event in DIR did not take a filter, errno being SYS: a refused filter's own file has the
 * text, a line with a caret after the place, and the reason.  FIELD gets the name that is not a
 * field of the event, or "".
 */
void session_refusal(const char *dir, int sys, char *why, size_t size, char *field,
		     size_t field_size);

/*
 * Join F to the filter that EV has.  False: the event did not accept it and keeps the filter it
 * had; WHY and FIELD as in session_refusal().
 */
bool session_join_filter(struct session *s, struct sess_event *ev, const struct sess_filter *f,
			 char *why, size_t size, char *field, size_t field_size);

/* Is EV one of those from which processes are excluded?  Set its filter, with these. */
bool session_feeds_back(const struct tracefs_event *ev);
int session_set_excluded(struct session *s, const struct sess_event *ev, struct err *e);

/*
 * The kernel's numbers of the threads of this process but the calling one, which opened S, into
 * NUMBERS, at most MAX; returns how many.  *UNKNOWN gets how many more there are, E why.
 */
unsigned session_number_threads(struct session *s, pid_t *numbers, unsigned max, unsigned *unknown,
				struct err *e);

/* Every event of EV passes. */
void session_unfilter_event(struct session *s, struct sess_event *ev);

/* Free the filters of F. */
void session_forget_filters(struct sess_filters *f);

/* The directory of EV in the instance into PATH. */
void session_event_dir(const struct session *s, const struct tracefs_event *ev, char *path,
		       size_t size);

/*
 * Switch off the events of the instance DIR, one system after another.  The kernel does that when
 * it removes an instance, too, but all at once, and under a lock that each open() in tracefs waits
 * for: a grace period for each event that another instance records as well, in total 20 seconds if
 * another recorder records all events.
 */
void session_events_off(const char *dir);

/*
 * Remove the instance DIR, its events off first; if a process has a file of it open for a moment,
 * wait up to MS ms.  False, with errno: it still exists.
 */
#define SESSION_PATIENCE_MS 2000
bool session_remove(const char *dir, unsigned ms);

/* Free what these and session_exclude() keep. */
void session_forget(struct session *s);

#endif
