/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_METRICS_METRIC_H
#define ZED_INTERP_METRICS_METRIC_H

#include "interp/api/sink.h"

/* Define Zed::metrics and the methods of Zed::Metric that are written in C, before the script is
 * compiled; Zed/Metric.pm has the others. */
void metric_boot(pTHX_ struct perlsink *ps);

#endif
