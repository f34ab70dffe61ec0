/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_HOST_H
#define ZED_INTERP_API_HOST_H

#include "analysis/metrics/metrics.h"
#include "run/filter/filter.h"
#include "run/pump.h"
#include "run/synthetic/synthetic.h"

/*
 * What a script's run is given by the program around it: the run over the inputs, what was asked
 * for, what to say.  This header needs no perl.h.
 */

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
	const struct stable *stable; /* the stable events, borrowed */
	struct synthetic *synthetic; /* where the script's go, borrowed */
	struct metrics *metrics;     /* where those of the script go, borrowed */
	struct notes *notes;
	enum perlsink_args args;
	struct asked asked;
	/* Of a part: trace_lost gets losses outside of it too, as where handlers follow states. */
	bool losses_beyond;
	bool keep_going;  /* a death in a handler costs that call only */
	uint64_t every;	  /* ns between calls of trace_interval; 0: none ... */
	bool every_total; /* ... where aggregations are printed, and go on */
	void *arg;	  /* of all that follow */
	/* Say one line of our own. */
	void (*say)(void *arg, const char *text);
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
	 * Zed::keep: the events from FROM to TO are to be kept, times as the events have them.
	 * NULL: there is no file for them.
	 */
	void (*keep)(void *arg, uint64_t from, uint64_t to);
	/*
	 * Zed::snapshot: write what is kept of a live run to NAME (NULL: a free name), which it is
	 * called into PATH.  -1 with E.  NULL: nothing is kept.
	 */
	int (*snapshot)(void *arg, const char *name, char *path, size_t size, struct err *e);
	/*
	 * States (zedperl --map, --reduce).  MAPS: after the events, in place of trace_end,
	 * STATE is given the script's state, BODY, the members of a JSON object without its
	 * braces; WITH is what states that are merged must have in common besides the script:
	 * its options.
	 *
	 * REDUCES: there is no input.  NEXT_STATE gives the members of one state after another;
	 * NULL: no more, or *FAILED: something is wrong, which was said.  BAD, if it is not NULL,
	 * says why the last one is invalid, which ends the run: NULL.
	 */
	bool maps, reduces;
	void (*state)(void *arg, const char *with, const char *body, size_t len);
	const char *(*next_state)(void *arg, const char *with, const char *bad, size_t *len,
				  bool *failed);
	/* What tells the trace of the input S from all others: a word of at most 80 bytes. */
	void (*identity)(void *arg, struct source *s, char *out, size_t size);
};

#endif
