/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_FILTER_TEXT_H
#define ZED_KERNEL_FILTER_TEXT_H

#include "base/err.h"

/*
 * Filters in the user's words, translated to the kernel's: "and", "or", "not" outside strings
 * become && || !, a newline becomes a blank; everything else stays as it is.
 */

/* The expression TEXT for the kernel, to be freed. */
char *kfilter_translate(const char *text);

/*
 * Cut "SYS[:EVENT]: EXPR" into its pattern and its expression (both to be freed).  -1 with E
 * (ERR_USAGE).
 */
int kfilter_split(const char *text, char **pattern, char **expr, struct err *e);

#endif
