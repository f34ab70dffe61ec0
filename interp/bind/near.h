/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_NEAR_H
#define ZED_INTERP_BIND_NEAR_H

#include "interp/bind/bind.h"

/* For "did you mean": messages only, nothing is ever bound to a name that is merely near. */

/* Is NAME the OTHER but for a slip, and not another word that is like it? */
bool near_is_slip(const char *name, const char *other);

/*
 * Is NAME ("sched_switch") the sub of an event, stable ones included, of the system that the trace
 * calls SYSTEM?
 */
bool near_is_event(const struct bind *b, const char *system, const char *name);

/*
 * The event that NAME is nearly, into BUF: of the system that the trace calls SYSTEM, as
 * "sched_switch"; with SYSTEM NULL of all, as "sched::sched_switch".  False: none, or it is one.
 */
bool near_event(const struct bind *b, const char *system, const char *name, char *buf, size_t size);

/* The package of a system that PACKAGE is nearly; NULL: none.  B's own. */
const char *near_system(const struct bind *b, const char *package);

#endif
