/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_CHOOSE_DERIVE_H
#define ZED_RUN_CHOOSE_DERIVE_H

#include "run/choose/words.h"
#include "run/stage.h"

/*
 * A stage that asks FROM for raw events and gives what W names: events of a named type as they are,
 * and for a named stable event the events made from the raw ones, which have a type of their own in
 * C.  Losses are reported with the first event that is given, or alone.
 */
struct derive;

/* All are borrowed.  Free it before C.  Never NULL. */
struct derive *derive_new(const struct words *w, struct catalog *c, struct notes *n,
			  struct stage *from);
void derive_free(struct derive *d);

struct stage *derive_stage(struct derive *d);

#endif
