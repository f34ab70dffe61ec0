/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_READING_H
#define ZED_PROGRAMS_READING_H

#include "programs/options.h"

/* Options of all programs: for an existing trace the reader chooses, for a new one the kernel. */
extern const struct cli_opt CHOOSING[];

/* Of programs that read traces. */
extern const struct cli_opt READING[];
extern const struct cli_rule READING_RULES[];

/* Of all programs: -v, --version, --help. */
extern const struct cli_opt GENERAL[];

/* Without another chooser, the options of CHOOSING go to the reader's filter. */
extern const struct cli_chooser READING_CHOOSER;

#endif
