/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_JSON_JSON_H
#define ZED_INTERP_JSON_JSON_H

#include "interp/perl/perl_inc.h"

/*
 * Plain Perl data as one line of JSON, and back (RFC 8259).  The line is ASCII; a character of a
 * string is a byte of the trace, or a Unicode character: \u00XX is either.  Keys are sorted, whole
 * numbers of 64 bits keep all of their bits, and other numbers are written so that reading gives
 * the same number.
 */
#define JSON_DEPTH 64

/* A text of this class is JSON already, too long to be kept as data: written as it is. */
#define JSON_WRITTEN "Zed::Fleet::Written"

/*
 * Append SV to OUT.  NULL, or why it cannot be written (a constant text): it is an object, code, or
 * refers to itself.
 */
const char *json_write(pTHX_ SV *out, SV *sv);

/*
 * Parse the LEN bytes at TEXT, which must be one value; the result is the caller's.  Nothing in
 * them is run.  NULL: they are not JSON, are nested deeper than JSON_DEPTH, or have an invalid
 * number; *WHY says why (a constant text), *AT where.
 */
SV *json_read(pTHX_ const char *text, size_t len, const char **why, size_t *at);

#endif
