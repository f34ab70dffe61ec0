/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REBUILD_H
#define ZED_TEXT_REBUILD_H

#include "base/outbuf.h"
#include "trace/event.h"

/*
 * Append a format text of T (resolved), made of its parsed fields and an empty print format, with a
 * NUL after.  False: T cannot be described to libtraceevent, and what was appended is of no use.
 */
bool rebuild_format(struct outbuf *o, const struct etype *t);

#endif
