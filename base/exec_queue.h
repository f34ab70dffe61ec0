/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_EXEC_QUEUE_H
#define ZED_BASE_EXEC_QUEUE_H

#include "base/err.h"

/*
 * Runs a program for one file after another, "PROGRAM FILE", in a thread of its own, so that its
 * caller never waits: without a shell, one at a time, in the order of the calls.
 *
 * The program runs as the real user and group, in a process group of its own (Ctrl-C at the
 * terminal is for its caller), at the priority that the caller of execqueue_new() has at that time;
 * its standard input is /dev/null, everything else is the caller's.  What goes wrong is reported to
 * the notes (NOTE_DAMAGE), also from the thread: a program that cannot be executed, that exits with
 * another status than 0 or is ended by a signal, and each file that it was not run for.
 */
struct exec_queue;

#define EXECQUEUE_MOST 64 /* files that may wait */

/* PROGRAM is looked for along PATH; borrowed, as is N.  NULL with E: there can be no thread. */
struct exec_queue *execqueue_new(const char *program, struct notes *n, struct err *e);

/* Run it for FILE, once it has run for those before.  A file too many is reported and left out. */
void execqueue_put(struct exec_queue *q, const char *file);

/* For how many files it was not run, or has failed, by now. */
unsigned execqueue_failed(struct exec_queue *q);

/*
 * Wait until it has run for all files, at most LIMIT ns; a program that still runs then is left
 * running, and is reported, as are the files that still waited.  Q may be NULL.
 */
void execqueue_end(struct exec_queue *q, uint64_t limit);

#endif
