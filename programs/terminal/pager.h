/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_TERMINAL_PAGER_H
#define ZED_PROGRAMS_TERMINAL_PAGER_H

#include <sys/types.h>

/*
 * If standard output is a terminal, start the pager that ZED_PAGER, else PAGER, names (the shell
 * reads it), else less, with standard output, and standard error if that is a terminal, as its
 * input.  None if the name is empty or "cat", or if less is not installed.  Returns its process; 0:
 * none.
 */
pid_t pager_begin(void);

/* Close standard output and wait until the user has seen enough.  Nothing if PAGER is 0. */
void pager_end(pid_t pager);

#endif
