/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_EVAL_H
#define ZED_READER_TEXT_PRINTFMT_EVAL_H

#include "reader/model/field.h"
#include "reader/text/printfmt/tree.h"

/*
 * A value that the library would compute.  Not known: an address, or the result of a plugin's
 * function.
 */
struct pf_value {
	uint64_t v;
	bool known;
};

/* The value of N for EV.  False: the library must not compute it. */
bool pf_eval(const struct event *ev, const struct pf_node *n, struct pf_value *out);

/* The bytes of a field; false: it reaches out of the record. */
bool pf_inside(const struct event *ev, const struct field *f, struct span *s);

#endif
