/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_REQUEST_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_REQUEST_H

#include "programs/zedperl/explore/explore_priv.h"

/* What can be asked: the route table, and the parameters of each view. */
struct explore_view {
	const char *name; /* the last part of the address */
	view_fn *make;	  /* NULL: the server answers itself, "{}" */
	unsigned takes;	  /* parameters: bits of request.c */
	unsigned needs;	  /* ... of these */
};

/* NULL: there is none of that name. */
const struct explore_view *view_find_named(const char *name);

/* A request that is being read: parameters come one by one. */
struct request_reader {
	const struct explore_view *view;
	struct request *to;
	unsigned given; /* which came */
};

void request_begin(struct request_reader *r, const struct explore_view *v, struct request *to);

/*
 * A decoded parameter of LEN bytes.  -1 with E (ERR_USAGE): it is unknown, doubled or out of
 * range.
 */
int request_take(struct request_reader *r, const char *name, const char *value, size_t len,
		 struct err *e);

/* All have come.  -1 with E (ERR_USAGE): some do not go together, or one is missing. */
int request_end(struct request_reader *r, struct err *e);

/*
 * The same of a text, "lanes?from=0&to=1000&cells=100", as in an address; *V is its view.
 */
int request_parse(const char *text, const struct explore_view **v, struct request *to,
		  struct err *e);

/*
 * Take VALUE ("": none) for the option NAME of an analysis, without "--", into TO.  -1: there is no
 * such option that may be asked for, or it takes another value.
 */
int request_arg(struct request_arg *to, const char *name, const char *value);

#endif
