/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_JSON_JSON_H
#define ZED_INTERP_JSON_JSON_H

#include "interp/perl/perl_inc.h"

/*
 * Plain Perl data as one line of JSON, and back (RFC 8259).  The line is ASCII; a character of a
 * string is a byte of the trace, or a letter: \u00XX is either.  Keys are sorted, whole numbers of
 * 64 bits keep all of their bits, and other numbers are written so that they are read as the same.
 */
#define JSON_DEPTH 64

/* A text of this class is JSON already, too long to be kept as data, and written as it is. */
#define JSON_WRITTEN "Zed::Fleet::Written"

/*
 * Append SV to OUT.  NULL, or why it cannot be written (a constant text): it is an object, code, or
 * refers to itself.
 */
const char *json_write(pTHX_ SV *out, SV *sv);

/*
 * What the LEN bytes at TEXT are, one value and nothing after it; the caller's.  Nothing in them
 * is run.  NULL: they are not JSON, are nested deeper than JSON_DEPTH, or have a number that is
 * none; *WHY tells (a constant text), *AT where.
 */
SV *json_read(pTHX_ const char *text, size_t len, const char **why, size_t *at);

#endif
