/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_MACHINE_H
#define ZED_TRACE_MACHINE_H

#include "base/err.h"
#include "trace/symbols.h"

/*
 * What a source knows besides its events: byte order, word size, and texts of the traced machine
 * (symbols, trace_printk strings, command names), which are loaded and parsed when first asked for.
 * Owned by its source; everything returned is borrowed until the source is closed.
 */
enum machine_text { TEXT_KALLSYMS, TEXT_PRINTK, TEXT_CMDLINES, TEXT_UNAME, TEXT_CPUSTAT, NTEXT };

struct event_sample;

struct machine_ops {
	/* The text WHICH (*LEN 0: there is none), borrowed; -1: it cannot be read. */
	int (*text)(void *arg, enum machine_text which, const char **p, size_t *len, struct err *e);
	/*
	 * Live: the name of a task that is not known yet, into BUF; false: nobody knows.  May be
	 * NULL.  Not asked again soon for the same task.
	 */
	bool (*comm)(void *arg, int32_t pid, char buf[16]);
	/*
	 * perf.data: the name of the file that the task of sample S, or the kernel, has mapped at
	 * ADDRESS now, and *OFF, where in it that is.  NULL: nobody knows.  May be NULL.
	 */
	const char *(*mapped)(void *arg, const struct event_sample *s, uint64_t address,
			      bool kernel, uint64_t *off);
	/* The time that is shown for a stamp of the trace clock.  NULL: the stamp itself. */
	uint64_t (*shown)(void *arg, uint64_t stamp);
};

struct comm_history;

struct machine {
	bool big_endian;
	bool swap;	    /* big_endian is not ours */
	unsigned long_size; /* bytes of the traced kernel's long: 4 or 8 */
	const struct machine_ops *ops;
	void *arg;
	struct notes *notes;		  /* for damage in a text found late; may be NULL */
	const char *path;		  /* of the source, for messages; NULL: there is none */
	struct symbols *symbols, *printk; /* made on demand */
	const struct symbols *given;	  /* instead of the source's own, borrowed; or NULL */
	struct comms *comms;
	unsigned nfields;	    /* of its event types, parsed so far: catalog.c */
	bool learnt;		    /* a name has come by machine_learn_comm() */
	struct machine *named;	    /* whose names this one uses; NULL: its own */
	struct comm_history *times; /* names that are known with their times; NULL: none yet */
	uint64_t now;		    /* time of the event at hand */
	uint64_t due;		    /* from when on machine_go_on() has something to do */
	const char *replayed;	    /* machine_replay_comm(); or NULL */
	int32_t replayed_pid;
	uint64_t renames; /* counted up where names may be others from now on */
	bool asked;	  /* somebody has asked for a name ... */
	bool asked_said;  /* ... and machine_go_on() has said so */
	bool timed;	  /* names may be known with their times */
	bool renamed;	  /* an event told of a rename: so all are told (naming.h) */
	bool watched;	  /* the recorder logged all names: events add none */
};

/* Only for machine_go_on() and its callers. */
bool machine_catch_up(struct machine *s);

/*
 * Names are those of the current event's time TS: to be called before each event is given out.
 * True: somebody has asked for a name for the first time (naming.h).
 */
static inline bool machine_go_on(struct machine *s, uint64_t ts)
{
	s->now = ts;
	return __builtin_expect(ts >= s->due, 0) && machine_catch_up(s);
}

/* The machine whose names S uses. */
static inline struct machine *machine_of_names(struct machine *s)
{
	return s->named ? s->named : s;
}

/*
 * The symbol that holds ADDR: the greatest one at or below it (an address past the last symbol
 * matches only exactly), of at most SYMBOL_MAX bytes.  *START gets its address, *MODULE its module
 * or NULL.  NULL: none.
 */
const char *machine_symbol(struct machine *s, uint64_t addr, uint64_t *start, const char **module);

