/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_HELP_H
#define ZED_PROGRAMS_HELP_H

#include "programs/options.h"

#include <stdio.h>

/* Is O's argument one that may be left out? */
bool help_is_optional(const struct cli_opt *o);

/* The lines of a table of options.  KEY: the letter that an option has in this program, or 0. */
void help_options(const struct cli *c, const struct cli_opt *o,
		  int (*key)(const struct cli *c, const struct cli_opt *o), FILE *to);

#endif
