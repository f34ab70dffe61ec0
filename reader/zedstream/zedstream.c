// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedstream: the source of a zed stream, saved or from a pipe that is still being written.  Frames
 * arrive in one order and CPUs are read in another: queues of pages, with a common bound, are
 * between them.
 */
#include "reader/zedstream/zedstream.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/zedstream/zedstream_priv.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define MAX_QUEUED (64u << 20) /* bytes of queued pages, for all CPUs */
#define IDLE_MS 1000	       /* nothing changes until the pipe has data */
#define ENDING_MS 50	       /* ... except the deadline for the end */
#define STOP_NS 1000000000ull  /* how long to wait for the end after a stop */
#define AHEAD_EVERY 8	       /* pages delivered before the pipe is read again */

/* ---- the feeds ---- */

/*
 * Too much is queued: some CPU must continue without knowing what the silent ones will send.
 * Usually the time up to which all CPUs with pages have data is enough as a watermark; if not, it
 * is INT64_MAX.
 */
static uint64_t made_up(struct cpu *c)
{
	struct zedstream *f = c->f;
	uint64_t least = INT64_MAX;

	for (unsigned i = 0; i < f->ncpus; i++)
		if (!queue_empty(&f->cpus[i].waiting) && f->cpus[i].waiting.newest < least)
			least = f->cpus[i].waiting.newest;
	c->made_up = least > c->made_up && least > c->told ? least : INT64_MAX;
	return c->made_up;
}

/* Is more than that queued for other streams of our carrier while we have nothing? */
static bool others_wait(const struct zedstream *f)
{
	const struct input_fed *q = f->base.in.fed;

	return q && q->at == q->have && !q->ended && *q->waiting > MAX_QUEUED;
}

static void count_bytes(struct zedstream *f)
{
	/* The amount of data per CPU is unknown: all count the same. */
	for (unsigned i = 0; i < f->ncpus; i++)
		f->cpus[i].feed.done = f->in.whole / f->ncpus;
}

/*
 * A recorder that cannot write loses events, so a pipe is also read while handlers run, not only
 * when they have nothing left.
 */
static void read_ahead(struct zedstream *f)
{
	if (!f->base.in.piped || f->ended || f->failed || ++f->given < AHEAD_EVERY)
		return;
	f->given = 0;
	while (!f->ended && f->queued < MAX_QUEUED / 2) {
		enum pull rc = intake_frame(f, &f->late);

		f->failed = rc == PULL_ERR;
		if (rc != PULL_OK)
			break;
	}
}

/* The losses of a frame are complete once the pages before it have been delivered. */
static void settle_losses(struct cpu *c)
{
	if (!c->lost || queue_offset(&c->waiting) <= c->lost_off)
		return;
	c->feed.settled = c->lost;
	c->lost = 0;
}

static enum pull next_page(struct feed *feed, struct page *out, struct err *e)
{
	struct cpu *c = (struct cpu *)feed;
	struct zedstream *f = c->f;

	queue_release(&c->waiting);
	for (;;) {
		enum pull rc;

		settle_losses(c);
		if (!queue_empty(&c->waiting)) {
			read_ahead(f);
			queue_next(&c->waiting, out);
			return PULL_OK;
		}
		if (f->failed) {
			f->failed = false;
			*e = f->late;
			return PULL_ERR;
		}
		if (f->ended) {
			count_bytes(f);
			return PULL_EOF;
		}
		if (c->watermark > c->told) {
			feed->watermark = c->told = c->watermark;
			return PULL_AGAIN;
		}
		if (f->queued > MAX_QUEUED || others_wait(f)) {
			feed->watermark = made_up(c);
			return PULL_AGAIN;
		}
		c->made_up = 0;
		rc = intake_frame(f, e);
		if (rc == PULL_WAIT) {
			feed->watermark = c->told;
			return PULL_WAIT;
		}
		if (rc == PULL_ERR)
			return rc;
		feed->done = f->in.whole / f->ncpus;
	}
}

static void close_feed(struct feed *feed)
{
	queue_fini(&((struct cpu *)feed)->waiting);
}

static const struct feed_ops cpu_feed = { .page = next_page, .close = close_feed };

