/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_SUB_ARGS_H
#define ZED_INTERP_PERL_SUB_ARGS_H

#include <stdbool.h>

#include "interp/perl/perl_inc.h"

/*
 * What a sub makes of its arguments, as far as its ops tell: the variables of its first statement,
 * my ($cpu, $pid, @rest) = @_, and which of these anything in it can read.
 */
#define SUB_ARGS_MAX 256 /* variables; of a longer list nothing is told */

struct sub_arg {
	const char *name; /* "cpu"; "" for undef; borrowed from the sub */
	bool read;	  /* its value may matter */
	PADOFFSET at;	  /* its place in the sub's pad; 0: undef */
};

struct sub_args {
	bool listed; /* the first statement is such a list: v and n hold */
	bool rest;   /* the last variable is an array or a hash: it takes all that follows */
	/*
	 * Nothing else in the sub can reach @_, so what is not read need not be there; and no
	 * argument can be changed, or kept by reference.
	 */
	bool only;
	bool counted; /* the list may be asked how many arguments there were */
	OP *after;    /* where the sub continues after the list; NULL: perl has to run it */
	unsigned n;
	struct sub_arg v[SUB_ARGS_MAX];
};

/* Look at CV as it is now; what no compiled Perl is, or NULL, has nothing. */
void subargs_look(pTHX_ const CV *cv, struct sub_args *out);

/*
 * The name of the I-th variable that CV declares anywhere in it, without its sigil; "" if there are
 * not so many.  Borrowed from CV.
 */
const char *subargs_variable(const CV *cv, unsigned i);

#endif
