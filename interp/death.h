/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_DEATH_H
#define ZED_INTERP_DEATH_H

#include "interp/api/sink.h"

/* A sub has died: say perl's message, which sub (PS->sub, or that of the event at hand), where. */
void death_say(pTHX_ struct perlsink *ps);

#endif
