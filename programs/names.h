/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_NAMES_H
#define ZED_PROGRAMS_NAMES_H

#include "programs/options.h"

/* Names for addresses that the inputs have none for (symbols/README.md). */

/* From --symfs and --debug-dir: the finder of C's inputs, before they are opened. */
void names_begin(struct cli *c);

/* At the end of a run: report what had no names. */
void names_report(struct cli *c);

/* After the inputs are closed. */
void names_end(struct cli *c);

#endif
