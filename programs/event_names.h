/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_EVENT_NAMES_H
#define ZED_PROGRAMS_EVENT_NAMES_H

#include "kernel/event_list.h"
#include "stable/catalogue.h"

/*
 * The words by which users and scripts name events of the running kernel, as patterns that
 * session_open() takes.  A word that tracefs_match() knows stays as it is; else it may be the full
 * name of a stable event ("sched:switch", "sched::switch"): then it means the raw events that this
 * kernel has for it, the first alternative of each of its "from" lines.
 */
struct event_names {
	char **v; /* the patterns, each once, in the order of the words */
	unsigned n;
	size_t cap;
	bool markers; /* ftrace:print or ftrace:raw_data: what is written to trace_marker */
	bool printk;  /* ftrace:bprint, ftrace:bputs: the kernel's own trace_printk */
	const struct stable *stable;
	struct tracefs_events kernel; /* the existing events */
};

/*
 * Find tracefs and read the events it offers.  S is borrowed.  -1 with E: nothing to be freed.
 */
int event_names_init(struct event_names *w, const struct stable *s, struct err *e);

/*
 * Add the events of WORD.  -1 with E (ERR_USAGE): there are none; E says what is missing, or the
 * nearest name.
 */
int event_names_add(struct event_names *w, const char *word, struct err *e);

/*
 * Add the words of LIST, with commas and blanks between.  -1 with E at the first that names no
 * event, or if there are none; WHAT is the source in messages.
 */
int event_names_add_list(struct event_names *w, const char *list, const char *what, struct err *e);

/* The stable event that WORD names, unless the kernel itself has events of that name; or NULL. */
const struct stable_event *event_names_stable(const struct event_names *w, const char *word);

void event_names_fini(struct event_names *w);

#endif
