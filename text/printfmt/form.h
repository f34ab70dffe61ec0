/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_FORM_H
#define ZED_TEXT_PRINTFMT_FORM_H

#include "base/mem.h"
#include "text/printfmt/tree.h"

/*
 * Put what PF prints in another order and with other text between.  In FORM "{prev_pid}" stands for
 * all that the print format has after "prev_pid=" or "prev_pid:" up to the next such name: its
 * conversions with their arguments, and what is between them.  FORM may use a name twice, or not at
 * all.  False: the print format has not all of its names, and stays as it is.  Owned by A.
 */
bool form_apply(struct printfmt *pf, const char *form, struct arena *a);

#endif
