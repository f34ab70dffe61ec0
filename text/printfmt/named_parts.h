/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_PRINTFMT_NAMED_PARTS_H
#define ZED_TEXT_PRINTFMT_NAMED_PARTS_H

#include "base/mem.h"
#include "text/printfmt/tree.h"

/*
 * A part of a print format that shows a number by its name: a symbol, an entry of a table, one of
 * two strings.  Sched_switch has "prev_state=%s%s" for prev_state: both together are one.
 */
struct pf_named {
	const struct field *field;
	struct printfmt part; /* its conversions alone, without widths */
	const struct pf_named *next;
};

/* Those of PF, in its order, each a field's first.  NULL: none.  Owned by A. */
const struct pf_named *printfmt_named(const struct printfmt *pf, struct arena *a);

#endif
