// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * carrier: distributes the pieces of a carrier to their streams.  A stream that runs out of bytes
 * reads for all of them.  A stream becomes a source once its metadata are complete and its clock
 * offset has been received; nothing more is read until it has been requested, so that its events
 * can be merged with those of the others.
 */
#include "reader/zedstream/carrier_priv.h"

#include "base/bytes.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/mono.h"
#include "reader/zedstream/zedstream.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_LANES 65536		/* sources of a carrier */
#define MAX_WAITING (64u << 20) /* unread bytes of all sources */
#define STOP_NS 1500000000ull	/* how long to wait for the end after a stop */
#define MAX_SAID 4		/* reported invalid frames; the rest is counted */
#define IDLE_MS 1000		/* nothing changes until the pipe has data ... */
#define ENDING_MS 50		/* ... except the deadline for the end */

static bool refill_for(struct input_fed *q);

/* ---- pieces ---- */

void carrier_bad_frame(struct carrier *c, const struct frame *fr, const char *what)
{
	if (c->bad++ < MAX_SAID)
		note_say(c->opts.notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": frame of %u byte%s %s: left out",
			 c->base.in.path, fr->off, fr->len, plural(fr->len), what);
}

/* The index of stream NUMBER among the lanes, or where to insert it. */
static unsigned place_of(const struct carrier *c, uint32_t number)
{
	unsigned low = 0, high = c->nlanes;

	while (low < high) {
		unsigned mid = low + (high - low) / 2;

		if (c->lanes[mid]->number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct carrier_lane *lane_of(const struct carrier *c, uint32_t number)
{
	unsigned at = place_of(c, number);

	return at < c->nlanes && c->lanes[at]->number == number ? c->lanes[at] : NULL;
}

/* The beginning of L is as complete as it will ever be. */
static void set_ready(struct carrier *c, struct carrier_lane *l)
{
	if (l->ready || l->refused)
		return;
	l->ready = true;
	c->news = l;
}

/* Examine the received frames of L: is its beginning complete? */
static void scan(struct carrier *c, struct carrier_lane *l)
{
	const uint8_t *p = l->fed.p;

	if (l->ready || l->refused || l->fed.have < FRAMES_HEAD_LEN)
		return;
	if (!l->scanned)
		l->scanned = FRAMES_HEAD_LEN;
	while (!l->ready && l->fed.have - l->scanned >= FRAMES_FRAME_LEN) {
		uint32_t kind = bytes_u32(p + l->scanned, false);
		uint32_t len = bytes_u32(p + l->scanned + 4, false);
		const uint8_t *body = p + l->scanned + FRAMES_FRAME_LEN;

		/* Its reader will report it. */
		if (len > FRAMES_MAX || l->scanned > 2ull * FRAMES_MAX_META ||
		    (l->has_ready && (kind == FRAME_PAGES || kind == FRAME_END))) {
			set_ready(c, l);
			return;
		}
		if (l->fed.have - l->scanned - FRAMES_FRAME_LEN < len)
			return;
		l->has_ready |= kind == FRAME_READY;
		if (kind == FRAME_CLOCK && len >= 16 && l->has_ready) {
			l->compared = true;
			l->ahead = (int64_t)bytes_u64(body, false);
			l->wrong = bytes_u64(body + 8, false);
			set_ready(c, l);
		}
		l->scanned += FRAMES_FRAME_LEN + len;
	}
}

/* The metadata of L are larger than later pieces. */
void lane_make_room(struct carrier_lane *l, size_t keep)
{
	struct input_fed *q = &l->fed;

	if (!l->asked || q->at < q->have || q->cap <= keep)
		return;
	if (q->cap > l->of->spare_cap) {
		uint8_t *smaller = l->of->spare;

		l->of->spare = q->p;
		l->of->spare_cap = q->cap;
		q->p = smaller;
	}
	free(q->p);
	q->p = NULL;
	q->at = q->have = q->cap = 0;
}

/* Reuse a grown buffer: growing each one anew fragments the heap. */
static void take_spare(struct carrier *c, struct input_fed *q)
{
	q->p = c->spare;
	q->cap = c->spare_cap;
	c->spare = NULL;
	c->spare_cap = 0;
}

/* Ended lanes only keep their sources. */
static void clear_ended(struct carrier *c)
{
	for (struct carrier_lane **at = &c->over; *at;) {
		lane_make_room(*at, 0);
		if ((*at)->fed.p)
			at = &(*at)->ended_before;
		else
			*at = (*at)->ended_before;
	}
}

static void take_source(struct carrier *c, const struct frame *fr, uint32_t number)
{
	const char *name = (const char *)fr->p + 4;
	size_t most = fr->len - 4 <= CARRIER_NAME ? fr->len - 4 : CARRIER_NAME + 1;
	size_t len = strnlen(name, most);
	struct carrier_lane *l;
	unsigned at;

	if (!len || len == most || !number || lane_of(c, number) || c->nlanes == MAX_LANES) {
		carrier_bad_frame(c, fr, "names no source that is new");
		return;
	}
	clear_ended(c);
	l = mem_zalloc(sizeof(*l));
	l->of = c;
	l->fed.waiting = &c->waiting;
	l->fed.refill = c->base.in.piped ? refill_for : lane_refill;
	l->fed.live = c->base.in.piped;
	l->number = number;
	len += strlen(c->base.in.path) + 2;
	l->name = mem_alloc(len);
	snprintf(l->name, len, "%s:%s", c->base.in.path, name);
	c->lanes = mem_grow(c->lanes, &c->cap_lanes, c->nlanes + 1u, sizeof(struct carrier_lane *));
	at = place_of(c, number);
	memmove(c->lanes + at + 1, c->lanes + at,
		(c->nlanes++ - at) * sizeof(struct carrier_lane *));
	c->lanes[at] = l;
}

uint8_t *lane_room(struct carrier_lane *l, size_t len)
{
	struct input_fed *q = &l->fed;

	/* Reclaim the read part once it is larger than the rest. */
	if (l->asked && q->at > q->have - q->at) {
		memmove(q->p, q->p + q->at, q->have - q->at);
		q->have -= q->at;
		q->at = 0;
	}
	if (!q->p)
		take_spare(l->of, q);
	q->p = mem_grow(q->p, &q->cap, q->have + len, 1);
	return q->p + q->have;
}

void lane_add(struct carrier_lane *l, size_t len)
{
	l->fed.have += len;
	l->of->waiting += len;
	scan(l->of, l);
}

void lane_end(struct carrier_lane *l)
{
	if (l->fed.ended)
		return;
	l->fed.ended = true;
	/* A stream without a beginning is never requested. */
	if (l->of->base.in.piped && l->fed.p && l->fed.have >= FRAMES_HEAD_LEN) {
		l->ended_before = l->of->over;
		l->of->over = l;
	}
	/* Its kind, and any errors, are reported when it is opened. */
	if (l->fed.have >= FRAMES_HEAD_LEN)
		set_ready(l->of, l);
}

static void take_piece(struct carrier *c, const struct frame *fr, uint32_t number)
{
	struct carrier_lane *l = lane_of(c, number);

	if (!l || l->fed.ended || l->gone) {
		carrier_bad_frame(c, fr, "is a piece of a source that is not there");
	} else if (!c->base.in.piped) {
		lane_index(l, fr);
	} else if (!l->refused) {
		memcpy(lane_room(l, fr->len - 4), fr->p + 4, fr->len - 4);
		lane_add(l, fr->len - 4);
	}
}

/* The carrier says that L has ended. */
static void take_end(struct carrier *c, struct carrier_lane *l)
{
	l->gone = true;
	if (c->base.in.piped)
		lane_end(l);
}

static void end_all(struct carrier *c)
{
	c->ended = true;
	for (unsigned i = 0; i < c->nlanes; i++)
		take_end(c, c->lanes[i]);
}

static void take_frame(struct carrier *c, const struct frame *fr)
{
	uint32_t number;
	struct err e;

	if (fr->kind == FRAME_END) {
		end_all(c);
		return;
	}
	if (fr->kind == FRAME_WALL && fr->len >= 16) {
		c->dated = true;
		c->day = (int64_t)bytes_u64(fr->p, false);
		c->day_wrong = bytes_u64(fr->p + 8, false);
		return;
	}
	if (fr->kind < FRAME_CARRIER || fr->kind > FRAME_GONE) {
		if (frame_pass(fr, &e) < 0) {
			err_path(&e, c->base.in.path);
			note_err(c->opts.notes, NOTE_DAMAGE, &e);
			end_all(c);
		}
		return;
	}
	if (fr->len < 4) {
		carrier_bad_frame(c, fr, "has no number of a source");
		return;
	}
	number = bytes_u32(fr->p, false);
	switch (fr->kind) {
	case FRAME_SOURCE:
		take_source(c, fr, number);
		break;
	case FRAME_PIECE:
		take_piece(c, fr, number);
		break;
	case FRAME_GONE:
		if (lane_of(c, number))
			take_end(c, lane_of(c, number));
		else
			carrier_bad_frame(c, fr, "ends a source that is not there");
		break;
	default:
		break; /* CARRIER: the beginning */
	}
}

/* Read one frame, if there is one and no new source waits to be requested.  False: not now. */
static bool refill(struct carrier *c)
{
	struct frame fr = { 0 };
	struct err e;

	if (c->news || c->ended)
		return false;
	if (c->deadline && mono_ns() > c->deadline) {
		end_all(c);
		return true;
	}
	if (c->waiting > MAX_WAITING)
		return false;
	switch (frame_next(&c->in, &fr, &e)) {
	case PULL_OK:
		take_frame(c, &fr);
		free(fr.p);
		return true;
	case PULL_EOF:
		note_say(c->opts.notes, NOTE_DAMAGE,
			 "%s: the stream ends without its end (server killed?): read up to offset "
			 "0x%" PRIx64,
			 c->base.in.path, c->in.whole);
		end_all(c);
		return true;
	case PULL_ERR:
		err_path(&e, c->base.in.path);
		note_err(c->opts.notes, NOTE_DAMAGE, &e);
		end_all(c);
		return true;
	default:
		return false;
	}
}

static bool refill_for(struct input_fed *q)
{
	struct carrier_lane *l = (struct carrier_lane *)q;

	lane_make_room(l, CARRIER_KEEP);
	return refill(l->of);
}

/* ---- sources ---- */

/* Any other ready lane, now that `news` was requested. */
static void next_news(struct carrier *c)
{
	c->news = NULL;
	for (unsigned i = 0; i < c->nlanes && !c->news; i++)
		if (c->lanes[i]->ready && !c->lanes[i]->asked)
			c->news = c->lanes[i];
}

/*
 * Types cannot be removed from the catalog.  So the received part of L is first opened with a
 * scratch catalog: -1 with E keeps a stream that cannot be opened out of the catalog.
 */
static int try_lane(const struct carrier *c, const struct carrier_lane *l, struct err *e)
{
	struct source_opts o = c->opts;
	struct input in = { .path = mem_strdup(l->name), .size = l->fed.have };
	struct catalog *catalog = catalog_new();
	struct source *s = NULL;

	o.notes = NULL; /* damage is reported at the real opening */
	in.fd = memfd_create("zed-try", MFD_CLOEXEC);
	if (in.fd < 0 || !io_write(in.fd, l->fed.p, l->fed.have)) {
		err_sys(e, ERR_NO_OFF, "%s: cannot keep its metadata in memory", l->name);
		input_close(&in);
	} else {
		s = zedstream_source.open(&in, catalog, &o, e);
	}
	if (s)
		s->ops->close(s);
	catalog_free(catalog);
	return s ? 0 : -1;
}

static struct source *open_lane(struct carrier *c, struct carrier_lane *l, struct err *e)
{
	struct source_opts o = c->opts;
	struct input in = {
		.path = mem_strdup(l->name), .fd = c->base.in.fd, .piped = true, .fed = &l->fed
	};

	in.head_len = FRAMES_HEAD_LEN;
	in.size = FRAMES_HEAD_LEN;
	memcpy(in.head, l->fed.p, FRAMES_HEAD_LEN);
	l->fed.at = FRAMES_HEAD_LEN;
	c->waiting -= FRAMES_HEAD_LEN;
	o.compared = l->compared;
	o.ahead = l->ahead;
	o.wrong = l->wrong;
	o.wall = c->opts.wall && l->compared && c->dated && !c->opts.raw_ts;
	o.day = c->day;
	o.store = c->store;
	/* cppcheck-suppress returnDanglingLifetime ; it has copied IN and O */
	return zedstream_source.open(&in, c->catalog, &o, e);
}

static void refuse(struct carrier *c, struct carrier_lane *l)
{
	l->refused = true;
	c->waiting -= l->fed.have - l->fed.at;
	l->fed.at = l->fed.have;
}

/* --wall: what the times of L are worth. */
static void say_wall(const struct carrier *c, const struct carrier_lane *l)
{
	if (!l->compared || !c->dated)
		note_say(
			c->opts.notes, NOTE_WARN,
			"%s: --wall: its clock has not been compared with that of the machine that "
			"received it%s: its times stay those of its own clock",
			l->name, l->compared ? ", or not with the time of day" : "");
	else
		note_say(c->opts.notes, NOTE_INFO,
			 "%s: times of day are those of the machine that received it, wrong by "
			 "%.9f s at most",
			 l->name, (double)(l->wrong + c->day_wrong) / 1e9);
}

static struct source *open_ready(struct carrier *c, struct carrier_lane *l)
{
	struct source *found;
	struct err e;

	l->asked = true;
	found = try_lane(c, l, &e) == 0 ? open_lane(c, l, &e) : NULL;
	if (!found) {
		refuse(c, l);
		note_err(c->opts.notes, NOTE_DAMAGE, &e);
	} else if (c->opts.wall) {
		say_wall(c, l);
	}
	return found;
}

/* For a file: all are available from the start, whenever they were received. */
static struct source *more_of_file(struct source *s, bool wait)
{
	struct carrier *c = (struct carrier *)s;

	while (refill(c))
		continue;
	while (c->opened < c->nlanes) {
		struct carrier_lane *l = c->lanes[c->opened++];
		struct source *found;

		while (!l->ready && lane_refill(&l->fed))
			continue;
		found = l->ready ? open_ready(c, l) : NULL;
		lane_trim(l);
		c->news = NULL;
		if (found)
			return found;
	}
	return NULL;
}

static struct source *more(struct source *s, bool wait)
{
	struct carrier *c = (struct carrier *)s;

	for (;;) {
		struct pollfd p = { .fd = s->in.fd, .events = POLLIN };
		struct source *found;

		if (c->news) {
			found = open_ready(c, c->news);
			next_news(c);
			if (found)
				return found;
			continue;
		}
		if (!wait)
			return NULL;
		if (c->ended)
			return NULL;
		if (!refill(c) && !c->news && poll(&p, 1, -1) < 0)
			return NULL;
	}
}

/* Delivers nothing, delays nothing, and ends with the carrier. */
static enum pull next_watermark(struct stream *g, struct err *e)
{
	struct carrier *c =
		(struct carrier *)((char *)g - offsetof(struct carrier, watermark_stream));

	g->watermark = UINT64_MAX;
	refill(c);
	if (c->news)
		return PULL_AGAIN;
	return c->ended ? PULL_EOF : PULL_WAIT;
}

static const struct stream_ops watermark_ops = { .next = next_watermark };

/* ---- the kind ---- */

static bool probe(const struct input *in)
{
	uint8_t head[FRAMES_HEAD_LEN + 4];
	struct err e;

	return input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       !memcmp(head, FRAMES_MAGIC, FRAMES_MAGIC_LEN) &&
	       bytes_u32(head + FRAMES_HEAD_LEN, false) == FRAME_CARRIER;
}

static int poll_fds(struct source *s, struct pollfd *fds, int max)
{
	const struct carrier *c = (const struct carrier *)s;

	if (c->ended || max < 1)
		return 0;
	fds[0] = (struct pollfd){ .fd = s->in.fd, .events = POLLIN };
	s->wait_ms = c->deadline ? ENDING_MS : IDLE_MS;
	return 1;
}

static void stop_soon(struct source *s)
{
	((struct carrier *)s)->deadline = mono_ns() + STOP_NS;
}

static void close_source(struct source *s)
{
	struct carrier *c = (struct carrier *)s;

	frame_reader_fini(&c->in);
	for (unsigned i = 0; i < c->nlanes; i++) {
		free(c->lanes[i]->fed.p);
		free(c->lanes[i]->pieces);
		free(c->lanes[i]->name);
		free(c->lanes[i]);
	}
	free(c->lanes);
	metastore_free(c->store);
	free(c->spare);
	input_close(&s->in);
	free(c);
}

static const struct source_ops piped_carrier = {
	.name = "carrier of zed streams",
	.more = more,
	.fds = poll_fds,
	.stop = stop_soon,
	.close = close_source,
};

static struct source *open_source(struct input *in, struct catalog *catalog,
				  const struct source_opts *o, struct err *e)
{
	struct carrier *c = mem_zalloc(sizeof(*c));

	c->base.ops = in->piped ? &piped_carrier : &carrier_source;
	c->base.in = *in;
	c->catalog = catalog;
	c->opts = *o;
	c->store = metastore_new();
	c->origin.path = c->base.in.path;
	c->origin.instance = "";
	c->watermark_stream =
		(struct stream){ .ops = &watermark_ops, .from = &c->origin, .multiplexed = true };
	c->base.watermark_stream = &c->watermark_stream;
	if (frame_reader_init(&c->in, &c->base.in, e) < 0) {
		err_path(e, c->base.in.path);
		close_source(&c->base);
		return NULL;
	}
	c->in.wait = false;
	/* For a file, only the places of its pieces. */
	c->in.only = c->base.in.piped ? 0 : CARRIER_NAME + 1 + 4;
	return &c->base;
}

const struct source_ops carrier_source = {
	.name = "carrier of zed streams",
	.takes_pipe = true,
	.probe = probe,
	.open = open_source,
	.more = more_of_file,
	.close = close_source,
};
