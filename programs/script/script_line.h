/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_SCRIPT_SCRIPT_LINE_H
#define ZED_PROGRAMS_SCRIPT_SCRIPT_LINE_H

#include "programs/script/script_options.h"

/* The words of a script's command line that are not options, as far as no language matters. */

/* What a check returns if nothing is wrong; otherwise it returns the exit status. */
#define GO_ON (-1)

/* --live: from the first "--" after the script on, the words are a command. */
void line_take_command(struct cli *c);

/* The next word is the script, unless there is code. */
void line_take_script(struct cli *c, int *at);

/*
 * Words after the script, from AT on, are its arguments; a trace among them was perhaps meant to be
 * read (SCRIPT *.dat), so that is reported.
 */
void line_say_arguments(struct cli *c, int at);

/* The trace in this folder becomes the input.  False: there is none. */
bool line_trace_here(struct cli *c);

#endif
