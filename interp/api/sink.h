/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_SINK_H
#define ZED_INTERP_API_SINK_H

#include "base/mem.h"
#include "interp/bind/bind.h"
#include "interp/common/beyond.h"
#include "interp/common/host.h"
#include "interp/common/interval_time.h"
#include "interp/perl/interp.h"
#include "trace/loss.h"

/* The run of a script, as the functions of Zed see it. */
enum run_phase { PHASE_LOAD, PHASE_BEGIN, PHASE_EVENTS, PHASE_END, PHASE_OVER };

/*
 * The Perl side of one run.  Many members: the current event, the interval and the results have one
 * lifetime, and a call into Perl, which may die, needs all of them.
 */
struct perlsink {
	PerlInterpreter *perl;
	struct interp *in;
	struct host_opts o;
	struct bind bind;
	struct arg_state args;
	enum run_phase phase;

	/* Where events come from, set before the first; the last item, and its kind. */
	struct stage *from;
	struct item item;
	enum next got;
	bool again; /* calls come before the item itself: it is still to be given */

	/*
	 * The current event, which a death may interrupt and delivery_run() continues with:
	 *
	 *			ev, seen    calling    next          lost_told
	 *	outside		NULL        -          NULL          -
	 *	came, losses	the record  -          all           false
	 *	only losses	the record  -          NULL          false
	 *	trace_lost ran	the record  -          all (or NULL) true
	 *	in a call	seen: what  the one    those after   true or
	 *			it is given            it            no losses
	 *	done		the record  the last   NULL          true or no losses
	 */
	const struct event *ev;	       /* the current record, NULL outside of events */
	const struct event *seen;      /* as the sub sees it: a stable event's, or the record */
	const struct binding *calling; /* the last call made for it */
	struct binding *next;	       /* the calls still to be made for it */
	bool lost_told;		       /* trace_lost was called for it */
	const char *sub;	       /* the sub that is being called, for messages; NULL: none */
	char sub_name[512];

	uint64_t due; /* Zed::when: the next one, as times are shown; UINT64_MAX: none */
	bool stacks;  /* streams look for them */
	struct interval interval;
	bool have_base;
	bool stop;   /* ended by Zed::stop, or a signal */
	bool died;   /* ended by a death */
	bool halted; /* a signal has ended what feeds the run */
	int signal;
	struct err err;
	enum run_end end;
	uint64_t deaths;
	struct losses lost; /* until now */
	struct beyond beyond;
	bool says_cut; /* the answer says that it is of the part that was read */
	/* A loss without a place that is reported, of the input lost_source; or NULL. */
	const struct losses_rest *rest;
	unsigned lost_source;
	struct poll_hook hook; /* live: looks whether there are some */

	char *gone;   /* an aggregation that ended before the first event: its place; or NULL */
	bool counted; /* the events and trace_end have run */

	bool in_ticks; /* times are ticks, though no input shows it: of states, of other runs */

	UNOP entersub;		       /* what calls handlers */
	struct number_tables *numbers; /* number_names.c's, or NULL */
	struct api_texts *texts;   /* event_text.c's own: text engine, tables of names; or NULL */
	struct timeline *timeline; /* Zed::timeline's, of all events; or NULL */
	bool timeline_follows;	   /* it needs events that were not chosen */
};

/* Define the functions of Zed (api.h) and its Perl part; catch signals. */
void api_boot(pTHX_ struct perlsink *ps);
/*
 * event.c: does any code compiled so far call Zed::stack, or could it?  (A call by a name in a
 * string cannot be seen.)
 */
bool api_asks_stack(pTHX);
/* aggregations.c: print the aggregations that no variable holds. */
void api_print_kept(pTHX);
/* fleet.c: under the guard, pass the run's state to opts.state; merge those of opts.next_state. */
void api_fleet_state(pTHX_ struct perlsink *ps);
void api_fleet_merge(pTHX_ struct perlsink *ps);
const char *api_fleet_crowded(pTHX_ const struct perlsink *ps, unsigned parts);
/* run_control.c: make the calls of Zed::when due up to TS, a time as shown. */
void api_due(pTHX_ uint64_t ts);
void api_free(struct perlsink *ps); /* event_text.c */

#endif
