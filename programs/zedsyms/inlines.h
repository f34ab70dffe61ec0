/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_INLINES_H
#define ZED_PROGRAMS_ZEDSYMS_INLINES_H

#include <stdio.h>

/*
 * Answer, by the DWARF of the ELF file FD, each line ADDRESS (hexadecimal) of IN with lines to OUT:
 * the functions that the code there is of, the innermost first; the last one is the function
 * itself, those before it are inlined in the next.
 *
 *	f LINE TAB NAME TAB FILE	LINE 0, an empty NAME or FILE: not known
 *	.				the end of the answer
 *
 * Until the end of IN.  NULL, or a text of why the file has no DWARF that can be read.
 */
const char *inlines_serve(int fd, FILE *in, FILE *out);

#endif
