/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_HELP_H
#define ZED_PROGRAMS_HELP_H

#include "programs/options.h"

#include <stdio.h>

/* Is O's argument optional? */
bool help_is_optional(const struct cli_opt *o);

/* "usage: ", and the lines of SPEC. */
void help_usage(const struct cli_spec *spec, FILE *to);

/* --help: the usage, the purpose of the program, its options and what they do. */
void help_show(const struct cli *c, FILE *to);

#endif