static enum pull next_watermark(struct stream *s, struct err *e)
{
	struct zedstream *f =
		(struct zedstream *)((char *)s - offsetof(struct zedstream, watermark_stream));
	struct page none;
	enum pull rc = next_page(&f->gate_cpu.feed, &none, e);

	if (rc == PULL_WAIT || rc == PULL_AGAIN)
		s->watermark = clock_watermark(&f->meta->clock, 0, f->gate_cpu.feed.watermark);
	return rc;
}

static const struct stream_ops watermark_ops = { .next = next_watermark };

/* ---- opening ---- */

static bool probe(const struct input *in)
{
	uint8_t head[FRAMES_MAGIC_LEN];
	struct err e;

	return input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       !memcmp(head, FRAMES_MAGIC, FRAMES_MAGIC_LEN);
}

static int open_meta(struct zedstream *f, const struct source_opts *o, struct err *e)
{
	f->meta = framemeta_open(&f->in, f->catalog, o, &f->buffer.page_size, &f->buffer.clock,
				 &f->watched, e);
	if (!f->meta)
		return -1;
	f->compared = o->compared;
	f->ahead = f->ahead_now = o->ahead;
	f->wrong = o->wrong;
	if (!o->compared)
		return 0;
	/*
	 * Its times are now those of CLOCK_MONOTONIC there, with which its clock was compared, or
	 * of the time of day there, whatever date it has itself.
	 */
	f->dated = o->wall;
	f->meta->clock.offset = (int64_t)((uint64_t)o->ahead + (uint64_t)(o->wall ? o->day : 0));
	f->meta->base.is_wall = o->wall;
	f->buffer.declared_clock = f->buffer.clock;
	f->buffer.clock = mem_strdup("mono");
	return 0;
}

static int make_streams(struct zedstream *f, struct err *e)
{
	unsigned n = f->meta->base.cpu_count;

	if (!n || n > DAT_MAX_CPUS)
		return err_set(e, ERR_FORMAT, FRAMES_HEAD_LEN,
			       "its metadata say %u CPUs; 1 to %u are possible", n, DAT_MAX_CPUS);
	if (f->meta->layout.data_off + 8 > f->buffer.page_size)
		return err_set(e, ERR_FORMAT, FRAMES_HEAD_LEN,
			       "sub-buffers of %u bytes cannot hold data at offset %u",
			       f->buffer.page_size, f->meta->layout.data_off);
	f->ncpus = n;
	f->cpus = mem_zalloc(n * sizeof(*f->cpus));
	f->origins = mem_zalloc(n * sizeof(*f->origins));
	f->buffer.cpus = mem_zalloc(n * sizeof(*f->buffer.cpus));
	f->buffer.ncpus = n;
	f->base.streams = mem_zalloc(n * sizeof(*f->base.streams));
	for (unsigned i = 0; i < n; i++) {
		struct cpu *c = &f->cpus[i];
		struct ring_opts r = {
			.feed = &c->feed,
			.layout = f->meta->layout,
			.clock = &f->meta->clock,
			.ids = &f->meta->ids,
			.from = &f->origins[i],
			.seq = i,
		};

		c->feed.ops = &cpu_feed;
		c->feed.total = f->base.in.piped ? 0 : f->base.in.size / n;
		c->f = f;
		queue_init(&c->waiting, &f->queued, f->buffer.page_size,
			   f->meta->layout.big_endian);
		f->buffer.cpus[i].cpu = i;
		f->origins[i] = (struct origin){ .path = f->base.in.path,
						 .instance = f->buffer.name,
						 .cpu = i };
		r.layout.page_size = f->buffer.page_size;
		c->stream = f->base.streams[f->base.nstreams++] = ring_stream(&r);
	}
	return 0;
}

static void make_watermark_stream(struct zedstream *f)
{
	f->gate_cpu.f = f;
	f->watermark_from = (struct origin){ .path = f->base.in.path, .instance = f->buffer.name };
	/* Multiplexed: its damage does not belong to any CPU. */
	f->watermark_stream = (struct stream){ .ops = &watermark_ops,
					       .from = &f->watermark_from,
					       .multiplexed = true };
	f->base.watermark_stream = &f->watermark_stream;
	comms_expect_all(f->base.machine.comms);
}

