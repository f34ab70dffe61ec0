/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arg_names: lists of names of arguments, and which of these an event has.
 */
#include "interp/common/arg_names.h"

#include "base/mem.h"
#include "trace/field.h"
#include "trace/pseudo.h"

#include <stdlib.h>
#include <string.h>

void arg_names_add(struct arg_names *l, const char *name)
{
	l->v = mem_grow(l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = mem_strdup(name);
}

void arg_names_fini(struct arg_names *l)
{
	while (l->n)
		free(l->v[--l->n]);
	free(l->v);
	memset(l, 0, sizeof(*l));
}

bool args_has(const struct etype *t, const char *name, bool frame)
{
	struct meaning m = pseudo_meaning(t, name, frame ? PSEUDO_COMMON : PSEUDO_ALL);

	return m.what != PSEUDO_NONE || (m.field && m.field->kind != FIELD_NONE);
}
