/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_SERVER_H
#define ZED_PROGRAMS_ZEDPERL_EXPLORE_EXPLORE_SERVER_H

#include "programs/zedperl/explore/admission.h"
#include "programs/zedperl/explore/explore_page.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/explore/page_token.h"

/*
 * The server of explore: HTTP by libmicrohttpd in this one loop, without threads.  Requests are
 * hostile until they have shown the token: then they may ask what request.c lists, and nothing
 * else.
 */
/* Connections; from EXPLORE_CROWDED on, each new one ends that which was idle for longest. */
#define EXPLORE_CLIENTS 192
#define EXPLORE_CROWDED 128
#define EXPLORE_HEAD 16384 /* bytes of a request's head, about */
#define EXPLORE_QUIET 30   /* seconds without any byte of a client */
#define EXPLORE_UNREAD 64  /* answers that are kept as their clients have not read them */
#define EXPLORE_READ 5	   /* seconds to read one, if there are so many */
#define EXPLORE_WAITING 32 /* requests that wait for a process; more are told to come again */
#define EXPLORE_RUNNING 64 /* processes at once, however many CPUs there are */
#define EXPLORE_IDLE 3600  /* seconds without a request of the page: then the server ends */

struct explore_server;

/* What is served; all but X constant, and borrowed. */
struct explore_site {
	struct explore *x;
	struct admission admission;
	struct page_token token;
	struct explore_page page;
};

/* Serve on the listening socket FD, which it takes over.  NULL with E. */
struct explore_server *exploreserver_new(int fd, struct explore_site *site, struct err *e);

/* Until *STOP is set by a signal handler, or no request came for EXPLORE_IDLE. */
int exploreserver_run(struct explore_server *s, const volatile int *stop, struct err *e);

/* Ends all processes and connections.  NULL is fine. */
void exploreserver_free(struct explore_server *s);

#endif
