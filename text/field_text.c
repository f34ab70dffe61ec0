// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * field_text: the value of one field as people read it.
 */
#include "text/field_text.h"

#include "text/field_value.h"

/* Text up to its NUL. */
static void text(struct outbuf *o, const struct span *s)
{
	out_bytes(o, (const char *)s->p, strnlen((const char *)s->p, s->len));
}

static const struct value_style style = {
	.string = text,
	.quote = "",
	.between = ", ",
	.time = " ns",
	.none = "undef",
};

void field_text(struct outbuf *o, const struct type_names *names, unsigned i,
		const struct event *ev)
{
	if (!names || !value_name_put(names, i, ev, o))
		value_print(o, &ev->type->fields[i], ev, &style);
}
