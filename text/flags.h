/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_FLAGS_H
#define ZED_TEXT_FLAGS_H

#include "trace/event.h"
#include "text/steps/steps.h"

/*
 * The column "dNh2." that every line has: interrupts off, reschedule needed, kind of interrupt,
 * depth of preempt_disable(), of migrate_disable().  The kernel's letters show more than those of
 * trace-cmd report, which only has those of early kernels.
 */
#define FLAGS_MAX 64 /* maximum bytes written */

/* The fields of one type that it is made from. */
struct flags {
	const struct field *bits, *count;
	const struct field *migrate, *lock; /* of some kernels, for the report */
	bool lazy;			    /* bit 2 is "reschedule lazily" */
};

void flags_init(struct flags *f, const struct etype *type);

/* Write the column of EV, a record at least as long as its fields, to BUF; returns its length. */
size_t flags_put(const struct flags *f, enum dialect dialect, const struct event *ev, char *buf);

/* The same for an event with unknown flags: dots. */
size_t flags_none(char *buf);

#endif
