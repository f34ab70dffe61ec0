/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_COMMS_COMMS_H
#define ZED_TRACE_COMMS_COMMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The names of a machine's tasks: what is PID called at the time of the current event?
 *
 * Names without a time are those of the recording's list (saved_cmdlines, taken at its end, and
 * read when the first name is needed), those that a source learns later, and a live source's
 * answers.  Names with times are those of the log after that list (comm_log.h), those that a source
 * sets, and those in events.  A name with a time takes precedence.
 *
 * Times are those of events (ns, or ticks if the clock does not count ns) and only move forward.  A
 * name has at most 255 bytes; beyond a million the oldest are dropped.  What is returned is
 * borrowed until the next event or name.
 */

/* Where names come from, besides events. */
struct comms_source {
	/* The list, and after its NUL possibly a log, *LEN bytes (0: none); borrowed. */
	const char *(*list)(void *arg, size_t *len);
	/*
	 * BAD lines of the list were invalid, and MORE names were beyond the limit: both are
	 * skipped.
	 */
	void (*left_out)(void *arg, unsigned bad, unsigned more);
	/*
	 * Live: the name of a task not known yet, into BUF; false: unknown.  Not called again for
	 * the same task within a second.  NULL: this source cannot be asked.
	 */
	bool (*ask)(void *arg, int32_t pid, char buf[16]);
	/* The time of an event with this stamp of the trace clock.  NULL: the stamp itself. */
	uint64_t (*shown)(void *arg, uint64_t stamp);
	void *arg; /* valid until comms_free() */
};

/* Events that name tasks. */
enum comm_event {
	COMM_EVENT_NONE,
	COMM_EVENT_RENAME, /* a new name, by exec or prctl, valid after the event */
	COMM_EVENT_NEW,	   /* of a new task: its parent's name */
	COMM_EVENT_FORK,   /* the same */
	COMM_EVENT_EXEC,   /* the program's file name without its directory */
	COMM_EVENT_SWITCH, /* of the previous and the next task */
};

struct comms {
	uint64_t now;	  /* time of the current event */
	uint64_t due;	  /* the time from which comms_advance() has work to do */
	uint64_t changes; /* incremented when names may have changed */
	/* The rest is private to comms.c. */
	struct comms_source source;
	struct comm_table *list;       /* without times; NULL: not read yet */
	unsigned stock;		       /* trace-cmd reads this many of the first */
	char *stock_name;	       /* the last name that comms_stock_name() cut, or NULL */
	struct comm_history *history;  /* with times; NULL: none yet */
	struct unanswered *unanswered; /* NULL: none yet */
	const char *replayed;	       /* comms_replay(), or NULL */
	int32_t replayed_pid;
	unsigned users;	    /* comms_share() */
	bool asked;	    /* a name was asked for ... */
	bool asked_noticed; /* ... and comms_catch_up() has returned true for it */
	bool streamed;	    /* comms_learn() or comms_set() was called */
	bool timed;	    /* there may be names with times */
	bool complete;	    /* all names come with times: events add none */
	bool unlisted;	    /* comms_expect_no_list() */
	bool renamed;	    /* a COMM_EVENT_RENAME was seen: from then on each change has one */
};

struct comms *comms_new(const struct comms_source *source);

/* Take a reference to C; the last user's comms_free() frees it. */
struct comms *comms_share(struct comms *c);
void comms_free(struct comms *c); /* NULL is fine */

/* ---- time ---- */

/* For the two functions below, which return early if there is nothing to do. */
bool comms_catch_up(struct comms *c);

/*
 * The current event has time TS: call before delivering it.  True: since the last call a name was
 * asked for, for the first time, so the answer of comms_needs() has changed.
 */
static inline bool comms_advance(struct comms *c, uint64_t ts)
{
	c->now = ts;
	return __builtin_expect(ts >= c->due, 0) && comms_catch_up(c);
}

/* The same answer right after the current event, for callers that use comms_needs(). */
static inline bool comms_were_asked(struct comms *c)
{
	return __builtin_expect(!c->due, 0) && comms_catch_up(c);
}

/* ---- asking ---- */

/* The current name of PID: "<idle>" for 0, "<...>" for an unknown one.  Never NULL. */
const char *comms_name(struct comms *c, int32_t pid);

/* The same, from names without times only. */
const char *comms_listed_name(struct comms *c, int32_t pid);

/* The recording's name of PID: from its log, else from its list. */
const char *comms_recorded_name(struct comms *c, int32_t pid);

/*
 * The name that trace-cmd 3.1.6 finds in the list: only the first line of a name of several lines,
 * and "<...>" for all tasks after it, where trace-cmd stops.  Borrowed until the next call.
 */
const char *comms_stock_name(struct comms *c, int32_t pid);

/*
 * Names will be asked for, so keep those in events from now on: for callers that ask at some events
 * only.  The first comms_name() implies it.
 */
void comms_want(struct comms *c);

/*
 * Is NAME, from comms_name(), valid until C->changes changes?  Not if a live source did not know
 * it, as it is asked again.
 */
bool comms_holds(const struct comms *c, const char *name);

/* The number of names without times, and the I-th, of the task *PID; the list's come first. */
unsigned comms_count(struct comms *c);
const char *comms_nth(struct comms *c, unsigned i, int32_t *pid);

/* May names come, or change, while events are read? */
bool comms_may_change(struct comms *c);

/* ... other than those of the list, its log and events: live, in a stream, in separate records? */
bool comms_are_streamed(const struct comms *c);

/* ---- what a source knows ---- */

/* PID is called NAME, LEN bytes; since when is unknown. */
void comms_learn(struct comms *c, int32_t pid, const char *name, size_t len);

/*
 * PID is called NAME from TS on, a stamp of the trace clock; 0: from now on.  Call before
 * delivering the events of that time.  If more than a million are pending, the earliest take effect
 * too early.
 */
void comms_set(struct comms *c, uint64_t ts, int32_t pid, const char *name, size_t len);

/* Forget what was set: it was about other tasks. */
void comms_forget(struct comms *c);

/* Names will come with times: in events; or all of them by comms_set(). */
void comms_expect_events(struct comms *c);
void comms_expect_all(struct comms *c);

/*
 * There is no list, as LTTng makes none: names are what the source and events say, of which the
 * latest counts, for any caller.
 */
void comms_expect_no_list(struct comms *c);

/* Did a recorder list the names, of which trace-cmd knows no others? */
bool comms_has_list(const struct comms *c);

/*
 * A stored event is delivered again: its task PID is called NAME (borrowed), regardless of later
 * changes.  NAME NULL: end of that.
 */
void comms_replay(struct comms *c, int32_t pid, const char *name);

/* What is delivered again now, of *PID, to be put back after something else was; NULL: nothing. */
const char *comms_replayed(const struct comms *c, int32_t *pid);

/* ---- what events say ---- */

/*
 * Do events of that kind add names?  From the first COMM_EVENT_RENAME on, execs and switches do
 * not, as each change has a rename.  Switches are frequent, and read only if names are asked for.
 */
bool comms_needs(const struct comms *c, enum comm_event event);

/*
 * The current event, of a kind that comms_needs(), names PID NAME, LEN bytes (0: no name).
 *
 * Before the first COMM_EVENT_RENAME, names of events count only for tasks that are not listed, if
 * there is a list: they may be out of date a moment later (a program renames itself by prctl), and
 * the list is right more often.  The mere format of such an event means nothing, as some traces
 * have all formats.
 * True: this was the first one, so the answer of comms_needs() has changed.
 */
bool comms_event(struct comms *c, enum comm_event event, int32_t pid, const char *name, size_t len);

#endif
