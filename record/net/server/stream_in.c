// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stream_in: receives a zed stream from a client of ours, frame by frame, and acknowledges what has
 * been stored.  Nothing that the client sends changes a limit.
 */
#include "record/net/server/stream_in.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/zedstream/format.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define TICK_MS 100
#define TELL_MS 100 /* how often stored bytes are acknowledged */
#define PACE_MS 15  /* between rounds of a quiet client for which events of others wait ... */
#define PACE_AFTER_MS 2000 /* ... while these come, or came so long ago */
#define LANE_MS 2	   /* how often to check whether a lane has been emptied */
#define TELL_WAIT_MS 1000  /* a client that does not take this for so long has gone */
#define SMALL_FREE 16384   /* frames without pages that are always allowed ... */
#define SMALL_A_SECOND 400 /* ... and this many more a second: a recorder makes 50 rounds */
#define BAD_IS_SMALL 65536 /* this many bytes of an invalid frame also count as one of these */
#define MAX_COMMS WIRE_MAX_COMMS

int stream_in_init(struct stream_in *s, int control, const uint8_t *head, const char *from,
		   struct notes *n, struct err *e)
{
	*s = (struct stream_in){ .in = { .fd = control, .piped = true }, .take = { .notes = n } };
	s->in.path = mem_strdup(from);
	s->in.head_len = FRAMES_HEAD_LEN;
	s->in.size = FRAMES_HEAD_LEN;
	memcpy(s->in.head, head, FRAMES_HEAD_LEN);
	TRY(frame_reader_init(&s->frames, &s->in, e));
	s->frames.wait = false;
	return 0;
}

void stream_in_fini(struct stream_in *s)
{
	frame_reader_fini(&s->frames);
	frames_in_fini(&s->take);
	free(s->in.path); /* the connection is the server's */
	*s = (struct stream_in){ .in = { .fd = -1 } };
}

/* Hostile data may become longer. */
static void count_saved(struct stream_in *s, const struct frame *f)
{
	s->saved += (uint64_t)f->len - f->size;
}

int stream_in_frame(struct stream_in *s, struct frame *f, const struct tcp_wait *w, struct err *e)
{
	unsigned left = w->ms;

	for (;;) {
		enum pull got = frame_next(&s->frames, f, e);
		int rc;

		if (got == PULL_OK) {
			count_saved(s, f);
			return 1;
		}
		if (got == PULL_EOF)
			return 0;
		if (got == PULL_ERR)
			return -1;
		rc = tcp_poll(s->in.fd, POLLIN, w, &left, e);
		if (rc < 0)
			return -1;
		if (!rc || !left)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       tcp_stopped(w) ? "stopped" : "no frame for %u seconds",
				       w->ms / 1000);
	}
}

/* ---- what is stored ---- */

static int take_page(void *arg, int cpu, const uint8_t *p, uint32_t used, uint64_t end,
		     struct err *e)
{
	struct stream_in *s = arg;
	int rc = pages_in_take(s->run, (unsigned)cpu, p, e);

	(void)used;
	if (rc == 0)
		s->stored = end + s->saved;
	return rc;
}

static bool may_keep(void *arg, size_t bytes)
{
	struct stream_in *s = arg;

	return quota_take(s->run->quota, WIRE_HEAD + bytes);
}

/*
 * What comes before the pages has its place among the other streams only once it has left its pipe.
 * A client begins to record when that is acknowledged.
 */
static bool has_no_place(const struct stream_in *s)
{
	int waiting = 0;

	return s->run->lane >= 0 && !s->run->events &&
	       ioctl(s->run->lane, FIONREAD, &waiting) == 0 && waiting > 0;
}

/* Acknowledge what is stored.  False: the client does not read any more. */
static bool tell_stored(struct stream_in *s)
{
	struct tcp_wait w = s->run->wait;
	uint8_t fixed[8];
	struct err e;

	if (s->stored == s->told || has_no_place(s))
		return true;
	w.ms = TELL_WAIT_MS;
	bytes_put(fixed, s->stored, 8, true);
	s->told = s->stored;
	s->tell = tcp_now() + TELL_MS;
	return wire_send(s->run->control, WIRE_ZED_STORED, fixed, sizeof(fixed), NULL, 0, &w, &e) ==
	       0;
}

/* Events of the other clients wait for the rounds of this one, also if nothing happens there. */
static void tell_pace(struct stream_in *s, uint64_t now)
{
	const struct ledger *l = s->run->quota->ledger;
	uint64_t paged = l->paged;
	bool others = paged && now < paged + PACE_AFTER_MS && ledger_taken(l) > 1;
	uint32_t pace = others ? PACE_MS : 0;
	struct tcp_wait w = s->run->wait;
	uint8_t fixed[4];
	struct err none;

	if (!s->paced || s->run->lane < 0 || pace == s->pace)
		return;
	w.ms = TELL_WAIT_MS;
	s->pace = pace;
	bytes_put(fixed, pace, 4, true);
	wire_send(s->run->control, WIRE_ZED_PACE, fixed, sizeof(fixed), NULL, 0, &w, &none);
}