/* The same as the kernel prints it, with its *SIZE: symbols_kernel(). */
const char *machine_kernel_symbol(struct machine *s, uint64_t addr, uint64_t *start, uint64_t *size,
				  const char **module);

/* The trace_printk string at ADDR exactly, without quotes, escapes as in the file; or NULL. */
const char *machine_printk(struct machine *s, uint64_t addr);

/*
 * The command name of PID, now: "<idle>" for 0, "<...>" for an unknown one.  Never NULL; valid
 * until the next event, or name.
 */
const char *machine_comm(struct machine *s, int32_t pid);

/*
 * Names will be asked for: those that events tell from now on will be known then.  As the first
 * machine_comm(), for whoever asks of some events only.
 */
void machine_want_comms(struct machine *s);

/*
 * Does NAME, which machine_comm() gave, hold until renames (of machine_of_names()) changes?  Not if
 * a live source did not know it: that is asked again.
 */
bool machine_comm_holds(const struct machine *s, const char *name);

/*
 * An event that was kept is given again: its task PID is called NAME (borrowed), whatever has been
 * told since.  NAME NULL: no longer.
 */
void machine_replay_comm(struct machine *s, int32_t pid, const char *name);

/* machine_comm(), without the names that events or the log of a file give for a time. */
const char *machine_comm_untimed(struct machine *s, int32_t pid);

/*
 * The name that the recording has for PID: that of the time, if its recorder logged all names, or
 * else that of its list.  Never one that an event of the trace tells.
 */
const char *machine_comm_recorded(struct machine *s, int32_t pid);

/*
 * As trace-cmd 3.1.6 reads the text: the first line of a name that has more, and "<...>" for all
 * tasks behind it, as it stops there.
 */
const char *machine_comm_stock(struct machine *s, int32_t pid);

/*
 * Live: PID is called NAME (LEN bytes, of which 255 are kept) from now on.  What was returned for
 * PID before is no longer valid.  Of a million names the oldest give way.
 */
void machine_learn_comm(struct machine *s, int32_t pid, const char *name, size_t len);

/*
 * PID is called NAME from the time TS on, a stamp of the trace clock; 0: from the start.  To be
 * called before the events of that time are given out.
 */
void machine_tell_comm(struct machine *s, uint64_t ts, int32_t pid, const char *name, size_t len);

/* All names will come by machine_tell_comm() in time: events have nothing to add. */
void machine_watch_comms(struct machine *s);

/* The names that were told are of other tasks: they are no longer those of these numbers. */
void machine_forget_comms(struct machine *s);

/*
 * An event of the trace says that PID is called NAME: from now on, from the next event on, or from
 * now on unless the text has a name for PID.  Does nothing after machine_watch_comms().
 */
enum machine_saw { SAW_NOW, SAW_AFTER, SAW_UNLESS_LISTED };
void machine_saw_comm(struct machine *s, int32_t pid, const char *name, size_t len,
		      enum machine_saw how);

/* May names come, or change, while events are read? */
bool machine_learns(struct machine *s);

/* Do names come in other ways than by the trace's texts and events (live, in a stream)? */
bool machine_is_told(const struct machine *s);

/* The number of known command names, and the I-th (in the file's order, *PID its process). */
unsigned machine_comm_count(struct machine *s);
const char *machine_comm_at(struct machine *s, unsigned i, int32_t *pid);

/* A text as it is; *LEN 0 when there is none or it cannot be read (then a notice was given). */
const char *machine_raw(struct machine *s, enum machine_text which, size_t *len);

void machine_init(struct machine *s, const struct machine_ops *ops, void *arg, struct notes *notes);
void machine_fini(struct machine *s);

/*
 * Was the traced kernel Linux MAJOR.MINOR or later?  False where its release is not told, or M is
 * NULL.
 */
bool machine_since(struct machine *m, unsigned major, unsigned minor);

#endif
