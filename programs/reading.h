/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_READING_H
#define ZED_PROGRAMS_READING_H

#include "programs/options.h"

/* Both lists end with one without a name. */

/* Of all programs: when a trace is read, the reader chooses, while one is made, the kernel. */
extern const struct cli_opt CHOOSING[];

/* Of programs that read traces. */
extern const struct cli_opt READING[];

/* Where nobody else chooses, what CHOOSING asks for goes to the filter of what is read. */
extern const struct cli_chooser READING_CHOOSER;

#endif
