/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_FOREIGN_H
#define ZED_PROGRAMS_FOREIGN_H

/*
 * Words of users of other tools: what to use here.  All texts are constant and say
 * what to write instead.
 */

/* Our long option for what is called NAME elsewhere; NULL: unknown. */
const char *foreign_option(const char *name);

/* What to do instead of --NAME of PROG; NULL: unknown. */
const char *foreign_long(const char *prog, const char *name);

/* What to do instead of -LETTER of PROG; NULL: unknown. */
const char *foreign_letter(const char *prog, int letter);

/* What to write instead of WORD, a command of trace-cmd or perf; NULL: it is not one. */
const char *foreign_command(const char *word);

#endif
