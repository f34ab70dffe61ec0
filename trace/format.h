/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_FORMAT_H
#define ZED_TRACE_FORMAT_H

#include "base/err.h"
#include "base/mem.h"
#include "trace/event.h"

/*
 * The texts that describe records, events/SYS/EVENT/format, as kernels from 2.6.29 to 6.18 print
 * them (format.md 5.1).  Everything is bounded: a line that is invalid costs its field, not the
 * event; impossible offsets and sizes cost the event.
 */

/* The name and ID at the start of a format; *NAME is borrowed from TEXT, *NAME_LEN bytes. */
int format_head(const char *text, size_t len, const char **name, size_t *name_len, unsigned *id,
		struct err *e);

/*
 * Parse T's format into its fields, print format and fixed size; field names and the array go to A.
 * T is unchanged on error.  SWAP and LONG_SIZE are of the traced machine.
 */
int format_parse(struct etype *t, struct arena *a, bool swap, unsigned long_size, struct err *e);

#endif
