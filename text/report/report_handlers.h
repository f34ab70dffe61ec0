/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REPORT_REPORT_HANDLERS_H
#define ZED_TEXT_REPORT_REPORT_HANDLERS_H

#include "text/report/history.h"
#include "text/steps/tracers.h"

/*
 * Events that trace-cmd report prints in a form of its own, not by their print format, and that
 * everybody knows by it: "bash:1 [120] S ==> swapper/0:0 [120]".  The forms are those of trace-cmd
 * 3.4.0 with the plugins of libtraceevent 1.9.0.  What such a line says is the kernel's: where it
 * is another thing than the print format's, that is a bug of theirs.
 */

/*
 * Fill OWN if TYPE (resolved) is one of these, with the fields that its form needs.  What it has to
 * keep from record to record goes to MEMORY (borrowed).
 */
bool report_find(const struct etype *type, struct memory *memory, struct own *own);

#endif
