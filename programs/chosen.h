/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_CHOSEN_H
#define ZED_PROGRAMS_CHOSEN_H

#include "run/choose/limit.h"
#include "run/choose/words.h"
#include "run/synthetic/event_choice.h"
#include "run/filter/filter.h"
#include "run/synthetic/synthetic.h"

struct cli;

/* Which events are chosen: the words of the command line, bound to the inputs. */
struct cli_choice {
	/* -F --cpu --pid --comm --instance --start --end; the pump's from cli_open() on. */
	struct filter *filter;
	uint64_t start, end;	     /* from cli_open() on; 0 and UINT64_MAX: open */
	struct words *events;	     /* --event; NULL: not given */
	struct stable *stable;	     /* cli_stable() */
	struct synthetic *synthetic; /* made by cli_open() */
	struct limit *limit;	     /* cli_limit() made it; or NULL */
	struct event_choice by;	     /* the same for the run, while it is asked for */
	uint64_t hash;		     /* of all options that choose events or change their times */
};

/*
 * Make C->choice.stable, if it is not there: the shipped catalogue, and what --stable adds.  False:
 * it has an error, which was reported.
 */
bool cli_stable(struct cli *c);

/*
 * Bind what the options choose to the open inputs: instances, times, synthetic events, --event and
 * -F.  False: something named is in none of them, which was reported.
 */
bool cli_choose(struct cli *c);

/*
 * For a consumer that needs no event but those that --tail passes: what is before them is not read,
 * if all events are chosen.
 */
void cli_skip_head(struct cli *c);

/*
 * Called once, before the run: the stage to ask for those events of FROM that --head and --tail
 * pass: FROM itself, or a stage of C's after it.
 */
struct stage *cli_limit(struct cli *c, struct stage *from);

/* The same for FROM's events plus the synthetic ones; before all other stages. */
struct stage *cli_synthetic(struct cli *c, struct stage *from);

/*
 * Have the streams leave out types that are not needed: those that --event excludes, and of the
 * others those that neither WANT (catalog_want()) nor synthetic events need.
 */
void cli_want(struct cli *c, const uint8_t *want);

#endif
