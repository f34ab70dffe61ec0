/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPYTHON_PYTHON_STARTER_H
#define ZED_PROGRAMS_ZEDPYTHON_PYTHON_STARTER_H

#include "programs/script/starter_events.h"

/*
 * zedpython -g: write a script to stdout, from C's open inputs, for the events that A names.
 * Returns the exit status; a name that no input has was reported.
 */
int python_starter_write(struct cli *c, struct starter_ask *a);

#endif
