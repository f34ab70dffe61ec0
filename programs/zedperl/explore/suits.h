/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_SUITS_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_SUITS_H

#include "base/outbuf.h"
#include "stable/catalogue.h"

/* What occurs in a trace. */
struct suits_there {
	struct catalog *catalog;
	const struct stable *stable;
	const uint64_t *counts; /* of events, by etype.idx, N of them */
	size_t n;
	bool is_partly; /* not all was read: what the trace declares may occur, too */
	bool stack, loss;
};

/*
 * Append the installed analyses as a JSON array, those first that suit: {"name", "what" it answers,
 * "suits", "why" not or why only partly}.  By the heads of the scripts, as Zed::Needs reads them
 * for `zedperl TRACE summary`: without Perl, as this is on the way to the first picture.
 */
void suits_put(struct outbuf *o, const struct suits_there *there);

#endif
