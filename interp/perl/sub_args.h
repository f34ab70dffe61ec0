/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_INTERP_PERL_SUB_ARGS_H
#define ZED_INTERP_PERL_SUB_ARGS_H

#include <stdbool.h>

#include "interp/perl/perl_inc.h"

/*
 * How a sub uses its arguments, as far as its ops show: the variables of its first statement, my
 * ($cpu, $pid, @rest) = @_, and which of these its code can read.
 */
#define SUB_ARGS_MAX 256 /* variables; a longer list is not analysed */

struct sub_arg {
	const char *name; /* "cpu"; "" for undef; borrowed from the sub */
	bool read;	  /* its value may matter */
	PADOFFSET at;	  /* its place in the sub's pad; 0: undef */
};

struct sub_args {
	bool listed; /* the first statement is such a list: v and n are valid */
	bool rest;   /* the last variable is an array or a hash: it takes all that follows */
	/*
	 * Nothing else in the sub can reach @_, so arguments that are not read need not be there;
	 * and no argument can be changed, or kept by reference.
	 */
	bool only;
	bool counted; /* the sub may ask for the number of arguments */
	OP *after;    /* where the sub continues after the list; NULL: perl has to run it */
	unsigned n;
	struct sub_arg v[SUB_ARGS_MAX];
};

/* Analyse CV as it is now; for NULL, or if it is not compiled Perl, nothing is set. */
void subargs_look(pTHX_ const CV *cv, struct sub_args *out);

/*
 * The name of the I-th variable that CV declares anywhere in it, without its sigil; "" if there are
 * fewer.  Borrowed from CV.
 */
const char *subargs_variable(const CV *cv, unsigned i);

#endif
