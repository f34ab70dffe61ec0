/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_HOST_H
#define ZED_INTERP_API_HOST_H

#include "metrics/metrics.h"
#include "reader/filter/filter.h"
#include "reader/model/catalog.h"
#include "reader/pump.h"
#include "reader/synthetic/synthetic.h"

/*
 * What a script's run is given by the program around it: the inputs, their times, what to say, how
 * to go on.  This header needs no perl.h.
 */
enum period_of {
	PERIOD_ALL = -1,       /* all inputs */
	PERIOD_WINDOW = -2,    /* what all CPUs have data for */
	PERIOD_NONE_SUCH = -3, /* an input that there is not */
};

/* How subs are called that take all fields of their event. */
enum perlsink_args {
	ARGS_AS_SCRIPT, /* as the script shows: perf's way if it loads perf's modules */
	ARGS_ZED,
	ARGS_PERF,
};

/* What the user chose of an answer.  The texts and numbers are borrowed. */
struct asked {
	uint64_t start, end; /* ns, as events have them; 0 and UINT64_MAX: open */
	bool part;	     /* --part: END is where the next one begins, no time of this one ... */
	bool last;	     /* ... unless it is the last; without parts it is */
	uint64_t all_start, all_end; /* what all parts are of */
	bool head;		     /* the first events only */
	const char *starves;	     /* an option that leaves out kinds of events, or NULL */
	const struct filter *filter; /* CPUs and pids */
};

struct perlsink_opts {
	struct pump *run; /* borrowed; its opts.stop is interp_pending(), its opts.asks is set */
	struct catalog *catalog;
	const struct stable *stable; /* the stable events, borrowed */
	struct synthetic *synthetic; /* where the script's go, borrowed */
	struct metrics *metrics;     /* where those of the script go, borrowed */
	struct notes *notes;
	enum perlsink_args args;
	bool keep_going;  /* a death in a handler costs that call only */
	uint64_t every;	  /* ns between calls of trace_interval; 0: none ... */
	bool every_total; /* ... where aggregations are printed, and go on */
	void *arg;
	/* An input by its number from 0; NULL: there is none of that number. */
	struct source *(*source)(void *arg, unsigned number);
	/*
	 * When the records of an input happened, or of what enum period_of says (period.h).  False:
	 * it is read as it comes, or there is no such input.
	 */
	bool (*period)(void *arg, int which, struct period *out);
	/*
	 * The same for each stream of the input NUMBER, in their order: *N of them; borrowed.
	 * NULL: not known, or there is no such input.
	 */
	const struct period *(*periods)(void *arg, unsigned number, unsigned *n);
	/*
	 * Zed::keep: the events from FROM to TO are to be kept, times as the events have them.
	 * NULL: there is no file for them.
	 */
	void (*keep)(void *arg, uint64_t from, uint64_t to);
	/*
	 * Zed::snapshot: write what is kept of a live run to NAME (NULL: a free name), which it is
	 * called into PATH.  -1 with E.  NULL: nothing is kept.
	 */
	int (*snapshot)(void *arg, const char *name, char *path, size_t size, struct err *e);
	/* Say one line of our own. */
	void (*say)(void *arg, const char *text);
	/*
	 * What is taken off every time: --relative; *KNOWN: now, or only when the first event has
	 * come, up to which all types are of use.
	 */
	uint64_t (*base)(void *arg, bool *known);
	/* Something else is about to write to the terminal. */
	void (*clear)(void *arg);
	/* Some types only are of use (one byte per type idx; NULL: all). */
	void (*want)(void *arg, const uint8_t *want);
	/*
	 * After trace_begin, before the first event: what gives them, the run's own stage or what
	 * asks that.  NULL with E.
	 */
	struct stage *(*start)(void *arg, struct err *e);
	/*
	 * After the last event: losses that only the recorder's statistics know; call TELL for
	 * each CPU of the input SOURCE that has some.  May be NULL.
	 */
	void (*losses)(void *arg,
		       void (*tell)(void *tell_arg, unsigned source, int cpu, uint64_t count),
		       void *tell_arg);
	/*
	 * At the first SIGINT, SIGTERM or SIGHUP of a live run: end what feeds it.  True: the
	 * events will come to their end by themselves, and the run goes on until then.  False, or
	 * NULL: the run ends after the current event.  SIGHUP is left alone where this is NULL.
	 */
	bool (*halt)(void *arg);
	/*
	 * States (zedperl --map, --reduce).  MAPS: after the events, in place of trace_end,
	 * STATE is given the script's state, BODY, the members of a JSON object without its
	 * braces; WITH is what states that are merged must have in common besides the script:
	 * its options.
	 *
	 * REDUCES: there is no input.  NEXT_STATE gives the members of one state after another;
	 * NULL: no more, or *FAILED: something is wrong, which was said.  What makes no sense is
	 * told to BAD_STATE, and ends the run.
	 */
	bool maps, reduces;
	void (*state)(void *arg, const char *with, const char *body, size_t len);
	const char *(*next_state)(void *arg, const char *with, size_t *len, bool *failed);
	void (*bad_state)(void *arg, const char *why);
	/* What tells the trace of the input S from all others: a word of at most 80 bytes. */
	void (*identity)(void *arg, struct source *s, char *out, size_t size);
	/* Pieces of the inputs that could not be read, until now. */
	uint64_t (*damage)(void *arg);
	/* Which part of the trace is asked for. */
	void (*asked)(void *arg, struct asked *out);
	/* Of a part: trace_lost is told of losses outside, too, as where handlers follow states. */
	bool losses_beyond;
	/* When the first and the last event of the run happened.  False: there was none. */
	bool (*seen)(void *arg, uint64_t *first, uint64_t *last);
};

#endif
