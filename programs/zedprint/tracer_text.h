/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPRINT_TRACER_TEXT_H
#define ZED_PROGRAMS_ZEDPRINT_TRACER_TEXT_H

#include "sink/print/print.h"
#include "programs/options.h"

/*
 * Print the texts of all of C's open inputs on stdout, those of buffers that the filter leaves out
 * excepted.  Damage is reported as a notice.  *EVENTS: some input has events too.
 */
void tracer_text_show(struct cli *c, enum print_format format, bool *events);

#endif