/* A client asks for our time: answer at once, as it measures the round trip. */
static void tell_time(struct stream_in *s, const struct frame *f)
{
	struct tcp_wait w = s->run->wait;
	uint8_t fixed[16];
	struct err none;

	if (f->len < 8)
		return;
	w.ms = TELL_WAIT_MS;
	bytes_put(fixed, bytes_u64(f->p, false), 8, true);
	bytes_put(fixed + 8, mono_ns(), 8, true);
	wire_send(s->run->control, WIRE_ZED_TIME, fixed, sizeof(fixed), NULL, 0, &w, &none);
}

/* ---- the loop ---- */

/* One frame.  1: the limit is reached. */
static int take_frame(struct stream_in *s, struct frame *f, uint64_t now, struct err *e)
{
	struct pages_in_run *r = s->run;
	uint64_t bad = s->take.bad;
	int rc;

	s->small += f->kind != FRAME_PAGES;
	/* Once a second each CPU may have lost events. */
	if (s->small > SMALL_FREE + (now - s->begun) * (SMALL_A_SECOND + r->ncpus) / 1000) {
		r->why = "it sent more small frames than a recording has";
		return 1;
	}
	if (f->kind == FRAME_TIME)
		tell_time(s, f);
	if (f->kind == FRAME_PACKED) {
		note_say(s->take.notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": compressed frame of %u byte%s cannot be "
			 "unpacked",
			 s->in.path, f->off, f->len, plural(f->len));
		r->why = "a compressed frame of its stream cannot be unpacked";
		return 1;
	}
	if (f->kind > FRAME_TIME && frame_pass(f, e) < 0) {
		r->why = "it sent a required frame of unknown kind: use a newer zedtrace here";
		return 1;
	}
	rc = frames_in_take(&s->take, f, e);
	r->place->heard = now;
	/* For pages beyond the limit the same number is acknowledged. */
	if (rc == OUTPUT_GONE && !r->quota->limited)
		r->gone = true;
	/* Unpacking a frame takes longer here than packing takes its client. */
	if (s->take.bad != bad)
		s->small += f->len / BAD_IS_SMALL;
	count_saved(s, f);
	/* Complete frames that are ignored count as stored, too. */
	if (rc == 0)
		s->stored = s->frames.whole + s->saved;
	return rc ? rc : r->quota->limited;
}

/* No frame is available now.  True: and none will come. */
static bool wait_frame(struct stream_in *s, enum pull got, const struct err *bad)
{
	struct pages_in_run *r = s->run;
	struct pollfd p[2] = { { .fd = r->control, .events = POLLIN },
			       { .fd = r->wait.quit, .events = POLLIN } };

	if (got == PULL_ERR)
		r->why = bad->kind == ERR_SYS ? "the connection broke" :
						"it sent a frame with an invalid length";
	if (got != PULL_WAIT)
		return true;
	if (!tell_stored(s)) {
		r->why = "the connection broke";
		return true;
	}
	poll(p, 2, s->stored == s->told ? TICK_MS : LANE_MS);
	return false;
}

int stream_in_run(struct stream_in *s, struct pages_in_run *r, struct err *e)
{
	int rc = 0;

	s->run = r;
	s->begun = tcp_now();
	s->take.path = s->in.path;
	s->take.out = r->out;
	s->take.ncpus = r->ncpus;
	s->take.page_size = r->page_size;
	s->take.max_comms = MAX_COMMS;
	s->take.page = take_page;
	s->take.may = may_keep;
	s->take.arg = s;
	while (rc == 0 && !s->take.ended) {
		uint64_t now = tcp_now();
		struct frame f = { 0 };
		enum pull got;
		struct err bad;

		if (tcp_stopped(&r->wait)) {
			r->stopped = true;
			break;
		}
		if (pages_in_silent(r, now))
			break;
		tell_pace(s, now);
		got = frame_next(&s->frames, &f, &bad);
		if (got == PULL_OK) {
			rc = take_frame(s, &f, now, e);
			free(f.p);
			if (rc == 0 && now >= s->tell && !tell_stored(s))
				break;
		} else if (wait_frame(s, got, &bad)) {
			break;
		}
	}
	r->closed = s->take.ended;
	tell_stored(s);
	return rc < 0 ? -1 : 0;
}

int stream_in_end(struct stream_in *s, const char *spare, size_t len, struct err *e)
{
	if (!s->take.ended) {
		s->take.end.events = s->run->events;
		s->take.end.dropped = s->run->dropped;
	}
	return frames_in_end(&s->take, spare, len, e);
}
