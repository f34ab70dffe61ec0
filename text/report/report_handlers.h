/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REPORT_REPORT_HANDLERS_H
#define ZED_TEXT_REPORT_REPORT_HANDLERS_H

#include "text/report/history.h"
#include "text/steps/tracers.h"

/*
 * Events that trace-cmd report prints in its own well-known form, not by their print format:
 * "bash:1 [120] S ==> swapper/0:0 [120]".  The forms are those of trace-cmd 3.4.0 with the plugins
 * of libtraceevent 1.9.0.  The content of such a line is the kernel's: if it contradicts the print
 * format, that is a bug of theirs.
 */

/*
 * Fill OWN if TYPE (resolved) is one of these, with the fields that its form needs.  State kept
 * from record to record goes to MEMORY (borrowed).
 */
bool report_find(const struct etype *type, struct memory *memory, struct own *own);

#endif
