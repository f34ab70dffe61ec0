/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERLSINK_H
#define ZED_INTERP_PERLSINK_H

#include "interp/perl/interp.h"
#include "reader/model/catalog.h"
#include "reader/model/sink.h"
#include "reader/synthetic/synthetic.h"

/*
 * The sink that calls the script's subs, and the run around it: trace_begin, events, trace_end,
 * and every way in which a script can end that.  This header needs no perl.h.
 */
struct perlsink;

enum period_of {
	PERIOD_ALL = -1,       /* all inputs */
	PERIOD_WINDOW = -2,    /* what all CPUs have data for */
	PERIOD_NONE_SUCH = -3, /* an input that there is not */
};

struct perlsink_opts {
	struct catalog *catalog;
	const struct stable *stable; /* the stable events, borrowed */
	struct synthetic *synthetic; /* where the script's go, borrowed */
	struct notes *notes;
	bool keep_going; /* a death in a handler costs that call only */
	void *arg;
	/* An input by its number from 0; NULL: there is none of that number. */
	struct source *(*source)(void *arg, unsigned number);
	/*
	 * When the records of an input happened, or of what enum period_of says (period.h).  False:
	 * it is read as it comes, or there is no such input.
	 */
	bool (*period)(void *arg, int which, struct period *out);
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
	 * Give S the events, from where the last call left off.  Returns RUN_SIGNALLED when
	 * interp_pending() is set, which the owner has to look at between events.
	 */
	enum run_end (*events)(void *arg, struct sink *s, struct err *e);
	/*
	 * After the last event: losses that only the recorder's statistics know; call TELL for
	 * each CPU that has some.  May be NULL.
	 */
	void (*losses)(void *arg, void (*tell)(void *tell_arg, int cpu, uint64_t count),
		       void *tell_arg);
	/*
	 * At the first SIGINT, SIGTERM or SIGHUP of a live run: end what feeds it.  True: events()
	 * will come to its end by itself, and the run goes on until then.  False, or NULL: the run
	 * ends after the current event.  SIGHUP is left alone where this is NULL.
	 */
	bool (*halt)(void *arg);
};

struct perlsink_result {
	enum run_end end; /* how the reading ended; RUN_FAILED: err says why */
	struct err err;
	int status;	 /* the script's own exit status, or -1: it has none */
	int signal;	 /* the signal that ended the run, or 0 */
	bool forked;	 /* a child that the script made: ends with status, says nothing */
	uint64_t deaths; /* handlers that died and were passed over (keep_going) */
};

struct perlsink *perlsink_new(struct interp *in, const struct perlsink_opts *o);

/* For interp_load: defines the Zed module and the stop handlers.  ARG is the perlsink. */
void perlsink_boot(struct interp *in, void *arg);

/* The whole run. */
void perlsink_run(struct perlsink *ps, struct perlsink_result *r);

/*
 * Free; before = true: what holds Perl values, before interp_end(); then, after it, before =
 * false: the rest.
 */
void perlsink_free(struct perlsink *ps, bool before);

#endif
