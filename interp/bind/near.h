/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_NEAR_H
#define ZED_INTERP_BIND_NEAR_H

#include "interp/bind/bind.h"

/* For "did you mean": for messages only, a name that is merely near is never bound. */

/* Is NAME a slip for OTHER, and not a different word that looks like it? */
bool near_is_slip(const char *name, const char *other);

/*
 * Is NAME ("sched_switch") the sub of an event, including stable ones, of the system called SYSTEM
 * in the trace?
 */
bool near_is_event(const struct bind *b, const char *system, const char *name);

/*
 * The event with a name near NAME, into BUF: of the system called SYSTEM in the trace, as
 * "sched_switch"; with SYSTEM NULL of all systems, as "sched::sched_switch".  False: none, or NAME
 * is an event.
 */
bool near_event(const struct bind *b, const char *system, const char *name, char *buf, size_t size);

/* The package of a system with a name near PACKAGE; NULL: none.  Owned by B. */
const char *near_system(const struct bind *b, const char *package);

#endif
