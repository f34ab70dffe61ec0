/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RUN_DRAIN_H
#define ZED_RUN_DRAIN_H

#include "trace/sink.h"
#include "run/pump.h"

/*
 * The whole run of TO: begin, everything that FROM gives (P->stage, or a stage after it), end.  end
 * is called once, whatever ended the run.
 */
enum run_end run_into(struct pump *p, struct stage *from, struct sink *to, struct err *e);

#endif
