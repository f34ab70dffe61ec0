/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_SCRIPT_NAMES_H
#define ZED_PROGRAMS_SESSION_SCRIPT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The names of events that the text of a script has, as they are written there. */

struct found_names {
	char **v; /* each once, in the order of the text */
	unsigned n;
	size_t cap;
};

void found_add(struct found_names *l, const char *s, size_t len);
void found_fini(struct found_names *l);

/*
 * Add the words between P and END, what follows a '#', if that is "zedtrace: WORDS".  False: it is
 * not.
 */
bool found_line(struct found_names *l, const char *p, const char *end);

struct script_names {
	struct found_names lines;    /* of its lines "# zedtrace:" */
	struct found_names handlers; /* of what handles events, or aggregates them */
};

/*
 * Of the LEN bytes of a Python script: functions of its own called SYSTEM__EVENT, the events given
 * as a string to zed.on, zed.count and the like (also by a name that was imported from zed), and
 * those that zed.synthetic makes others from.  Strings, comments and what is indented (methods,
 * functions within functions) define no handlers.
 */
void python_names(struct script_names *s, const char *text, size_t len);

#endif
