/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_STEPS_STEPS_H
#define ZED_READER_TEXT_STEPS_STEPS_H

#include "base/mem.h"
#include "base/outbuf.h"
#include "reader/model/event.h"

/*
 * A print format as a row of steps: compiled once for a type, run for each of its records.  The
 * text is what the kernel itself prints for the record behind "event: ".
 */
struct steps;

/*
 * Compile the print format of TYPE (resolved).  Owned by A, but for what steps_free() frees.  NULL
 * with *WHY: it cannot be.  Steps with *WHY: a "?" is shown for what only the traced kernel knew.
 */
struct steps *steps_compile(const struct etype *type, struct arena *a, const char **why);
void steps_free(struct steps *s);

/*
 * Append the text of EV, a record of that type.  At most MAX bytes: what is longer is cut there and
 * ends with a mark.  False: the record is shorter than its fields.
 */
bool steps_run(const struct steps *s, const struct event *ev, struct outbuf *out, size_t max);

#endif
