/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_UNOPENED_H
#define ZED_PROGRAMS_UNOPENED_H

#include "base/err.h"

struct cli;

/* Say E, why PATH was not opened, and in a second line what its user may have meant. */
void cli_say_unopened(struct cli *c, const char *path, const struct err *e);

#endif
