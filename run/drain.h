/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_DRAIN_H
#define ZED_RUN_DRAIN_H

#include "trace/sink.h"
#include "run/pump.h"

/*
 * The whole run of TO: begin, all that FROM gives (P->stage, or what asks that), end.  end is
 * called whatever ended the run, once.
 */
enum run_end run_into(struct pump *p, struct stage *from, struct sink *to, struct err *e);

#endif
