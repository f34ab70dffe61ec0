/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_UNMET_H
#define ZED_PROGRAMS_UNMET_H

struct cli;

/*
 * After a run that was read to its end: which times and pids it had no event of, and what it has.
 */
void cli_warn_unmatched(struct cli *c);

/* After a run: of which inputs cgroups were asked for and are not known, how often, and why. */
void cli_warn_cgroups(struct cli *c);

#endif
