/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_ADMISSION_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_ADMISSION_H

#include <stdbool.h>

#define ADMISSION_HOST 280 /* bytes of "HOST:PORT" */

/*
 * Which web pages may ask: only the one that was served here.  A page of another site can make the
 * browser send requests, also by a name that it has pointed to this address (DNS rebinding); the
 * browser then tells where they come from.
 */
struct admission {
	char host[ADMISSION_HOST];  /* of --bind, as in an address: "[::1]:8080" */
	char local[ADMISSION_HOST]; /* "127.0.0.1:8080" */
	char name[ADMISSION_HOST];  /* "localhost:8080" */
	bool any;		    /* bound to all addresses: each of them is ours */
	unsigned port;
};

/* HOST: as the user wrote it, without brackets. */
void admission_init(struct admission *a, const char *host, bool any, unsigned port);

/* What the head of a request says of where it comes from; NULL: it has no such line. */
struct admission_head {
	const char *host, *origin, *site, *mode,
		*dest;	/* Host, Origin, Sec-Fetch-Site, -Mode, -Dest */
	unsigned hosts; /* lines Host */
};

/*
 * May it be answered?  PAGE: it asks for the page itself.  That may be opened by a link on another
 * page, as nothing there can read it; views may not.
 */
bool admission_passes(const struct admission *a, const struct admission_head *h, bool page);

#endif
