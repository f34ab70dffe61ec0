/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_PUMP_H
#define ZED_RUN_PUMP_H

#include "run/filter/filter.h"
#include "run/merge.h"
#include "trace/loss.h"
#include "trace/sink.h"
#include "trace/source.h"
#include "run/stage.h"

/*
 * The run over open inputs, as the first stage: pulls from the merge, filters, and gives the next
 * event on request.  The policy about damage is here: a bad piece is left out and counted, and the
 * first one of each stream is reported; strict stops at the first.
 */
struct pump_stats {
	uint64_t records;     /* read, including those left out */
	uint64_t skipped;     /* bytes of other times, whose records were not read */
	uint64_t passed;      /* given, in order */
	uint64_t early;	      /* given without order */
	uint64_t followed;    /* given though not asked for, to follow states */
	struct losses losses; /* of what is read, as far as they are known by now */
	uint64_t damaged;     /* pieces skipped */
	uint64_t late;	      /* events earlier than one before */
	uint64_t bytes_done, bytes_total;
	uint64_t first_ts, last_ts; /* times of records given; first_ts UINT64_MAX: none */
};

/*
 * Other work of the program beside the events: called between two events, at least about every
 * POLL_HOOK_MS (unless one event takes longer); a wait for events ends when one of its descriptors
 * is ready.
 */
struct poll_hook {
	struct poll_hook *next;	 /* the run's */
	void (*look)(void *arg); /* NULL: it only has to do with waits */
	/* Its descriptors, at most ROOM of them, into FDS; how many.  May lower the wait's *MS. */
	int (*fds)(void *arg, struct pollfd *fds, int room, int *ms);
	void *arg;
};

#define POLL_HOOK_MS 20
#define PUMP_GUEST_FDS 32 /* at most */

struct pump_opts {
	bool strict;
	struct source_opts source; /* of every input */
	bool force_merge;	   /* merge inputs of different clocks anyway */
	bool apart;		   /* inputs are not compared with each other: no warnings */
	/*
	 * ns for which the others wait for a live input that has fallen silent; then they continue
	 * without it, and what it still sends may be late.  0: for as long as it is silent.
	 */
	uint64_t patience;
	volatile const int *stop; /* set by a signal handler: end after this event ... */
	bool halt_first;	  /* ... or, once, after pump_halt(), where that can be done ... */
	bool asks;		  /* ... or give NEXT_SIGNAL, and continue when asked again */
	volatile unsigned *beat;  /* incremented while the run continues after that; or NULL */
	/*
	 * Called as often as a hook.  True: pump_halt().  May be NULL.
	 */
	bool (*over)(void *arg);
	/* What has to end a wait, up to then: as poll_hook.fds.  May be NULL. */
	int (*over_fds)(void *arg, struct pollfd *fds, int room, int *ms);
	void *over_arg;
	/* Called about every 64 Ki records and once at the end; may be NULL. */
	void (*progress)(void *arg, const struct pump_stats *st);
	void *progress_arg;
};

/*
 * A source for which the others wait, if they do: their events are there, and may not go out, as
 * this one, which has fallen silent, could still have earlier ones.
 */
struct stall {
	uint64_t low;	    /* its lowest watermark that others wait for; UINT64_MAX: none */
	uint64_t heard;	    /* its source.heard ... */
	uint64_t watermark; /* ... and LOW, when one of them last changed */
	uint64_t since;	    /* ns of base/mono.h: when that was; 0: the others do not wait for it */
	bool said;
	bool aside; /* the others continue without it */
};

/* A part of the inputs' time, see pump_part(). */
struct pump_part {
	uint64_t start, end;
	bool last;
};

/*
 * The run.  Parts with a job of their own (merge, filter, stalls) are structs; the rest is read or
 * written for each event by pump.c.
 */