static void close_source(struct source *s)
{
	struct zedstream *f = (struct zedstream *)s;

	source_fini(s);
	frame_reader_fini(&f->in);
	if (f->meta)
		dat_close(&f->meta->base);
	while (f->formats) {
		struct format_text *t = f->formats;

		f->formats = t->next;
		free(t->p);
		free(t);
	}
	free(f->names);
	free(f->cgroups.p);
	free(f->maps.p);
	map_limit_fini(&f->maps_limit);
	buffer_fini(&f->buffer);
	free(f->cpus);
	free(f->origins);
	free(f);
}

static int poll_fds(struct source *s, struct pollfd *fds, int max)
{
	struct zedstream *f = (struct zedstream *)s;

	if (f->ended || max < 1)
		return 0;
	fds[0] = (struct pollfd){ .fd = s->in.fd, .events = POLLIN };
	s->wait_ms = f->deadline ? ENDING_MS : IDLE_MS;
	return 1;
}

static void stop_soon(struct source *s)
{
	struct zedstream *f = (struct zedstream *)s;
	int waiting = 0;

	if (ioctl(f->base.in.fd, FIONREAD, &waiting) < 0)
		waiting = 0;
	f->stop_at = f->in.off + (uint64_t)waiting;
	f->deadline = mono_ns() + STOP_NS;
}

static void summary(struct source *s, void (*line)(void *arg, const char *label, const char *text),
		    void *arg)
{
	const struct zedstream *f = (const struct zedstream *)s;
	int64_t drift = (int64_t)((uint64_t)f->ahead_now - (uint64_t)f->ahead);
	char text[160];

	if (!s->in.fed)
		return;
	if (f->compared)
		snprintf(text, sizeof(text),
			 "%+.9f s to those of the machine that received it, +-%.9f s; "
			 "drift %+.9f s%s",
			 (double)f->ahead / 1e9, (double)f->wrong / 1e9, (double)drift / 1e9,
			 f->dated ? "; shown as its time of day" : "");
	else
		snprintf(text, sizeof(text), "not compared with that of other sources");
	line(arg, "times", text);
}

/* A stream from a pipe: it can be polled, and stopped. */
static const struct source_ops piped_source = {
	.name = "zed stream",
	.metadata = zedstream_metadata,
	.summary = summary,
	.fds = poll_fds,
	.stop = stop_soon,
	.close = close_source,
};

static struct source *open_source(struct input *in, struct catalog *c, const struct source_opts *o,
				  struct err *e)
{
	struct zedstream *f = mem_zalloc(sizeof(*f));

	f->base.ops = (in->fed ? in->fed->live : in->piped) ? &piped_source : &zedstream_source;
	f->base.in = *in;
	f->catalog = c;
	f->notes = o->notes;
	f->keep_names = o->keep_names;
	f->buffer.name = mem_strdup("");
	if (frame_reader_init(&f->in, &f->base.in, e) < 0 || open_meta(f, o, e) < 0 ||
	    make_streams(f, e) < 0) {
		err_path(e, f->base.in.path);
		close_source(&f->base);
		return NULL;
	}
	f->in.wait = false;
	f->base.buffers = &f->buffer;
	f->base.nbuffers = 1;
	f->base.dialect = "v1";
	f->base.compression = "none";
	f->base.cpu_count = f->ncpus;
	f->base.is_wall = f->meta->base.is_wall;
	f->base.clock_is_ns = f->meta->clock.mult || clock_in_seconds(f->buffer.clock);
	/* Types belong to the metadata's machine; this one is used if there is no event. */
	machine_init(&f->base.machine, &dat_texts, f->meta, o->notes);
	f->base.machine.big_endian = f->meta->base.machine.big_endian;
	f->base.machine.swap = f->meta->base.machine.swap;
	f->base.machine.long_size = f->meta->base.machine.long_size;
	machine_share_tasks(&f->base.machine, &f->meta->base.machine);
	if (f->watched)
		make_watermark_stream(f);
	return &f->base;
}

const struct source_ops zedstream_source = {
	.name = "zed stream",
	.takes_pipe = true,
	.probe = probe,
	.open = open_source,
	.metadata = zedstream_metadata,
	.summary = summary,
	.close = close_source,
};
