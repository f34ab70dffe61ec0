/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_HTTP_H
#define ZED_PROGRAMS_HTTP_H

#include "base/outbuf.h"
#include "analysis/metrics/metrics.h"

#include <poll.h>

/*
 * GET /metrics, and nothing else, over HTTP/1.1 (RFC 9112), within another loop: nothing here
 * blocks.  The cost of a client is limited: a request of HTTP_REQUEST bytes, HTTP_READ_MS for it,
 * HTTP_WRITE_MS for its answer, HTTP_CLIENTS clients at once; and the metrics are written once in
 * HTTP_FRESH_MS, however many ask.  When another client comes, the one with no progress for longest
 * is dropped; while all make progress, for HTTP_PRESSED_MS at most, the new one waits.
 */
#define HTTP_CLIENTS 16
#define HTTP_STALLED_MS 100 /* no progress for this long: another client may have the place */
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
 * the host that the user wrote: apart from it, a request's Host must be an address or localhost, so
 * that no web page can send requests by a name that it has pointed here (DNS rebinding).
 */
struct http *http_new(int fd, const char *name, http_text *text, void *arg);
void http_free(struct http *h); /* NULL is fine */

/* Do what can be done without waiting.  NOW: ms of any monotonic clock. */
void http_turn(struct http *h, uint64_t now);

/*
 * The descriptors to wait for: up to ROOM of them into V.  Returns their number, at most
 * HTTP_CLIENTS + 1.  May lower *MS, the time to wait.
 */
int http_fds(const struct http *h, struct pollfd *v, int room, int *ms);

#endif
