/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_ADDED_FORMATS_H
#define ZED_RECORD_ADDED_FORMATS_H

#include "record/output.h"

/*
 * Formats of events that were added while recording: an output that continues with another file, or
 * connection, gives them to that, too, as the metadata are from before.
 */
struct added_formats { /* zeroed to begin with */
	struct added_format *v;
	size_t n, cap;
};

/* Arguments as output_ops.format has; they are copied. */
void added_formats_add(struct added_formats *f, const char *system, const char *text, size_t len);

/* Give all of them to TO, as output_ops.format. */
int added_formats_give(const struct added_formats *f, struct output *to, struct err *e);

void added_formats_fini(struct added_formats *f);

#endif
