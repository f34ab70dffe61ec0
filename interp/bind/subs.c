/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subs: lists the subs in a package's symbol table.
 */
#include "interp/bind/subs.h"

#include "base/mem.h"
#include "interp/bind/handler_subs.h"
#include "interp/bind/perl_name.h"
#include "interp/perl/perl_priv.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sub *)a)->name, ((const struct sub *)b)->name);
}

/* An entry is a glob, or, if it has nothing else, the code itself. */
static CV *code_at(SV *entry)
{
	if (SvROK(entry))
		return SvTYPE(SvRV(entry)) == SVt_PVCV ? (CV *)SvRV(entry) : NULL;
	return isGV_with_GP(entry) ? GvCV((GV *)entry) : NULL;
}

void subs_find(pTHX_ HV *stash, struct subs *s)
{
	SV *entry;
	char *key;
	I32 len;

	memset(s, 0, sizeof(*s));
	hv_iterinit(stash);
	while ((entry = hv_iternextsv(stash, &key, &len))) {
		CV *cv = code_at(entry);

		if (!priv_is_perl(cv) || perl_calls(key))
			continue;
		s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof(*s->v));
		/* Code that refers to a sub holds a reference to its entry. */
		s->v[s->n++] = (struct sub){ .name = mem_strdup(key),
					     .cv = cv,
					     .used = SvREFCNT(entry) > 1,
					     .own = priv_is_own(aTHX_ cv, stash) };
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_name);
}

void subs_free(struct subs *s)
{
	while (s->n)
		free(s->v[--s->n].name);
	free(s->v);
	memset(s, 0, sizeof(*s));
}
