/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_READING_H
#define ZED_PROGRAMS_READING_H

#include "programs/options.h"

/* Options of all programs: of a trace the reader chooses, of one that is made the kernel. */
extern const struct cli_opt CHOOSING[];

/* Of programs that read traces. */
extern const struct cli_opt READING[];
extern const struct cli_rule READING_RULES[];

/* Of all programs: -v, --version, --help. */
extern const struct cli_opt GENERAL[];

/* Where nobody else chooses, what CHOOSING asks for goes to the filter of what is read. */
extern const struct cli_chooser READING_CHOOSER;

#endif
