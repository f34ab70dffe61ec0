/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_SYNTHETIC_SYNTHETIC_H
#define ZED_RUN_SYNTHETIC_SYNTHETIC_H

#include "trace/catalog.h"
#include "run/stage.h"
#include "stable/catalogue.h"

/*
 * Synthetic events: each made from two, a start and the end that belongs to it ("wait:cpu" of
 * sched:waking and the sched:switch to the task that was woken), with fields computed from both.
 * They are events of types of their own in the catalog, one for each machine, and come right after
 * their end, with its time, CPU, sequence and task.
 *
 * Starts wait in a bounded table, each with the values of it that will be needed.  Events of
 * different inputs never match.  If events were lost, those starts of that input are dropped whose
 * end or abort may be among them: all, or, if the match says start.cpu == end.cpu, those of that
 * CPU.
 */
#define SYNTHETIC_MAX 64	   /* definitions */
#define SYNTHETIC_KEYS 8	   /* equalities of a match */
#define SYNTHETIC_TERMS 32	   /* other conditions of each kind */
#define SYNTHETIC_FIELDS 64	   /* of an event */
#define SYNTHETIC_PENDING 1000000u /* starts that wait, unless a definition says otherwise */
#define SYNTHETIC_STRING 256	   /* bytes kept of a start's string, at most */
#define SYNTHETIC_QUEUE 1024	   /* events that one event may raise, including chains */

enum synthetic_keep { SYNTHETIC_LAST, SYNTHETIC_FIRST };

/* A definition as the user gives it; borrowed. */
struct synthetic_spec {
	const char *name;		 /* "wait::cpu", "wait:cpu" */
	const char *start, *end, *abort; /* events, as --event takes them; abort may be NULL */
	const char *match;		 /* of start and end; NULL: any end ends the last start */
	const char *abort_match; /* of start and abort; NULL: match, with the abort as end */
	const char *const *names, *const *formulas; /* nfields of them */
	unsigned nfields;
	enum synthetic_keep keep; /* of two starts with one key, unless they nest */
	bool nest;		  /* an end ends the last start without one; the others wait */
	uint32_t max_pending;	  /* 0: SYNTHETIC_PENDING */
};

/*
 * Counts, for events that pass the choice (and for losses in its time); each start has one of these
 * outcomes, but starts and ends that the choice leaves out are not counted.
 */
struct synthetic_counts {
	uint64_t started, matched, aborted;
	uint64_t replaced; /* by a later start of the same key, or (SYNTHETIC_FIRST) left out for
			      an earlier one */
	uint64_t lost;	   /* dropped where events were lost */
	uint64_t dropped;  /* the table was full */
	uint64_t pending;  /* still wait */
};

/* A stage that gives all events of another, and synthetic ones too. */
struct synthetic;
struct synthetic_event;

/* C and STABLE (borrowed) must outlive it. */
struct synthetic *synthetic_new(struct catalog *c, const struct stable *stable, struct notes *n);
void synthetic_free(struct synthetic *s);

/*
 * Add a definition.  Its types are in the catalog from then on, so that others may be made of it.
 * NULL with E (ERR_USAGE).  Lives as long as S.
 */
struct synthetic_event *synthetic_add(struct synthetic *s, const struct synthetic_spec *spec,
				      struct err *e);

/*
 * The same, in one line: "wait:cpu start=sched:waking end=sched:switch
 * match='start.pid == end.next_pid' delay='end.ts - start.ts'".  Any word other than start, end,
 * match, abort, abort_match, keep, nest and max_pending is a field; a value with blanks is in
 * quotes.
 */
struct synthetic_event *synthetic_add_text(struct synthetic *s, const char *text, struct err *e);

/* "first" or "last".  -1 with E. */
int synthetic_keep_of(const char *value, enum synthetic_keep *out, struct err *e);

/* The type that X has in the catalog, on the I-th machine; NULL: no more. */
const struct etype *synthetic_type(const struct synthetic_event *x, unsigned i);

/* The system of the I-th definition's events; NULL: no more. */
const char *synthetic_system(const struct synthetic *s, unsigned i);

/* Is there a definition? */
bool synthetic_any(const struct synthetic *s);

/* Do definitions need T?  Not for the hot path. */
bool synthetic_takes(const struct synthetic *s, const struct etype *t);

/* Set which types the consumer needs, as catalog_want() does. */
void synthetic_want(struct synthetic *s, const uint8_t *want);

/* Which of all events the consumer gets. */
struct synthetic_gate {
	bool (*shows)(void *arg, const struct etype *t);   /* asked once for each type */
	bool (*passes)(void *arg, const struct event *ev); /* for synthetic events; NULL: all */
	/*
	 * For an event that does not pass: is it left out only by the part asked for?  NULL: yes.
	 */
	bool (*beyond)(void *arg, const struct event *ev);
	void *arg;
};

/*
 * S as a stage after FROM (borrowed), which gives each of its events and then those that it raised:
 * as NEXT_BEYOND those beyond the part that is asked for, if their types are needed there.  GATE
 * (copied) may be NULL: all.
 */
struct stage *synthetic_stage(struct synthetic *s, struct stage *from,
			      const struct synthetic_gate *gate);

/*
 * The part asked for begins at START (ns): earlier losses are not counted; and ends at END: later
 * events are ignored.  Without this call, events beyond the choice (NEXT_BEYOND) are followed to
 * the end of the trace.
 */
void synthetic_time(struct synthetic *s, uint64_t start, uint64_t end);

/*
 * From *BASE + *DUE on (ns, both borrowed) an event is announced as NEXT_DUE before it is handled.
 * For a consumer that counts up to a time: when it gets the first event of that time, this event
 * has already changed the starts that wait and the counts.
 */
void synthetic_watch(struct synthetic *s, const uint64_t *base, const uint64_t *due);

/* The starts that wait belong to a later part (pump_part()). */
void synthetic_forget(struct synthetic *s);

void synthetic_count(const struct synthetic_event *x, struct synthetic_counts *c);

/* Reset the counts to 0.  Starts that wait continue to wait. */
void synthetic_clear(struct synthetic_event *x);

/*
 * Call FN for each start of X that waits, by time, as an event with the values kept of it; both
 * borrowed.  Its type has these as fields, with the names used in formulas.
 */
void synthetic_each(const struct synthetic_event *x,
		    void (*fn)(void *arg, const struct event *start), void *arg);

#endif
