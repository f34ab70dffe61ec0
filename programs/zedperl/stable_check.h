/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_STABLE_CHECK_H
#define ZED_PROGRAMS_ZEDPERL_STABLE_CHECK_H

#include "programs/options.h"
#include "stable/catalogue.h"

/*
 * zedperl --stable-check: open each of C's inputs and print on stdout, sorted by name, every stable
 * event of S: what it is made of in that input, or why it is not available there.  Only formats are
 * looked at.  Inputs that give the same table share one.  Returns the exit status.
 */
int check_inputs(struct cli *c, const struct stable *s);

/* The same of the running kernel, whose formats are read from tracefs; nothing is recorded. */
int check_kernel(struct cli *c, const struct stable *s);

#endif
