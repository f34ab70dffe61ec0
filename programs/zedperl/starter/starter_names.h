/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_NAMES_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_NAMES_H

#include "trace/event.h"

#define NAME_SIZE 256 /* of one word, with its NUL; longer names are cut */

/* The name of an event's handler: "sched", "sched::sched_switch". */
struct called {
	char package[NAME_SIZE], sub[2 * NAME_SIZE + 8];
	bool on; /* for Zed::on: a sub of that name would not be a handler, or perl would call it */
	bool declared; /* the script has to declare that it is a handler */
};

void starter_called(const struct etype *t, struct called *c);

/*
 * The variables of T's handler, without '$': the NLEAD of every event, then one for each of its own
 * fields, all different.  NAMES has room for them; returns how many.
 */
unsigned starter_variables(const struct etype *t, const char *const *lead, unsigned nlead,
			   char (*names)[NAME_SIZE]);

/* Does T have two fields of one name, which differ only in their position? */
bool starter_has_twins(const struct etype *t);

#endif
