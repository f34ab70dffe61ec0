/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SESSION_SCRIPT_EVENTS_H
#define ZED_PROGRAMS_SESSION_SCRIPT_EVENTS_H

#include "programs/event_names.h"

/*
 * Which events a script is for, from its text (it is not run): the words of its lines
 *
 *	# zedtrace: sched block:block_rq_*
 *
 * or, if it has none, of a Perl script the events whose handlers it defines ("sub
 * sched::sched_switch" gives "sched:sched_switch") and those given as a string directly after
 * Zed::on, or after an `on` that it imports from Zed, or after Zed::count and its kind.  POD,
 * comments, strings, here-documents and what follows __END__ or __DATA__ are skipped.  Of a Python
 * script: script_names.h.
 */
enum script_language {
	SCRIPT_ANY, /* as its name or its first line says */
	SCRIPT_PERL,
	SCRIPT_PYTHON,
};

#define SCRIPT_MAX (16u << 20) /* bytes of a script that are read */

/*
 * Add the script's events to WORDS, in its order.  Events that the kernel does not have are
 * reported: those of handlers with level OF_HANDLERS (the run of the script will report them too),
 * words of lines with NOTE_WARN.  Returns how many words could be used; 0 with E if none could,
 * where E has the first one unless OF_HANDLERS reported it; -1 with E (ERR_USAGE) if the script
 * names none or cannot be read.
 */
int script_events(enum script_language language, const char *path, struct event_names *words,
		  enum note_level of_handlers, struct notes *n, struct err *e);

/* The same for the LEN bytes of TEXT, called NAME in messages. */
int script_events_of(enum script_language language, const char *name, const char *text, size_t len,
		     struct event_names *words, enum note_level of_handlers, struct notes *n,
		     struct err *e);

#endif
