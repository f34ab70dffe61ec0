// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client_time: compares the trace clock with the clock of the server, so that a reader can put the
 * events of several machines in one order.  A query is sent and answered: the server's time is
 * taken for the middle of the round trip, so the error is at most half of it.  Of several queries
 * the fastest is the most exact.
 */
#include "base/mono.h"
#include "record/file/zedstream_write.h"
#include "record/net/client_priv.h"
#include "reader/zedstream/format.h"

#include <poll.h>
#include <string.h>
#include <time.h>

#define TRIES 8
#define AGAIN_TRIES 3
#define FIRST_MS 5000  /* the server reads the metadata before it answers */
#define EACH_MS 100    /* for every other answer ... */
#define AGAIN_MS 20    /* ... while there is something to record */
#define ALL_MS 500     /* for all of them but the first */
#define PLACE_MS 5000  /* for a place among other streams; after that the order is not guaranteed */
#define EVERY_MS 10000 /* how often the clocks are compared */

void client_time_heard(struct client *c, const struct wire_msg *m)
{
	uint64_t now, trip, server = bytes_u64(m->fixed + 8, true);

	if (!c->clock.asked || bytes_u64(m->fixed, true) != c->clock.asked)
		return;
	now = clock_ns(c->clock.id);
	trip = now - c->clock.asked;
	if (trip < c->clock.trip) {
		c->clock.trip = trip;
		c->clock.ahead = server - (c->clock.asked + trip / 2);
	}
	c->clock.asked = 0;
}

/* One query, and MS for its answer.  0, or as output_ops. */
static int ask(struct client *c, unsigned ms, struct err *e)
{
	struct tcp_wait w = client_patience(c, ms);
	unsigned left = ms;
	uint8_t b[8];
	int rc;

	c->clock.asked = clock_ns(c->clock.id);
	bytes_put(b, c->clock.asked, 8, false);
	rc = zedstream_write_frame(c->stream, FRAME_TIME, b, sizeof(b), e);
	while (rc == 0 && c->clock.asked && left) {
		rc = tcp_poll(c->control, POLLIN, &w, &left, e);
		if (rc == 0)
			return 0;
		rc = rc < 0 ? rc : client_hear(c, e);
		if (rc == WIRE_END)
			return OUTPUT_GONE;
	}
	return rc;
}

/* Up to N queries, the first of which has MS; then report the result. */
static int compare(struct client *c, unsigned n, unsigned ms, unsigned each, struct err *e)
{
	uint64_t end = 0;

	c->clock.trip = UINT64_MAX;
	for (unsigned i = 0; i < n && (!end || tcp_now() < end); i++) {
		int rc = ask(c, i ? each : ms, e);

		if (rc)
			return rc;
		if (!end)
			end = tcp_now() + ALL_MS;
	}
	c->clock.next = tcp_now() + EVERY_MS;
	if (c->clock.trip == UINT64_MAX)
		return 0;
	return c->stream->ops->clock(c->stream, (int64_t)c->clock.ahead, c->clock.trip / 2 + 1, e);
}

/*
 * Wait until the server has put all of that among the other streams.  What those record later comes
 * after it, so none of it is read before our stream can be ordered with it.
 */
static int settle(struct client *c, struct err *e)
{
	struct tcp_wait w = client_patience(c, PLACE_MS);
	unsigned left = PLACE_MS;

	while (c->stored < zedstream_write_length(c->stream) && left) {
		int rc = tcp_poll(c->control, POLLIN, &w, &left, e);

		if (rc == 0)
			return 0;
		rc = rc < 0 ? rc : client_hear(c, e);
		if (rc)
			return rc == WIRE_END ? OUTPUT_GONE : rc;
	}
	return 0;
}

int client_time_begin(struct client *c, const char *clock, struct err *e)
{
	int rc;

	c->clock.id = c->clock.answers ? session_clock_id(clock) : -1;
	if (c->clock.id < 0)
		return 0;
	rc = compare(c, TRIES, FIRST_MS, EACH_MS, e);
	return rc ? rc : settle(c, e);
}

int client_time_again(struct client *c, struct err *e)
{
	if (c->clock.id < 0 || tcp_now() < c->clock.next)
		return 0;
	return compare(c, AGAIN_TRIES, AGAIN_MS, AGAIN_MS, e);
}
