/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_PUMP_PRIV_H
#define ZED_RUN_PUMP_PRIV_H

#include "run/pump.h"

/* What the files of the run (pump.c, inputs.c, comparable.c, pause.c) share. */

/* ---- inputs.c ---- */

/* Before the first event: everything that is open goes into the merge. */
void inputs_start(struct pump *p);

/*
 * What is taken in any order comes from the streams themselves, without the merge; unless events
 * have to pass a filter, or the first one says what is taken off all times.
 */
void inputs_offer_early(struct pump *p);

/* Has a source come meanwhile?  It is entered by inputs_enter_late(), unless it is refused. */
bool inputs_see(struct pump *p);
void inputs_enter_late(struct pump *p);

void inputs_close(struct pump *p);

/* ---- comparable.c ---- */

/*
 * Has S the clock of P's sources?  -1 with E: it has another, and the merge is not forced, in which
 * case that is said.
 */
int comparable_clock(const struct pump *p, const struct source *s, struct err *e);

/* Say it if the instances of S have several clocks. */
void comparable_instances(const struct pump *p, const struct source *s);

/* Say it, once, if P's sources are of several machines, or of several recordings of one. */
void comparable_machines(const struct pump *p);

/* ---- pause.c ---- */

/* Before the first event. */
void pause_start(struct pump *p);

/* As many events as were to come before something is looked at: P->until is the next number. */
void pause_events(struct pump *p);

/* Is it over?  And the guest's turn; from now on the time to the next look is counted. */
void pause_look(struct pump *p);

/* The same if it is time: nothing that is given has come for a while. */
void pause_look_if_due(struct pump *p);

void pause_progress(struct pump *p);

/* Nothing can go out: say which source that waits for, once it lasts, and once until it moves. */
void pause_say_stall(struct pump *p);

/* Live: nothing to do until something comes. */
void pause_wait(struct pump *p);

#endif
