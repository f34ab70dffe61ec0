/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_STEPS_H
#define ZED_TEXT_STEPS_STEPS_H

#include "base/mem.h"
#include "base/outbuf.h"
#include "trace/event.h"

/* A print format as a sequence of steps: compiled once for a type, run for each of its records. */
struct steps;

/* The form of the text; the content is the same. */
enum dialect {
	DIALECT_KERNEL, /* what the kernel prints after "event: " */
	DIALECT_REPORT, /* trace-cmd report: pointers have their 0x, symbols have no size */
};

/*
 * Compile the print format of TYPE (resolved), its values placed by FORM (form_apply(); NULL or "":
 * unchanged).  Owned by A, except for what steps_free() frees.  NULL with *WHY: it cannot be
 * compiled.  Steps with *WHY: values that only the traced kernel knew are shown as "?", or by what
 * they are computed from.
 */
struct steps *steps_compile(const struct etype *type, enum dialect dialect, const char *form,
			    struct arena *a, const char **why);
void steps_free(struct steps *s);

/*
 * The steps that print single fields of TYPE (resolved) by their names, where its print format has
 * such: OF[i], for field i, as steps_compile() returns them, in the form of a report; the others
 * are not changed.
 */
void steps_compile_names(const struct etype *type, struct steps **of, struct arena *a);

/*
 * Append the text of EV, a record of that type.  At most MAX bytes: a longer text is cut and ends
 * with a mark.  False: the record is shorter than its fields.
 */
bool steps_run(const struct steps *s, const struct event *ev, struct outbuf *out, size_t max);

/* The maximum length of the text of a record of SIZE bytes, including strings. */
#define STEPS_TEXT_FIXED 1024
#define STEPS_TEXT_PER_BYTE 32

static inline size_t steps_text_max(uint32_t size)
{
	return STEPS_TEXT_FIXED + (size_t)STEPS_TEXT_PER_BYTE * size;
}

#endif
