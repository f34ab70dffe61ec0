/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_SYNTHETIC_EVENT_CHOICE_H
#define ZED_RUN_SYNTHETIC_EVENT_CHOICE_H

#include "run/choose/words.h"
#include "run/pump.h"
#include "run/synthetic/synthetic.h"

/*
 * Which types and events of open inputs were chosen by name and by expression, synthetic ones
 * included.  All is borrowed, and valid until the run has ended.
 */
struct event_choice {
	struct pump *pump;	    /* its filter has the expressions */
	const struct words *events; /* bound to the pump's types; NULL: all */
	const struct stable *stable;
	struct synthetic *synthetic;
	bool counts; /* all chosen events are counted, needed or not (--head, --tail) */
};

/*
 * Compile the filter for the inputs' types.  -1 with E: an expression fits none of them.  N may be
 * NULL, when that was done before.
 */
int choice_compile(struct event_choice *c, struct notes *n, struct err *e);

/*
 * Have the streams leave out types that are not needed: those that were not chosen, and of the
 * others those that neither WANT (catalog_want(); NULL: all) nor synthetic events need.
 */
void choice_want(struct event_choice *c, const uint8_t *want);

/* Before the run: the stage to ask for FROM's events plus the synthetic ones. */
struct stage *choice_synthetic(struct event_choice *c, struct stage *from);

#endif
