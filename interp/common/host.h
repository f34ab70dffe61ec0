/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_COMMON_HOST_H
#define ZED_INTERP_COMMON_HOST_H

#include "analysis/metrics/metrics.h"
#include "run/filter/filter.h"
#include "run/pump.h"
#include "run/synthetic/synthetic.h"

/*
 * What the program provides for a script's run, in any language: the run over the inputs, the
 * options, and messages; and what it gets back.
 */

/* What a message about a state begins with that is left out: see next_state. */
#define STATE_LEFT_OUT '\1'

/* The calling convention of subs that take all fields of their event. */
enum host_args {
	ARGS_AS_SCRIPT, /* decided by the script: perf's if it loads perf's modules */
	ARGS_ZED,
	ARGS_PERF,
};

/* The user's choice of events.  Texts and numbers are borrowed. */
struct asked {
	uint64_t start, end;	     /* ns, as events have them; 0 and UINT64_MAX: open */
	bool part;		     /* --part: END is where the next one begins, exclusive ... */
	bool last;		     /* ... unless it is the last; without parts it is inclusive */
	uint64_t all_start, all_end; /* the time of all parts */
	bool head;		     /* the first events only */
	bool tail;		     /* the last events only: host_opts.tail_begin */
	const char *starves;	     /* an option that leaves out kinds of events, or NULL */
	const struct filter *filter; /* CPUs and pids */
};

struct host_opts {
	struct pump *run; /* borrowed; its opts.stop is interp_pending(), its opts.asks is set */
	bool alone;	  /* no input is open, so there are no events */
	const struct stable *stable; /* the stable events, borrowed */
	struct synthetic *synthetic; /* where the script's are added, borrowed */
	struct metrics *metrics;     /* where the script's are added, borrowed */
	struct notes *notes;
	enum host_args args;
	struct asked asked;
	/*
	 * Of a part of the time: trace_lost also gets losses outside of it, as if handlers follow
	 * states, and losses at unknown times.  Zed::Asked sets it.
	 */
	bool losses_beyond;
	bool follows;	  /* the answer has states that begin with the first event: Zed::Report */
	bool keep_going;  /* a death in a handler only ends that call */
	uint64_t every;	  /* ns between calls of trace_interval; 0: none ... */
	bool every_total; /* ... at which aggregations are printed, and continue */
	void *arg;	  /* argument of all that follow */
	/* Print a message of our own, one line. */
	void (*say)(void *arg, const char *text);
	/* Something else is about to write to the terminal. */
	void (*clear)(void *arg);
	/* Only some types are needed (one byte per type idx; NULL: all). */
	void (*want)(void *arg, const uint8_t *want);
	/*
	 * After trace_begin, before the first event: returns the stage that gives the events, the
	 * run's own or one after it.  NULL with E.
	 */
	struct stage *(*start)(void *arg, struct err *e);
	/* --tail: the time of the first event that was given; UINT64_MAX: none was yet. */
	uint64_t (*tail_begin)(void *arg);
	/*
	 * Zed::keep: keep the events from FROM to TO, in times of events.  NULL: there is no file
	 * for them.
	 */
	void (*keep)(void *arg, uint64_t from, uint64_t to);
	/*
	 * Zed::_again: the words by which another process of this program reads the same events,
	 * up to a script; ends with NULL, all to be freed.  NULL with E: that cannot be.
	 */
	char **(*again)(void *arg, struct err *e);
	/*
	 * Zed::snapshot: write the kept events of a live run to NAME (NULL: a free name); PATH gets
	 * the name.  -1 with E.  NULL: none are kept.
	 */
	int (*snapshot)(void *arg, const char *name, char *path, size_t size, struct err *e);
	/*
	 * States (zedperl --map, --reduce).  MAPS: after the events, in place of trace_end,
	 * STATE is given the script's state, BODY, the members of a JSON object without its
	 * braces; WITH is what states must have in common to be merged, besides the script: its
	 * options.
	 *
	 * REDUCES: there is no input.  NEXT_STATE gives the members of one state after another;
	 * NULL: no more, or *FAILED: an error, which was reported.  BAD, if not NULL, says why the
	 * last one is invalid, which ends the run: NULL; after STATE_LEFT_OUT, why it alone is
	 * left out.
	 */
	bool maps, reduces;
	void (*state)(void *arg, const char *with, const char *body, size_t len);
	const char *(*next_state)(void *arg, const char *with, const char *bad, size_t *len,
				  bool *failed);
	/* The identity of the trace of the input S: a word of at most 80 bytes. */
	void (*identity)(void *arg, struct source *s, char *out, size_t size);
};

/* How a script's run ended. */
struct script_result {
	enum run_end end; /* how the reading ended; RUN_FAILED: err says why */
	struct err err;
	int status;	 /* the script's own exit status, or -1: it has none */
	int signal;	 /* the signal that ended the run, or 0 */
	bool halted;	 /* a signal has ended its sources (live): pump_halt() */
	bool says_cut;	 /* the answer says itself that it is of the part that was read */
	bool forked;	 /* a child forked by the script: ends with status, without messages */
	bool told;	 /* the state was passed to opts.state */
	uint64_t deaths; /* handlers that died and were skipped (keep_going) */
};

#endif
