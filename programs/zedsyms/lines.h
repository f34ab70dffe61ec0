/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_LINES_H
#define ZED_PROGRAMS_ZEDSYMS_LINES_H

#include <stdio.h>

#define LINE_NAME_MOST 4095 /* bytes kept of a name */

/* Write TEXT up to its first control character, MOST bytes at most: a line is one line. */
void line_text(FILE *out, const char *text, size_t most);

#endif