struct pump {
	struct stage stage;  /* the first of all; must be first */
	struct run_info run; /* passed to sinks */
	struct catalog *catalog;
	struct source **sources;
	unsigned nsources;
	struct source **containers; /* sources that give further ones (source_ops.more) */
	unsigned ncontainers;
	struct source **unused; /* from containers, not merged: kept as they own types */
	unsigned nunused;
	unsigned nseq, nbuffers; /* streams and buffers that have been entered */
	struct filter *filter;
	struct merge *merge;
	struct stall *stalls; /* by source */
	size_t cap_stalls;
	struct pump_stats stats;
	struct losses rest; /* at the end of the inputs, and not told before: losses_each_rest() */
	struct pump_opts opts;
	struct pollfd *fds; /* what is waited for (live) */
	size_t cap_fds;
	struct period **periods;       /* by source and stream: period.h; NULL: not asked for */
	struct period_losses **losses; /* of the sources that were read for it; in step with it */
	bool relative;		       /* run.base is still to come: the time of the first event */
	unsigned until;		       /* events until the next check ... */
	unsigned left;		       /* ... and how many of them remain */
	unsigned ticks;		       /* and events since progress was last reported */
	struct poll_hook *guests;      /* pump_guest() */
	uint64_t looked;	       /* when these were last called: ns of base/mono.h */
	struct comms *comms;	       /* those of the event given last; NULL: none */
	/* What takes events of early types as soon as they are read: pump_early(). */
	void (*early)(void *arg, const struct event *ev);
	void *early_arg;
	struct source *came; /* the source of NEXT_SOURCE, until the next call */
	bool awaits;	     /* NEXT_IDLE was given: wait in the next call */
	bool before;	     /* one of these, or the start, is due before the next event */
	bool started, halted, finished;
	bool filtered; /* the filter, or pump.c, may reject something */
	bool in_order; /* ... or something else rules out early events, such as a later stage */
	uint64_t from; /* before the run: what happened earlier need not be read; 0: all is */
	bool parted;   /* pump_part() */
	/* Set by a consumer: losses at other times matter to it, too (stage.h, NEXT_BEYOND). */
	bool follows_losses;
	bool jumping; /* streams have jumped, and no event of the window has come yet */
	struct jump_source *jumps; /* by source: jump.h; NULL: none is known */
	size_t njumps;
	struct pump_part part;
};

/* Start with nothing open.  O is copied. */
void pump_init(struct pump *p, const struct pump_opts *o);
void pump_fini(struct pump *p);

/*
 * Open one more input.  -1 with E if it cannot be opened at all, or if its clock differs from that
 * of the previous inputs (without force_merge).
 */
int pump_open(struct pump *p, const char *path, struct err *e);

/* Take over an open source (live).  As pump_open(); S is closed on failure. */
int pump_add(struct pump *p, struct source *s, struct err *e);

/*
 * Before the run: only the events from START to END (ns, both inclusive), a part of the inputs'
 * time, are passed on and counted as passed; losses at other times belong to another part.  LAST:
 * of all parts.  All records are read: numbers, names and damage are those of the whole.
 */
void pump_part(struct pump *p, const struct pump_part *part);

/*
 * Ask for an orderly end: if every source that is not at its end is live, stop them
 * (source_ops.stop) and return true.  The run continues until they are empty, and ends with
 * RUN_DONE.  False: nothing was done (files, or stopped before).
 */
bool pump_halt(struct pump *p);

/* Is there a source that has to be stopped explicitly? */
bool pump_is_live(const struct pump *p);

/* The source of that number, in order of opening; NULL: none. */
static inline struct source *pump_source(const struct pump *p, unsigned number)
{
	return number < p->nsources ? p->sources[number] : NULL;
}

/* The progress of the run; may be called between two events and from within the hook. */
const struct pump_stats *pump_count(struct pump *p);

/* Before the run, once for each H: looks after it, too.  Borrowed until the run is over. */
void pump_guest(struct pump *p, struct poll_hook *h);

/*
 * Before the run: give FN the events whose types are marked early (etype) as soon as a stream has
 * read them, in addition to what p->stage gives: those of one CPU are in order, those of several
 * are not.  Never for an event with losses before it, nor if the run has a filter or is in_order.
 */
void pump_early(struct pump *p, void (*fn)(void *arg, const struct event *ev), void *arg);

/* After NEXT_SOURCE: take none of its events, which is reported. */
void pump_refuse(struct pump *p);

#endif
