/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_FIELDS_H
#define ZED_PROGRAMS_ZEDPERL_STARTER_STARTER_FIELDS_H

#include "programs/script/starter_events.h"
#include "trace/event.h"

#include <stdio.h>

/* "\t", LEAD, WORDS joined by commas, and END, in lines of at most 90 columns. */
void starter_wrapped(FILE *to, const char *lead, char **words, unsigned n, const char *end);

/* The NLEAD names of LEAD and those of T's own fields, as a Perl list from COLUMN on. */
void starter_field_names(const struct etype *t, const char *const *lead, unsigned nlead,
			 size_t column, FILE *to);

/*
 * "my ($cpu, ...) = @_;" and a blank line: a variable for each of LEAD and for each own field of
 * T.  Nothing if there are none.
 */
void starter_arguments(const struct etype *t, const char *const *lead, unsigned nlead, FILE *to);

/*
 * CALL, then the names and variables of T's own fields: "print_fields('comm', $comm);", or, with
 * ARROWS, "print_event(comm => $comm);".
 */
void starter_show(const struct etype *t, const char *const *lead, unsigned nlead, const char *call,
		  bool arrows, FILE *to);

/* The subs that starter_show calls in the script: flat, and in_hex, which only byte fields need. */
extern const char STARTER_FLAT[], STARTER_HEX[];

#endif
