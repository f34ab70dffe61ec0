/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_STEPS_BINARY_H
#define ZED_TEXT_STEPS_BINARY_H

#include "base/outbuf.h"
#include "trace/field.h"
#include "trace/machine.h"
#include "text/steps/steps.h"

/*
 * Append the text of a binary printk: FMT, escapes as in printk_formats, with the arguments that
 * are packed in ARGS.  It ends at MAX bytes after FROM, or when the arguments run out.
 */
void binary_put(struct outbuf *o, struct machine *m, enum dialect dialect, const char *fmt,
		struct span args, size_t from, size_t max);

/* A string as printk_formats writes it, its escapes undone. */
void binary_put_escaped(struct outbuf *o, const char *text);

#endif
