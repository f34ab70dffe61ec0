// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * script_names: the list of names that is made of a script's text, and the line that says itself
 * which events the script is for.
 */
#include "programs/session/script_names.h"

#include "base/ascii.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void found_add(struct found_names *l, const char *s, size_t len)
{
	for (unsigned i = 0; i < l->n; i++)
		if (strlen(l->v[i]) == len && !memcmp(l->v[i], s, len))
			return;
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = mem_strndup(s, len);
}

void found_fini(struct found_names *l)
{
	while (l->n)
		free(l->v[--l->n]);
	free(l->v);
}

bool found_line(struct found_names *l, const char *p, const char *end)
{
	static const char MARK[] = "zedtrace:";

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if ((size_t)(end - p) <= sizeof(MARK) - 1 || memcmp(p, MARK, sizeof(MARK) - 1) != 0)
		return false;
	for (p += sizeof(MARK) - 1; p < end;) {
		const char *from = p;

		while (p < end && !ascii_space(*p))
			p++;
		if (p > from)
			found_add(l, from, p - from);
		while (p < end && ascii_space(*p))
			p++;
	}
	return true;
}
