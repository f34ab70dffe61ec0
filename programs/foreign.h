/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_FOREIGN_H
#define ZED_PROGRAMS_FOREIGN_H

/*
 * Words that users of other tools type: what stands for them here.  All texts are constant and say
 * what to write instead.
 */

/* The long option that is called NAME elsewhere; NULL: none is known. */
const char *foreign_option(const char *name);

/* What to do without --NAME of PROG; NULL: nothing is known of it. */
const char *foreign_long(const char *prog, const char *name);

/* What to do without -LETTER of PROG; NULL: nothing is known of it. */
const char *foreign_letter(const char *prog, int letter);

/* What to write instead of WORD, a command of trace-cmd or perf; NULL: it is none. */
const char *foreign_command(const char *word);

#endif
