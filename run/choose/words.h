/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_CHOOSE_WORDS_H
#define ZED_RUN_CHOOSE_WORDS_H

#include "stable/catalogue.h"

/*
 * The words by which a user chooses events of the inputs (--event), as zedtrace takes them for a
 * kernel: "sched", "sched:sched_switch" (or "::"), globs in either part, names as a Perl sub has
 * them, and the full name of a stable event, which means the raw events that it is made from.
 */
struct words;

struct words *words_new(void);
void words_free(struct words *w);

/*
 * Add the words of LIST, with commas or blanks between.  -1 with E (ERR_USAGE): one is not a name.
 */
int words_add(struct words *w, const char *list, struct err *e);

/*
 * Bind the words to the types of C and the stable events of S, both borrowed.  -1 with E
 * (ERR_USAGE): a word names nothing there; E names the nearest, or says what is missing for a
 * stable event.
 */
int words_bind(struct words *w, const struct stable *s, struct catalog *c, struct err *e);

/*
 * The same, but a word that names nothing is only reported to N, after WHAT, and selects no event.
 */
void words_bind_some(struct words *w, const struct stable *s, struct catalog *c, const char *what,
		     struct notes *n);

/* Is T named, itself or as a raw event of a stable one?  After words_bind(). */
bool words_take(const struct words *w, const struct etype *t);

/* Is T itself named? */
bool words_take_raw(const struct words *w, const struct etype *t);

/*
 * The next stable event, from the *I-th word on, that is named and made from T; *FROM gets which of
 * its lines takes T (stable_takes), *I is moved past it.  NULL: no more.
 */
const struct stable_event *words_stable(const struct words *w, const struct etype *t, unsigned *i,
					int *from);

/* Is a stable event named? */
bool words_have_stable(const struct words *w);

#endif
