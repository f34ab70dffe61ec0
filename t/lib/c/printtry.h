/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PRINTTRY_H
#define ZED_PRINTTRY_H

/* An event type with a print format of the test's own. */
#include "trace/catalog.h"
#include "t/lib/c/tap.h"

/* The resolved type of the format HEAD, which ends with "print fmt: ", and PRINT behind it. */
static inline const struct etype *printtry_type(struct catalog *c, struct machine *m,
						struct arena *a, const char *head,
						const char *print)
{
	size_t n = strlen(head) + strlen(print) + 2;
	char *text = arena_alloc(a, n);
	struct etype *t;
	struct err e;

	snprintf(text, n, "%s%s\n", head, print);
	t = catalog_add(c, m, "test", text, n - 1, &e);
	if (!t || etype_resolve(c, t, &e) < 0)
		bail("the format of %s cannot be read: %s", print, e.msg);
	return t;
}

#endif
