/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_CHOOSE_DERIVE_H
#define ZED_READER_CHOOSE_DERIVE_H

#include "reader/choose/words.h"
#include "reader/model/sink.h"

/*
 * A sink before the sink TO, which takes raw events and hands on what W names: of a type that was
 * named the events, and of one that was named as a stable event those made of them, as events of a
 * type of their own.  Losses are told with the first event that is handed on, or alone.
 *
 * All are borrowed.  Close it before the catalog of its run goes, and TO after it.  Never NULL.
 */
struct sink *derive_new(const struct words *w, struct notes *n, struct sink *to);

#endif
