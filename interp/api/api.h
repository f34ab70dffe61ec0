/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_API_API_H
#define ZED_INTERP_API_API_H

#include "interp/api/sink.h"

/*
 * The functions of the module Zed that are written in C, by subject.  A new one is an
 * XS_INTERNAL in one of these files and a line in the table at its end:
 *
 *	event.c	the current event: time, CPU, task, its fields
 *	event_text.c	values as text: the event as text, symbols, names of tasks and flags
 *	trace.c	the trace and its machine: when it begins and ends, its CPUs
 *	asked.c	the user's choice of events
 *	time_units.c	the clock: ns or ticks; durations
 *	number_names.c	names of system calls, errors, devices
 *	losses.c	losses that are not placed yet, or have no place
 *	run_control.c	the trace and the run: which events there are, stopping, signals
 *	on.c	handlers: Zed::on, off, takes, handlers
 *	aggregations.c	counting without a call: Zed::count and its kind
 *	answers.c	their results: Zed::Aggregate; handle.h: its object
 *	synthetic_object.c	Zed::synthetic and its object
 *	html_parts.c	Zed::page_part: the parts of a page; Zed::timeline and its object
 *	fleet.c	Zed::Fleet: states of whole runs, and merging them
 *	perf_modules.c	Perf::Trace::Core, ::Context and ::Util, for perf's scripts
 */
struct api_sub {
	const char *name; /* "Zed::ts" */
	XSUBADDR_t fn;
};

/* Each ends with a NULL. */
extern const struct api_sub API_EVENT[], API_TEXT[], API_TRACE[], API_ASKED[], API_CLOCK[],
	API_NUMBERS[], API_LOSSES[], API_RUN[], API_ON[], API_AGGREGATE[], API_ANSWERS[],
	API_SYNTHETIC[], API_PAGE[], API_PERF[], API_FLEET[];

/* Define the subs from SUB on, up to the one without a name. */
void api_define(pTHX_ struct perlsink *ps, const struct api_sub *sub);

/* In an XS function: the run of the script, which api_boot() gave to each of them. */
#define SINK ((struct perlsink *)XSANY.any_ptr)

/* The current event as the sub sees it, or a croak that names Zed::FN. */
const struct event *api_current(pTHX_ struct perlsink *ps, const char *fn);

/*
 * trace.c: the input with the number SV, or, if SV is NULL or undef, that of the current event;
 * outside of events the first.  NULL: there is no such input.
 */
struct source *api_source_of(pTHX_ struct perlsink *ps, SV *sv);

/*
 * trace.c: its machine; that of the current event if it is from S: bare pages are from the machine
 * described by --meta.
 */
struct machine *api_machine_of(const struct perlsink *ps, struct source *s);

/*
 * event_text.c: the machine with the tasks of source number SOURCE; SOURCE NULL: of the current
 * event, outside of events of the first source.  NULL: there is none.
 */
struct machine *api_machine_with_tasks(pTHX_ struct perlsink *ps, SV *source);

/*
 * perf_modules.c: all of perf's scripts begin with use lib "$ENV{PERF_EXEC_PATH}/...", which perf
 * sets: it is set here too, to "" unless the user has set it.
 */
void api_perf_boot(pTHX);

/* One of perf's modules may be required, for interp.required. */
void api_perf_required(struct interp *in, const char *name);

/*
 * fleet.c: compile Zed::Fleet if states are made or merged; add OBJECT to its array LIST of objects
 * whose state is kept automatically.
 */
void api_fleet_boot(pTHX_ struct perlsink *ps);
void api_fleet_note(pTHX_ const struct perlsink *ps, const char *list, SV *object);

/* If WRONG, croak with TEXT, the usage of the function. */
void api_usage(pTHX_ bool wrong, const char *text);

/* The plain string in SV, or a croak with WHAT: also of one with a NUL, as C would cut it there. */
const char *api_string(pTHX_ SV *sv, const char *what);

/* Add the strings in AV to L, each as api_string(). */
void api_strings(pTHX_ struct arg_names *l, AV *av, const char *what);

/* The file of the running statement, "-" if it has none; owned by perl. */
const char *api_file(pTHX);

/*
 * The N arguments at FROM in an array that does not move, each held until perl's next statement.
 * Reading a tied or overloaded one runs Perl, which may move perl's stack, and drop what is on it.
 */
SV **api_args(pTHX_ SV **from, int n);

/*
 * "wake.pl line 12": the place of the statement that calls us, or, if a module Zed::... does, of
 * the one that called the module; mem_strdup()ed.
 */
char *api_place(pTHX);

/*
 * Die with E at the script's line, with WHAT before the message; an expression with its caret is
 * shown below that.
 */
__attribute__((noreturn)) void api_croak(pTHX_ const char *what, const struct err *e);

/* First in a function without arguments that is about the current event: declares PS and EV. */
#define CURRENT(fn) \
	struct perlsink *ps = SINK; \
	const struct event *ev = api_current(aTHX_ ps, fn); \
	api_usage(aTHX_ items != 0, "Zed::" fn "()")

/* Return SV, whose reference count of 1 passes to perl.  Making it may run Perl. */
#define RETURN_SV(sv) \
	do { \
		SV *returned = (sv); \
		ST(0) = sv_2mortal(returned); \
		XSRETURN(1); \
	} while (0)

#endif
