/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_REBUILD_H
#define ZED_TEXT_REBUILD_H

#include "base/outbuf.h"
#include "trace/event.h"

/*
 * Append a NUL-terminated format text of T (resolved), made from its parsed fields and an empty
 * print format.  False: T cannot be described to libtraceevent; discard what was appended.
 */
bool rebuild_format(struct outbuf *o, const struct etype *t);

#endif
