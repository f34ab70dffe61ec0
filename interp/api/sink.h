/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_SINK_H
#define ZED_INTERP_API_SINK_H

#include "base/mem.h"
#include "interp/api/host.h"
#include "interp/bind/bind.h"
#include "interp/perl/interp.h"

/* The sink that perlsink.c runs, as the functions of Zed see it. */
enum run_phase { PHASE_LOAD, PHASE_BEGIN, PHASE_EVENTS, PHASE_END, PHASE_OVER };

/* What is not there to be counted. */
struct losses {
	uint64_t events; /* that the kernel counted */
	uint64_t places; /* where it only said that there were some */
};

struct perlsink {
	struct sink sink;
	PerlInterpreter *perl;
	struct interp *in;
	struct perlsink_opts o;
	struct bind bind;
	struct arg_state args;
	enum run_phase phase;

	/*
	 * The event in flight, which a death may interrupt and run_events() goes on with:
	 *
	 *			ev, seen    calling    next          lost_told  rejected
	 *	outside		NULL        -          NULL          -          -
	 *	came, losses	the record  -          all           false      false
	 *	only losses	the record  -          NULL          false      true
	 *	trace_lost ran	the record  -          all (or NULL) true       as it was
	 *	in a call	seen: what  the one    those behind  true or    false
	 *			it is given            it            no losses
	 *	done		the record  the last   NULL          true or no losses
	 */
	const struct event *ev;	       /* the current record, NULL outside of events */
	const struct event *seen;      /* as the sub sees it: a stable event's, or the record */
	const struct binding *calling; /* the last one that was called for it */
	struct binding *next;	       /* calls of it that are still to be made */
	bool lost_told;		       /* trace_lost was called for it */
	bool rejected;		       /* the filter has no use for it: only its losses count */
	const char *sub;	       /* the sub that is being called, for messages; NULL: none */
	char sub_name[512];

	bool have_base;
	bool stop;   /* Zed::stop, or a signal */
	bool halted; /* a signal has ended what feeds the run */
	int signal;
	struct err err;
	enum run_end end;
	uint64_t deaths;
	struct losses lost; /* until now */

	char *gone;   /* an aggregation that ended before the first event: its place; or NULL */
	bool counted; /* the run has come to its events and its trace_end */

	UNOP entersub;		     /* what calls handlers */
	struct api_numbers *numbers; /* trace.c's own: what numbers are called; or NULL */
	struct api_texts *texts;     /* text.c's own: text engine, tables of names; or NULL */
	struct timeline *timeline;   /* Zed::timeline's, of all events; or NULL */
};

/* Define the functions of Zed (api.h) and what of it is Perl; catch signals. */
void api_boot(pTHX_ struct perlsink *ps);
/* aggregate.c: print the aggregations that no variable holds. */
void api_print_kept(pTHX);
void api_free(struct perlsink *ps);	  /* text.c */
void api_trace_free(struct perlsink *ps); /* trace.c */

#endif
