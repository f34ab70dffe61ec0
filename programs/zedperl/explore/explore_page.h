/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_PAGE_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_PAGE_H

#include "base/err.h"
#include "base/outbuf.h"

/*
 * The page of explore: one document with its style and scripts, and the policy that allows only
 * these.
 */
struct explore_page {
	struct outbuf html;
	struct outbuf policy; /* of Content-Security-Policy; terminated */
};

/*
 * Put it together from page/explore.html, its comments "style", "script", "trace" and "licence",
 * and the scripts that page/explore/parts.txt lists.  TRACE is shown as its title.  -1 with E:
 * this program was built without d3, or without one of these.
 */
int explorepage_make(struct explore_page *p, const char *trace, struct err *e);
void explorepage_fini(struct explore_page *p);

#endif
