/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_VALUE_NAMES_H
#define ZED_TEXT_VALUE_NAMES_H

#include "base/outbuf.h"
#include "trace/event.h"

/*
 * Names of what a record has as numbers: "S", "GFP_KERNEL|__GFP_ZERO", "do_idle+0x52" by its print
 * format, of bits that have names (CTF 2), and those of system calls.  A type is prepared at its
 * first record.
 */
struct value_names;

/* Those of one type. */
struct type_names;

struct value_names *value_names_new(void);
void value_names_free(struct value_names *n); /* NULL is fine */

/* Those of T; NULL: it has none. */
const struct type_names *value_names_of(struct value_names *n, const struct etype *t);

/* May values of field I of T, whose names these are, have some? */
bool value_name_any(const struct type_names *names, const struct etype *t, unsigned i);

/*
 * Append the name of field I's value in EV, a record of that type.  False: it has none, and nothing
 * is written.
 */
bool value_name_put(const struct type_names *t, unsigned i, const struct event *ev,
		    struct outbuf *o);

#endif
