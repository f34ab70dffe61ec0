/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_GLOB_H
#define ZED_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Does NAME match the shell-like GLOB (* ? [a-z])?  Bounded time: no exponential backtracking. */
bool glob_match(const char *glob, const char *name);

/* glob_match() for a name of LEN bytes that need not end in NUL. */
bool glob_match_len(const char *glob, const char *name, size_t len);

/*
 * glob_match(), also for NAME in the form that a Perl sub can have (zedperl-scripts(7)): a byte
 * outside [A-Za-z0-9_] is '_', and PACKAGE, which must not begin with a digit, gets '_' before it.
 */
bool glob_match_perl(const char *glob, const char *name, bool package);

/*
 * The number of edits (a letter inserted, removed or changed, or two swapped) between A and B,
 * ignoring case.  64 if one of them is longer than 64 bytes.
 */
unsigned edit_distance(const char *a, const char *b);

/*
 * Edit distance for "did you mean": the candidate nearest to NAME, or NULL when none is near.
 * next(arg) returns candidates until NULL.
 */
const char *nearest_name(const char *name, const char *(*next)(void *arg), void *arg);

#endif
