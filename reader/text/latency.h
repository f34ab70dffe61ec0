/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_LATENCY_H
#define ZED_READER_TEXT_LATENCY_H

#include "reader/model/event.h"

/*
 * The flags column of report (format.md 6.2 LATENCY): irqs, resched, irq context, preempt depth and
 * so on.  BUF gets it with a NUL; returns its length.
 */
size_t text_latency(const struct event *ev, char *buf, size_t size);

#endif
