/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CHOSEN_H
#define ZED_PROGRAMS_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

struct cli;
struct stage;

/*
 * Make C->stable, if it is not there: the shipped catalogue, and what --stable adds.  False: there
 * is a mistake in that; said.
 */
bool cli_stable(struct cli *c);

/*
 * What the options choose, once the inputs are open: instances, times, synthetic events, --event
 * and -F, bound to what the inputs have.  False: something that is named is in none of them;
 * said.
 */
bool cli_choose(struct cli *c);

/*
 * Once, before the run: what to ask for those events of FROM that --head and --tail let through:
 * FROM itself, or a stage of C's after it.
 */
struct stage *cli_limit(struct cli *c, struct stage *from);

/* The same for FROM's events and the synthetic ones too; before all other stages. */
struct stage *cli_synthetic(struct cli *c, struct stage *from);

/*
 * Have the streams leave out what no one wants: the types that --event refuses, and of the others
 * those that WANT (catalog_want()) and synthetic events have no use for.
 */
void cli_want(struct cli *c, const uint8_t *want);

#endif
