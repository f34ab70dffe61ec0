/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_H

/*
 * The command "zedperl explore": ARGV[0] is the word itself.  Serves the page until a signal, or
 * an hour after its last page was closed.  Returns the exit status.
 */
int explore_command(int argc, char **argv);

#endif
