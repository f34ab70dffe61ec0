/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_INTERP_H
#define ZED_INTERP_PERL_INTERP_H

#include <stdbool.h>

/*
 * The embedded perl: start, load a script, run C code that calls Perl under a guard, end.  One per
 * process.  This header does not need perl.h, so that the main program can include it.
 */
struct interp {
	void *perl; /* PerlInterpreter *, for pTHX */
	/*
	 * Not 0: check the flags below before the next event.  Set by what can happen inside of any
	 * Perl code.  Signal handlers of perl are deferred, so no volatile is needed.
	 */
	unsigned attention;
	void (*fn)(void *arg); /* what the guard runs */
	void *fn_arg;
	bool returned;	  /* fn has returned */
	void *runner;	  /* CV *, the XSUB that calls fn */
	void *death;	  /* SV *, the message being printed */
	bool names_evals; /* the current eval is made to name its file */
	void (*boot)(struct interp *in, void *arg);
	void *boot_arg;
	/*
	 * NAME ("Perf/Trace/Core.pm") is about to be required: if it is built in, compile it and
	 * put it into %INC, whatever @INC says.  May die.  NULL: nothing is built in.
	 */
	void (*required)(struct interp *in, const char *name);
};

#define INTERP_FORKED 1 /* this process is a child that the script made by fork */
#define INTERP_SUBS 2	/* the script may have defined a sub */
#define INTERP_STOP 4	/* the owner's: the run shall end */
#define INTERP_LOSSES 8 /* the owner's: losses without a place are to be told */

enum interp_how {
	INTERP_OK,
	INTERP_DIED,	   /* the message is in $@, see interp_say_death() */
	INTERP_UNCOMPILED, /* from interp_load(): the same, for a script that does not compile */
	INTERP_EXITED,	   /* exit() was called; interp_status() has its status */
};

/* Make the interpreter.  The process' SIGFPE and LC_NUMERIC stay as they are. */
struct interp *interp_new(int *argc, char ***argv, char ***env);

/*
 * Parse the script that ARGV names, as perl's own command line does (switches, then -e or a
 * file), and run its main program.  BOOT is called when XSUBs can be defined, before any of the
 * script is compiled.  A death has been reported when this returns INTERP_DIED or
 * INTERP_UNCOMPILED.
 */
enum interp_how interp_load(struct interp *in, int argc, char **argv,
			    void (*boot)(struct interp *in, void *arg), void *arg);

/*
 * Call FN(ARG), which may call Perl; a die or an exit in it returns here by longjmp, so FN and what
 * it calls must own nothing on their C stacks.  Not to be nested.
 */
enum interp_how interp_guard(struct interp *in, void (*fn)(void *arg), void *arg);

/* Write $@ to stderr as perl does for an uncaught death. */
void interp_say_death(struct interp *in);

/* The text of $@, valid until Perl runs again; "" if it is an object. */
const char *interp_death(struct interp *in);

/* The exit status that the script asked for (after INTERP_EXITED). */
int interp_status(struct interp *in);

/*
 * What perl's pending signals set: not 0: a Perl signal handler is pending.  See
 * interp_signals().
 */
volatile const int *interp_pending(struct interp *in);

/* Run pending signal handlers.  Under the guard. */
void interp_signals(struct interp *in);

/* Flush the script's STDOUT and STDERR. -1: STDOUT could not be written, errno says why. */
int interp_flush(struct interp *in);

/*
 * End: END blocks (which get STATUS in $? and may change it), destructors, flush.  Frees IN.
 * Returns the exit status.
 */
int interp_end(struct interp *in, int status);

/* After interp_load(): the I-th word that the script left in @ARGV; NULL: no more. */
const char *interp_argument(struct interp *in, unsigned i);

/* "libperl v5.36.0" into BUF; returns BUF. */
const char *interp_version(char *buf, unsigned size);

#endif
