/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_EVAL_H
#define ZED_READER_TEXT_PRINTFMT_EVAL_H

#include "reader/model/field.h"
#include "reader/text/printfmt/tree.h"

/*
 * A value that the library would compute; not known: an address, or what a plugin's function says.
 */
struct pf_value {
	uint64_t v;
	bool known;
};

/* What N is for EV.  False: the library must not be made to compute it. */
bool pf_eval(const struct event *ev, const struct pf_node *n, struct pf_value *out);

/* The bytes of a field inside of the record; false: it reaches out of it. */
bool pf_inside(const struct event *ev, const struct field *f, struct span *s);

#endif
