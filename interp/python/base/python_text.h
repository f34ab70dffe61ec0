/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PYTHON_BASE_PYTHON_TEXT_H
#define ZED_INTERP_PYTHON_BASE_PYTHON_TEXT_H

#include <stddef.h>
#include <string.h>

/*
 * The parts that are written in Python, embedded by interp/embed.pl, so that `import zed` needs no
 * path: zed_part.py and those of perf/, sorted by name; the last entry has no name.
 */
struct python_text {
	const char *name; /* below interp/python/: "zed_part.py", "perf/Core.py" */
	const char *text; /* len bytes and a NUL */
	size_t len;
};

extern const struct python_text python_texts[];

/* The part of that name; NULL: none. */
static inline const struct python_text *python_text(const char *name)
{
	for (const struct python_text *t = python_texts; t->name; t++)
		if (!strcmp(t->name, name))
			return t;
	return NULL;
}

#endif
