/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_SUBS_H
#define ZED_INTERP_BIND_SUBS_H

#include "interp/perl/perl_inc.h"

#include <stdbool.h>

/* The subs of a package that have a body of Perl, by name; none that perl calls by itself. */
struct subs {
	struct sub {
		char *name;
		CV *cv;	   /* borrowed */
		bool used; /* other code refers to it, as to a helper */
		bool own;  /* not another package's, imported under this name */
	} * v;
	size_t n, cap;
};

void subs_find(pTHX_ HV *stash, struct subs *s);
void subs_free(struct subs *s);

#endif
