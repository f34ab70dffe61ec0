/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_STEPS_H
#define ZED_TEXT_STEPS_STEPS_H

#include "base/mem.h"
#include "base/outbuf.h"
#include "trace/event.h"

/*
 * A print format as a row of steps: compiled once for a type, run for each of its records.
 */
struct steps;

/* Whose form the text has; what it says is the same. */
enum dialect {
	DIALECT_KERNEL, /* what the kernel itself prints for the record after "event: " */
	DIALECT_REPORT, /* trace-cmd report: pointers have their 0x, symbols have no size */
};

/*
 * Compile the print format of TYPE (resolved), its values as FORM places them (form_apply(); NULL
 * or "": as it does itself).  Owned by A, but for what steps_free() frees.  NULL with *WHY: it
 * cannot be.  Steps with *WHY: what only the traced kernel knew is not shown, but a "?", or
 * what it would be computed of.
 */
struct steps *steps_compile(const struct etype *type, enum dialect dialect, const char *form,
			    struct arena *a, const char **why);
void steps_free(struct steps *s);

/*
 * Append the text of EV, a record of that type.  At most MAX bytes: what is longer is cut there and
 * ends with a mark.  False: the record is shorter than its fields.
 */
bool steps_run(const struct steps *s, const struct event *ev, struct outbuf *out, size_t max);

/* How long the text of a record of SIZE bytes may be, with the strings that go into it. */
#define STEPS_TEXT_FIXED 1024
#define STEPS_TEXT_PER_BYTE 32

static inline size_t steps_text_max(uint32_t size)
{
	return STEPS_TEXT_FIXED + (size_t)STEPS_TEXT_PER_BYTE * size;
}

#endif
