// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * added_formats: the formats of events that were added while recording, for what is written later.
 */
#include "record/added_formats.h"

#include "base/mem.h"

#include <stdlib.h>

struct added_format {
	char *system, *text;
	size_t len;
};

void added_formats_add(struct added_formats *f, const char *system, const char *text, size_t len)
{
	f->v = mem_grow(f->v, &f->cap, f->n + 1, sizeof(*f->v));
	f->v[f->n++] = (struct added_format){ mem_strdup(system), mem_strndup(text, len), len };
}

int added_formats_give(const struct added_formats *f, struct output *to, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < f->n && !rc; i++)
		rc = to->ops->format(to, f->v[i].system, f->v[i].text, f->v[i].len, e);
	return rc;
}

void added_formats_fini(struct added_formats *f)
{
	for (size_t i = 0; i < f->n; i++) {
		free(f->v[i].system);
		free(f->v[i].text);
	}
	free(f->v);
	*f = (struct added_formats){ 0 };
}
