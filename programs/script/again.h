/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_AGAIN_H
#define ZED_PROGRAMS_SCRIPT_AGAIN_H

#include "programs/options.h"

/*
 * The words of a command line, between the program's name and a script, by which another process
 * reads C's inputs again, with the same choice of events: all options about reading, and -i for
 * each input.  Ends with NULL; free the words and the array.  NULL with E: an input can be read
 * only once.
 */
char **again_words(const struct cli *c, struct err *e);

#endif
