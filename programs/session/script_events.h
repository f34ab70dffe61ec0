/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_SCRIPT_EVENTS_H
#define ZED_PROGRAMS_SESSION_SCRIPT_EVENTS_H

#include "programs/event_names.h"

/*
 * Which events a Perl script is for, from its text (it is not run): the words of its lines
 *
 *	# zedtrace: sched block:block_rq_*
 *
 * or, where it has none, the events whose handlers it defines ("sub sched::sched_switch" gives
 * "sched:sched_switch") and those that stand as a string right behind Zed::on, or behind an on that
 * it imports from Zed, or behind Zed::count and its kind. POD, comments, strings, here-documents
 * and what follows __END__ or __DATA__ are not looked at.
 */
#define SCRIPT_MAX (16u << 20) /* bytes of a script that are read */

/*
 * Add the script's events to WORDS, in its order.  What the kernel has nothing for is reported:
 * events of handlers with level OF_HANDLERS (whoever runs the script will say it too), words of
 * lines with NOTE_WARN.  Returns how many words were of use; 0 with E if none was, of which E tells
 * the first unless OF_HANDLERS did; -1 with E (ERR_USAGE) if the script names none or cannot be
 * read.
 */
int script_events(const char *path, struct event_names *words, enum note_level of_handlers,
		  struct notes *n, struct err *e);

/* The same of the LEN bytes of TEXT, which messages call NAME. */
int script_events_of(const char *name, const char *text, size_t len, struct event_names *words,
		     enum note_level of_handlers, struct notes *n, struct err *e);

#endif
