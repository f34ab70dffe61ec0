/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_BIND_SUBS_H
#define ZED_INTERP_BIND_SUBS_H

#include "interp/perl/perl_inc.h"

#include <stdbool.h>

/* The subs of a package that have a body of Perl, by name; without those that perl calls itself. */
struct subs {
	struct sub {
		char *name;
		CV *cv;	   /* borrowed */
		bool used; /* other code refers to it, as for a helper */
		bool own;  /* not imported from another package */
	} * v;
	size_t n, cap;
};

void subs_find(pTHX_ HV *stash, struct subs *s);
void subs_free(struct subs *s);

#endif
