/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_SCRIPT_HOST_H
#define ZED_PROGRAMS_SCRIPT_SCRIPT_HOST_H

#include "interp/common/host.h"
#include "programs/script/script_options.h"

/*
 * The run of a script over the open inputs, in whatever language: what interp gets from the program
 * for it, and what is said of its end.  cli.script has the words of the command line.
 */

/*
 * Before cli_open(): of a live run, make the session's place among the inputs, and fork for the
 * command.  0, or the exit status.
 */
int script_prepare(struct cli *c, enum script_language language);

/*
 * Does any of C's open inputs have events?  The output of a latency tracer is text, without events
 * for a script: then that is reported.
 */
bool script_has_events(struct cli *c);

/*
 * O gets what all languages need: the inputs, the choice of events, messages, the beginning of a
 * live run.  Borrows C.  What belongs to one program alone, its caller adds.
 */
void script_host_opts(struct cli *c, struct host_opts *o);

/* host_opts.start, ARG being the struct cli: switches live tracing on. */
struct stage *script_start(void *arg, struct err *e);

/* Before the script is compiled: a trace on standard input is not for the script to read. */
void script_leave_stdin(const struct cli *c);

/* The limits of a live run (-d, its command) end the pump's. */
void script_watch_end(struct cli *c);

/* ---- the end ---- */

/* Has the reader of our output exited?  Not an error. */
bool script_stdout_closed(void);

/* Has a signal ended the run before the end of the inputs, and not the script? */
bool script_interrupted(const struct script_result *r);

/* ... then: that the results are of a part, and of which. */
void script_say_interrupted(struct cli *c);

/*
 * Report how the run ended; the exit status: the script's own if it has one.  VERB: what happened
 * to the calls that keep_going has ended, "died".
 */
int script_status(struct cli *c, struct script_result *r, const char *verb);

/* The script's output could not be written: STATUS, or CLI_DAMAGE. */
int script_unwritten(struct cli *c, int error, int status);

/*
 * Live: remove the session and wait for the command; the exit status, STATUS, or the command's
 * unless STATUS is the script's OWN.  R NULL: the run did not begin.
 */
int script_live_end(struct cli *c, const struct script_result *r, int status, bool own);

#endif
