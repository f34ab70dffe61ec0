/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_VALUES_H
#define ZED_PROGRAMS_VALUES_H

#include "programs/rows.h"

/*
 * Read VALUE (NULL: none was given) as O says, into its member of OBJECT.  Not for CLI_CALL and
 * CLI_LATER.  -1 with E (ERR_USAGE), which says what is expected.
 */
int cli_value(const struct cli_opt *o, void *object, const char *value, struct err *e);

#endif
