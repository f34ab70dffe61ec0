/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_FORM_H
#define ZED_TEXT_PRINTFMT_FORM_H

#include "base/mem.h"
#include "text/printfmt/tree.h"

/*
 * Reorder the values that PF prints, with other text between them.  In FORM "{prev_pid}" means
 * everything in the print format after "prev_pid=" or "prev_pid:" up to the next such name: its
 * conversions with their arguments, and the text between them.  FORM may use a name twice, or not
 * at all.  False: the print format lacks some of the names, and is unchanged.  Owned by A.
 */
bool form_apply(struct printfmt *pf, const char *form, struct arena *a);

/* Move *P past the conversion at it, a %; returns the number of its arguments. */
unsigned form_conversion(const char **p);

#endif
