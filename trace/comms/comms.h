/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMMS_H
#define ZED_TRACE_COMMS_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The names of a machine's tasks: what is PID called at the time of the event at hand?
 *
 * Names without a time are those of the list that a recording carries (saved_cmdlines, which is of
 * its end, and is read when a name is first asked for), those that a source learns later, and what
 * a live one answers.  Names with their times are those of the log after that list (comm_log.h),
 * those that a source sets, and those in events.  A name with a time goes before one without.
 *
 * Times are those of events (ns, or ticks where the clock has no ns) and only go forward.  A name
 * has at most 255 bytes; of a million the oldest give way.  What is returned is borrowed until the
 * next event, or name.
 */

/* What the names come from, besides events. */
struct comms_source {
	/* The list, and after its NUL maybe a log, *LEN bytes (0: there is none); borrowed. */
	const char *(*list)(void *arg, size_t *len);
	/* BAD lines of the list made no sense, and MORE names were too many: they are left out. */
	void (*left_out)(void *arg, unsigned bad, unsigned more);
	/*
	 * Live: the name of a task that is not known yet, into BUF; false: unknown.  Not asked
	 * again for the same task within a second.  NULL: this source cannot be asked.
	 */
	bool (*ask)(void *arg, int32_t pid, char buf[16]);
	/* The time of an event with this stamp of the trace clock.  NULL: the stamp itself. */
	uint64_t (*shown)(void *arg, uint64_t stamp);
	void *arg; /* valid until comms_free() */
};

/* Events that name tasks. */
enum comm_event {
	COMM_EVENT_NONE,
	COMM_EVENT_RENAME, /* a new name, by exec or prctl, which holds after the event */
	COMM_EVENT_NEW,	   /* a new task's, which is its maker's */
	COMM_EVENT_FORK,   /* the same */
	COMM_EVENT_EXEC,   /* the program's, without its directory */
	COMM_EVENT_SWITCH, /* those of the task that leaves a CPU, and of the next one */
};

struct comms {
	uint64_t now;	  /* time of the event at hand */
	uint64_t due;	  /* from when on comms_advance() has something to do */
	uint64_t changes; /* counted up when names may be others from now on */
	/* The rest is for comms.c alone. */
	struct comms_source source;
	struct comm_table *list;       /* without times; NULL: not read yet */
	unsigned stock;		       /* trace-cmd reads the first so many of them */
	char *stock_name;	       /* the last one that comms_stock_name() has cut, or NULL */
	struct comm_history *history;  /* with times; NULL: none yet */
	struct unanswered *unanswered; /* NULL: none yet */
	const char *replayed;	       /* comms_replay(), or NULL */
	int32_t replayed_pid;
	unsigned users;	    /* comms_share() */
	bool asked;	    /* a name was asked for ... */
	bool asked_noticed; /* ... and comms_catch_up() has returned true for it */
	bool streamed;	    /* names came by comms_learn() or comms_set() */
	bool timed;	    /* there may be names with their times */
	bool complete;	    /* every name comes with its time: events add none */
	bool renamed;	    /* a COMM_EVENT_RENAME came: from then on each change has one */
};

struct comms *comms_new(const struct comms_source *source);

/* C, for one more user: freed by the last one's comms_free(). */
struct comms *comms_share(struct comms *c);
void comms_free(struct comms *c); /* NULL is fine */

/* ---- time ---- */

/* For the two below, which see when there is nothing to do. */
bool comms_catch_up(struct comms *c);

/*
 * The event at hand is one of the time TS: to be called before it is given out.  True: a name was
 * asked for since the last call, for the first time, so that comms_needs() answers otherwise.
 */
static inline bool comms_advance(struct comms *c, uint64_t ts)
{
	c->now = ts;
	return __builtin_expect(ts >= c->due, 0) && comms_catch_up(c);
}

/* The same answer at once, after the event at hand, for a caller that goes by comms_needs(). */
static inline bool comms_were_asked(struct comms *c)
{
	return __builtin_expect(!c->due, 0) && comms_catch_up(c);
}

/* ---- asking ---- */

/* The name of PID now: "<idle>" for 0, "<...>" for an unknown one.  Never NULL. */
const char *comms_name(struct comms *c, int32_t pid);

/* The same, of names without times alone. */
const char *comms_listed_name(struct comms *c, int32_t pid);

/* The name that the recording gives PID: that of its log, where it has one, or of its list. */
const char *comms_recorded_name(struct comms *c, int32_t pid);

/*
 * The name that trace-cmd 3.1.6 finds in the list: the first line of a name that has more, and
 * "<...>" for all tasks after it, as it stops there.  Borrowed until the next one.
 */
const char *comms_stock_name(struct comms *c, int32_t pid);

/*
 * Names will be asked for, so that those in events from now on will be known then: for callers that
 * ask at some events only.  The first comms_name() implies it.
 */
void comms_want(struct comms *c);

/*
 * Does NAME, which comms_name() gave, hold as long as C->changes stays the same?  Not if a live
 * source did not know it, as that is asked again.
 */
bool comms_holds(const struct comms *c, const char *name);

/* The number of names without times, and the I-th, of the task *PID: the list's are first. */
unsigned comms_count(struct comms *c);
const char *comms_nth(struct comms *c, unsigned i, int32_t *pid);

/* May names come, or change, while events are read? */
bool comms_may_change(struct comms *c);

/* ... besides those of the list, its log and events: live, in a stream, in records of their own? */
bool comms_are_streamed(const struct comms *c);

/* ---- what a source knows ---- */

/* PID is called NAME, LEN bytes, at no time that is known. */
void comms_learn(struct comms *c, int32_t pid, const char *name, size_t len);

/*
 * PID is called NAME from TS on, a stamp of the trace clock; 0: from now on.  To be called before
 * the events of that time are given out.  If more than a million wait for their time, the earliest
 * take effect too soon.
 */
void comms_set(struct comms *c, uint64_t ts, int32_t pid, const char *name, size_t len);

/* What was set was of other tasks: it is no longer known. */
void comms_forget(struct comms *c);

/* Names will come with their times: in events; or all of them by comms_set(). */
void comms_expect_events(struct comms *c);
void comms_expect_all(struct comms *c);

/*
 * An event that was kept is given again: its task PID is called NAME (borrowed), whatever has
 * changed since.  NAME NULL: no longer.
 */
void comms_replay(struct comms *c, int32_t pid, const char *name);

/* ---- what events say ---- */

/*
 * Do events of that kind add to what is known?  From the first COMM_EVENT_RENAME on, execs and
 * switches do not, as each change has one of its own.  Switches are frequent, and read only if
 * names are asked for.
 */
bool comms_needs(const struct comms *c, enum comm_event event);

/*
 * The event at hand, of a kind that comms_needs(), calls PID by NAME, LEN bytes (0: by none).
 *
 * Before the first COMM_EVENT_RENAME, names of events count only for tasks that are not listed:
 * they may be out of date a moment later (a program calls itself something else by prctl), and the
 * list is right more often.  That a trace has the format of such an event says nothing, as some
 * have all formats.  True: this was the first one, so that comms_needs() answers otherwise.
 */
bool comms_event(struct comms *c, enum comm_event event, int32_t pid, const char *name, size_t len);

#endif
