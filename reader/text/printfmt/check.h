/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_CHECK_H
#define ZED_READER_TEXT_PRINTFMT_CHECK_H

#include "base/mem.h"
#include "reader/text/printfmt/tree.h"

#define PF_MAX_TEXT 4096 /* bytes of a format string; the longest of 6.18 has 301 */

/*
 * Match the conversions of PF->text with PF->args and look at every expression: -1 with *WHY if no
 * record could be printed safely; else PF->convs and PF->risky are set.
 */
int printfmt_check(struct printfmt *pf, struct arena *a, const char **why);

#endif
