/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_FIELD_VALUE_H
#define ZED_TEXT_FIELD_VALUE_H

#include "base/outbuf.h"
#include "trace/field.h"

/* Differences between the formats that print bare values. */
struct value_style {
	void (*string)(struct outbuf *o, const struct span *s);
	const char *quote;   /* around byte strings and masks */
	const char *between; /* the items of an array */
	const char *time;    /* after a number that is a time in ns */
	bool names_quoted;   /* of members: "name":value rather than name=value (JSON) */
	const char *none;    /* for a field without a value in this trace */
};

/*
 * Append the names of the bits that are set in V, a value of F, a FIELD_UINT whose bits have names,
 * joined by '|', and the bits without one as a hexadecimal number; 0: none are set.
 */
void value_flags(struct outbuf *o, const struct field *f, uint64_t v);

/* Append the value of F in EV to O; empty if the field's bytes are not in the record. */
void value_print(struct outbuf *o, const struct field *f, const struct event *ev,
		 const struct value_style *style);

#endif
