/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_STOP_H
#define ZED_PROGRAMS_STOP_H

/* 0, or the number of the signal that asked for the end.  pump stops when it is set. */
extern volatile int cli_stop;

/*
 * Incremented by whatever is still active after a request to stop (the run, tables being written,
 * jobs that end): while it increases, the end is waited for.
 */
extern volatile unsigned cli_beat;

/*
 * SIGINT and SIGTERM set cli_stop; the second one kills.  The first one lets a live input come to
 * its own end (pump_halt).  Call it once the inputs are open: reading a pipe continues after a
 * signal.  (zedperl has handlers of its own in %SIG.)
 */
void cli_catch(void);

/*
 * What is left to do is bounded (a folder is removed), but may wait for a disk: from here on a
 * signal's end is waited for without a beat.
 */
void cli_ending(void);

#endif
