/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_KERNEL_H
#define ZED_READER_TEXT_KERNEL_H

#include "base/err.h"
#include "base/outbuf.h"
#include "reader/model/event.h"

/*
 * One event as the text that the kernel itself prints for it in `trace` and `trace_pipe`, made by
 * our own engine (steps/).  A type is compiled when its first record comes.
 */
struct kerntext;

/* NOTES gets why the records of a type are shown raw; may be NULL. */
struct kerntext *kerntext_new(struct notes *notes);
void kerntext_free(struct kerntext *k);

/*
 * Append the text of EV: what the kernel prints behind the time, or, without NAMED, without the
 * name of the event before it.  Never fails: what cannot be printed shows its fields raw.  Bounded
 * by the length of the record.  There is no newline at its end, but there may be some within.
 */
void kerntext_put(struct kerntext *k, const struct event *ev, struct outbuf *o, bool named);

/*
 * The flags column "dNh2." of `trace`: interrupts off, reschedule needed, context, depths.  Five
 * bytes are written to BUF.
 */
#define KERNTEXT_FLAGS 5
void kerntext_flags(struct kerntext *k, const struct event *ev, char buf[KERNTEXT_FLAGS]);

/* The name of PID as `trace` shows it. */
const char *kerntext_comm(struct machine *m, int32_t pid);

#endif
