/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CONFLICTS_H
#define ZED_PROGRAMS_CONFLICTS_H

#include "programs/options.h"

/*
 * The mode that the given options select for C's program, as its bit (cli_mode; 1 if the program
 * has only one).  0: they select two modes, or one of them does not go with the mode or with
 * another option, by their rows and rules; that was reported.
 */
unsigned cli_asked(struct cli *c);

/* The name in messages of MODE, which was selected: "-t"; in BUF or constant. */
const char *cli_mode_name(const struct cli *c, unsigned mode, char buf[CLI_NAME_SIZE]);

#endif
