/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CONFLICTS_H
#define ZED_PROGRAMS_CONFLICTS_H

#include "programs/options.h"

/*
 * What the options that were given ask C's program to do: the bit of a mode (cli_mode; 1 where the
 * program has but one).  0: they ask for two things, or one of them does not go with that or with
 * another, by their rows and rules; that was said.
 */
unsigned cli_asked(struct cli *c);

/* What messages call MODE, which was asked for: "-t"; in BUF or constant. */
const char *cli_mode_name(const struct cli *c, unsigned mode, char buf[CLI_NAME_SIZE]);

#endif
