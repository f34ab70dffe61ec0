/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_PUMP_PRIV_H
#define ZED_RUN_PUMP_PRIV_H

#include "run/pump.h"

/* What the files of the run (pump.c, inputs.c, comparable.c, pause.c, stall.c) share. */

/* ---- inputs.c ---- */

/* Before the first event: everything that is open goes into the merge. */
void inputs_start(struct pump *p);

/*
 * Events that are taken in any order come from the streams themselves, without the merge; unless
 * events have to pass a filter, or the first one decides what is subtracted from all times.
 */
void inputs_offer_early(struct pump *p);

/* Has a new source come?  It is entered by inputs_enter_late(), unless it is refused. */
bool inputs_see(struct pump *p);
void inputs_enter_late(struct pump *p);

void inputs_close(struct pump *p);

/* ---- comparable.c ---- */

/*
 * Does S have the clock of P's sources?  -1 with E: it has another, and the merge is not forced; if
 * it is forced, this is only reported.
 */
int comparable_clock(const struct pump *p, const struct source *s, struct err *e);

/* Report it if the instances of S have different clocks. */
void comparable_instances(const struct pump *p, const struct source *s);

/* Report, once, if P's sources are from several machines, or from several recordings of one. */
void comparable_machines(const struct pump *p);

/* ---- pause.c ---- */

/* Before the first event. */
void pause_start(struct pump *p);

/* The planned number of events before a check has passed: sets P->until for the next one. */
void pause_events(struct pump *p);

/* Has the run ended?  Also calls the hook; the time to the next check begins now. */
void pause_look(struct pump *p);

/* The same, if it is due, when no event has been given for a while. */
void pause_look_if_due(struct pump *p);

void pause_progress(struct pump *p);

/* Live: nothing to do until something comes. */
void pause_wait(struct pump *p);

/* ---- stall.c ---- */

/*
 * Nothing can go out: report the sources that the others wait for, once that lasts, and once until
 * they move.  True: the others continue without one, so that something may go out now.
 */
bool stall_look(struct pump *p);

/* How long (ms) until the others are to continue without a source; -1: nothing is due. */
int stall_left_ms(const struct pump *p);

#endif
