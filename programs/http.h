/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_HTTP_H
#define ZED_PROGRAMS_HTTP_H

#include "base/outbuf.h"
#include "analysis/metrics/metrics.h"

#include <poll.h>

/*
 * GET /metrics, and nothing else, over HTTP/1.1 (RFC 9112), within another loop: nothing here
 * waits.  What a client can cost has bounds: a request of HTTP_REQUEST bytes, HTTP_READ_MS for it,
 * HTTP_WRITE_MS for its answer, HTTP_CLIENTS clients at once; and the metrics are written once in
 * HTTP_FRESH_MS, however many ask.  When another one comes, the one goes for which nothing has gone
 * on for longest; while all go on, for HTTP_PRESSED_MS at most, the other one waits.
 */
#define HTTP_CLIENTS 16
#define HTTP_STALLED_MS 100 /* nothing has gone on for so long: another one may have the place */
#define HTTP_PRESSED_MS 1000
#define HTTP_REQUEST 8192
#define HTTP_READ_MS 2000
#define HTTP_WRITE_MS 10000
#define HTTP_FRESH_MS 50

struct http;

/* Write the metrics. */
typedef void http_text(void *arg, enum metrics_form form, struct outbuf *o);

/*
 * Serve on the listening socket FD, which is non-blocking and is closed by http_free().  NAME is
 * the host that the user wrote: besides it, a request's Host is an address or localhost, so that no
 * web page can ask by a name that it has pointed here (DNS rebinding).
 */
struct http *http_new(int fd, const char *name, http_text *text, void *arg);
void http_free(struct http *h); /* NULL is fine */

/* Do what can be done at once.  NOW: ms of any clock that goes on. */
void http_turn(struct http *h, uint64_t now);

/*
 * What is waited for: up to ROOM descriptors into V.  Returns how many there are: HTTP_CLIENTS + 1
 * at most.  May lower *MS, how long.
 */
int http_fds(const struct http *h, struct pollfd *v, int room, int *ms);

#endif
