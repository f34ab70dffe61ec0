/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CHOSEN_H
#define ZED_PROGRAMS_CHOSEN_H

#include <stdbool.h>
#include <stdint.h>

struct cli;
struct sink;

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
 * What to give events to so that S gets those that --head and --tail let through: S itself, or a
 * sink of C's before it.
 */
struct sink *cli_limit(struct cli *c, struct sink *s);

/*
 * What to give events to so that S gets the synthetic ones too: S itself, or a sink of C's before
 * it, which stands before all others.
 */
struct sink *cli_synthetic(struct cli *c, struct sink *s);

/*
 * Have the streams leave out what no one wants: the types that --event refuses, and of the others
 * those that WANT (catalog_want()) and synthetic events have no use for.
 */
void cli_want(struct cli *c, const uint8_t *want);

#endif
