// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedstream: turns a zed stream, saved or from a pipe that is still being written, into a source.
 * Its frames come in one order and its CPUs are asked in another: between them stand queues of
 * pages, bounded for all CPUs together.
 */
#include "reader/zedstream/zedstream.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/mono.h"
#include "reader/model/comm_line.h"
#include "reader/model/comm_log.h"
#include "reader/zedstream/meta.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_QUEUED (64u << 20)	/* bytes of pages that wait, of all CPUs together */
#define MAX_FORMATS (64u << 20) /* bytes of formats that come in frames of their own */
#define MAX_STATS 4096		/* bytes of a CPU's statistics: the kernel's are about 200 */
#define STOP_NS 1000000000ull	/* how long the end is waited for, once somebody wants it */
#define AHEAD_EVERY 8		/* pages that are given before the pipe is looked at again */
#define CHUNK_COST 64		/* bytes that a chunk costs besides its pages */

/* The pages of one frame. */
struct chunk {
	struct chunk *next;
	uint8_t *p; /* the frame's payload */
	uint32_t len, at;
	uint64_t off; /* of p in the stream */
};

/* The feed of one CPU. */
struct cpu {
	struct feed feed; /* must be first */
	struct frames *f;
	struct stream *stream;
	struct chunk *first, **last;
	uint64_t newest;    /* time of the page that came last */
	uint64_t watermark; /* by the rounds so far */
	uint64_t told;	    /* of that, what has been told downstream */
	uint64_t made_up;   /* the watermark that was made up while too much waited */
	unsigned busy;	    /* the number of the last round that excepted it */
	bool stats;
};

struct format_text {
	struct format_text *next;
	uint8_t *p;
};

struct frames {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct notes *notes;
	struct dat *meta;
	struct frame_reader in;
	struct buffer buffer;
	struct origin *origins;
	struct cpu *cpus;
	unsigned ncpus;
	/*
	 * Names stand behind the pages that need them, up to the next round.  So where they come,
	 * no event is given that the rounds have not passed: the gate is asked as a CPU that never
	 * has a page.
	 */
	struct stream gate;
	struct cpu gate_cpu;
	struct origin gate_from;
	bool watched;
	unsigned rounds;
	size_t queued;
	struct format_text *formats;
	size_t formats_len;
	uint64_t deadline; /* CLOCK_MONOTONIC ns; 0: nobody wants to stop */
	bool ended;
	unsigned given; /* pages, since the pipe was looked at */
	bool failed;	/* what was read ahead failed: LATE is told when its place comes */
	struct err late;
	bool strange_cpu; /* said that pages came of a CPU that was not announced */
};

/* ---- queues ---- */

static void drop_first(struct cpu *c)
{
	struct chunk *k = c->first;

	c->first = k->next;
	if (!c->first)
		c->last = &c->first;
	c->f->queued -= k->len + CHUNK_COST;
	free(k->p);
	free(k);
}

static void queue_pages(struct cpu *c, struct frame *fr)
{
	struct chunk *k = mem_alloc(sizeof(*k));
	uint32_t size = c->f->buffer.page_size, last = 4 + (fr->len - 5) / size * size;

	*k = (struct chunk){
		.p = fr->p, .len = fr->len, .at = 4, .off = fr->off + FRAMES_FRAME_LEN
	};
	fr->p = NULL;
	*c->last = k;
	c->last = &k->next;
	c->f->queued += k->len + CHUNK_COST;
	if (k->len - last >= 8)
		c->newest = bytes_u64(k->p + last, c->f->meta->layout.big_endian);
}

/*
 * More waits than may: some CPU must go on without knowing what the silent ones will bring.  The
 * time up to which all that have pages have them will do, mostly; if it does not, anything.
 */
static uint64_t made_up(struct cpu *c)
{
	struct frames *f = c->f;
	uint64_t least = INT64_MAX;

	for (unsigned i = 0; i < f->ncpus; i++)
		if (f->cpus[i].first && f->cpus[i].newest < least)
			least = f->cpus[i].newest;
	c->made_up = least > c->made_up && least > c->told ? least : INT64_MAX;
	return c->made_up;
}

/* ---- frames ---- */

static enum pull bad_frame(const struct frame *fr, struct err *e, const char *what)
{
	return err_set(e, ERR_FORMAT, fr->off, "%s of %u bytes %s: left out",
		       fr->kind == FRAME_PAGES				 ? "frame of pages" :
		       fr->kind == FRAME_ROUND				 ? "frame of a round" :
		       fr->kind == FRAME_COMM || fr->kind == FRAME_NAMES ? "frame of names" :
		       fr->kind == FRAME_FORMAT				 ? "frame of a format" :
		       fr->kind == FRAME_STATS				 ? "frame of statistics" :
									   "frame",
		       fr->len, what);
}

static enum pull take_pages(struct frames *f, struct frame *fr, struct err *e)
{
	uint32_t cpu;

	if (fr->len <= 4)
		return bad_frame(fr, e, "holds none");
	cpu = bytes_u32(fr->p, false);
	if (cpu >= f->ncpus) {
		if (!f->strange_cpu)
			note_say(f->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": pages of cpu %u, where the stream has "
				 "told of %u CPU%s: they and others like them are left out",
				 f->base.in.path, fr->off, cpu, f->ncpus, plural(f->ncpus));
		f->strange_cpu = true;
		return PULL_OK;
	}
	f->buffer.cpus[cpu].size += fr->len - 4;
	if (!f->cpus[cpu].stream->unread)
		queue_pages(&f->cpus[cpu], fr);
	return PULL_OK;
}

static enum pull take_round(struct frames *f, const struct frame *fr, struct err *e)
{
	uint64_t watermark;
	uint32_t n;

	if (fr->len < 12)
		return bad_frame(fr, e, "is too short");
	watermark = bytes_u64(fr->p, false);
	n = bytes_u32(fr->p + 8, false);
	if (n != (fr->len - 12) / 4 || (fr->len - 12) % 4)
		return bad_frame(fr, e, "has another number of CPUs than it says");
	f->rounds++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t cpu = bytes_u32(fr->p + 12 + 4 * (size_t)i, false);

		if (cpu < f->ncpus)
			f->cpus[cpu].busy = f->rounds;
	}
	if (watermark > INT64_MAX)
		watermark = INT64_MAX;
	/* An event of that very time may still come, and have to go first by its CPU. */
	if (watermark)
		watermark--;
	for (unsigned i = 0; i < f->ncpus; i++)
		if (f->cpus[i].busy != f->rounds && watermark > f->cpus[i].watermark)
			f->cpus[i].watermark = watermark;
	if (watermark > f->gate_cpu.watermark)
		f->gate_cpu.watermark = watermark;
	return PULL_OK;
}

static enum pull take_comms(struct frames *f, const struct frame *fr, struct err *e)
{
	struct comm_lines l = { .p = (const char *)fr->p, .end = (const char *)fr->p + fr->len };
	struct comm_line c;

	while (comm_lines_next(&l, &c))
		machine_learn_comm(&f->base.machine, c.pid, c.name, c.len);
	return l.bad ? bad_frame(fr, e, "has lines that are none") : PULL_OK;
}

static enum pull take_names(struct frames *f, const struct frame *fr, struct err *e)
{
	struct comm_record r;
	size_t at = 0;

	if (!f->watched)
		return bad_frame(fr, e, "comes without an announcement");
	while (commlog_next(fr->p, fr->len, &at, &r))
		machine_tell_comm(&f->base.machine, r.ts, r.pid, r.name, r.len);
	return at < fr->len ? bad_frame(fr, e, "has names that are none") : PULL_OK;
}

/* A format that is new: its text has to live as long as the source. */
static enum pull take_format(struct frames *f, struct frame *fr, struct err *e)
{
	const char *system = (const char *)fr->p, *text, *name;
	const struct etype *t;
	struct format_text *keep;
	size_t n, len;
	unsigned id;

	n = strnlen(system, fr->len < 256 ? fr->len : 256);
	if (n >= fr->len || n == 256 || !n)
		return bad_frame(fr, e, "names no subsystem");
	text = system + n + 1;
	len = fr->len - n - 1;
	if (format_head(text, len, &name, &n, &id, e) < 0) {
		e->off = fr->off;
		return err_within(e, "system %s", system);
	}
	/* format_head() takes no id of more than 16 bits. */
	if (idmap_knows(&f->meta->ids, id))
		return PULL_OK;
	if (fr->len > MAX_FORMATS - f->formats_len)
		return bad_frame(fr, e, "comes after as much as is kept of formats");
	t = catalog_add(f->catalog, &f->meta->base.machine, system, text, len, e);
	if (!t) {
		e->off = fr->off;
		return PULL_ERR;
	}
	idmap_add(&f->meta->ids, t);
	keep = mem_alloc(sizeof(*keep));
	*keep = (struct format_text){ .next = f->formats, .p = fr->p };
	f->formats = keep;
	f->formats_len += fr->len;
	fr->p = NULL;
	return PULL_OK;
}

/* The kernel's statistics of a CPU, as a CPUSTAT option of a trace.dat has them. */
static enum pull take_stats(struct frames *f, const struct frame *fr, struct err *e)
{
	char text[MAX_STATS + 32];
	struct cursor c;
	uint32_t cpu;
	int n;

	if (fr->len < 4 || fr->len - 4 > MAX_STATS)
		return bad_frame(fr, e, "has no size that statistics have");
	cpu = bytes_u32(fr->p, false);
	if (cpu >= f->ncpus || f->cpus[cpu].stats)
		return bad_frame(fr, e, "is of a CPU that does not exist, or had one");
	f->cpus[cpu].stats = true;
	n = snprintf(text, sizeof(text), "CPU: %u\n%.*s", cpu, (int)(fr->len - 4),
		     (const char *)fr->p + 4);
	cursor_init(&c, text, n, fr->off, false);
	dat_option(f->meta, DAT_CPUSTAT, c);
	return PULL_OK;
}

static enum pull take_end(struct frames *f, const struct frame *fr)
{
	uint64_t after = fr->off + FRAMES_FRAME_LEN + fr->len;

	if (!f->base.in.piped && f->base.in.size > after)
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": the stream has its end here, and the file has "
			 "%" PRIu64 " byte%s more: left out",
			 f->base.in.path, after, f->base.in.size - after,
			 plural(f->base.in.size - after));
	f->ended = true;
	return PULL_OK;
}

static enum pull take_frame(struct frames *f, struct frame *fr, struct err *e)
{
	switch (fr->kind) {
	case FRAME_PAGES:
		return take_pages(f, fr, e);
	case FRAME_ROUND:
		return take_round(f, fr, e);
	case FRAME_COMM:
		return take_comms(f, fr, e);
	case FRAME_NAMES:
		return take_names(f, fr, e);
	case FRAME_FORMAT:
		return take_format(f, fr, e);
	case FRAME_STATS:
		return take_stats(f, fr, e);
	case FRAME_END:
		return take_end(f, fr);
	case FRAME_META:
	case FRAME_READY:
		return bad_frame(fr, e, "of metadata behind their end");
	default:
		if (frame_pass(fr, e) == 0)
			return PULL_OK;
		f->ended = true;
		return PULL_ERR;
	}
}

/* Take one frame in.  PULL_EOF: there are no more. */
static enum pull read_frame(struct frames *f, struct err *e)
{
	struct frame fr = { 0 };
	enum pull rc;

	if (f->deadline && mono_ns() > f->deadline) {
		note_say(f->notes, NOTE_WARN,
			 "%s: its recorder has not ended a second after it was to: the rest of the "
			 "trace is left",
			 f->base.in.path);
		f->ended = true;
		return PULL_EOF;
	}
	rc = frame_next(&f->in, &fr, e);
	switch (rc) {
	case PULL_OK:
		rc = take_frame(f, &fr, e);
		free(fr.p);
		break;
	case PULL_EOF:
		note_say(f->notes, NOTE_DAMAGE,
			 "%s: the stream ends without its end (recorder killed?): read up to "
			 "offset 0x%" PRIx64,
			 f->base.in.path, f->in.whole);
		/* fall through */
	case PULL_ERR:
		f->ended = true;
		break;
	default:
		break;
	}
	f->base.salvaged |= f->ended && rc != PULL_OK;
	return rc;
}

static void count_bytes(struct frames *f)
{
	/* Which CPU will have how much is not known: each counts for the same. */
	for (unsigned i = 0; i < f->ncpus; i++)
		f->cpus[i].feed.done = f->in.whole / f->ncpus;
}

/*
 * A recorder that cannot write loses events, so a pipe is emptied while handlers run, too, and not
 * only when there is nothing left for them.
 */
static void read_ahead(struct frames *f)
{
	if (!f->base.in.piped || f->ended || f->failed || ++f->given < AHEAD_EVERY)
		return;
	f->given = 0;
	while (!f->ended && f->queued < MAX_QUEUED / 2) {
		enum pull rc = read_frame(f, &f->late);

		f->failed = rc == PULL_ERR;
		if (rc != PULL_OK)
			break;
	}
}

static enum pull next_page(struct feed *feed, struct page *out, struct err *e)
{
	struct cpu *c = (struct cpu *)feed;
	struct frames *f = c->f;

	if (c->first && c->first->at >= c->first->len)
		drop_first(c);
	for (;;) {
		struct chunk *k = c->first;
		enum pull rc;

		if (k) {
			read_ahead(f);
			out->p = k->p + k->at;
			out->len = k->len - k->at < f->buffer.page_size ? k->len - k->at :
									  f->buffer.page_size;
			out->off = k->off + k->at;
			k->at += out->len;
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
		if (f->queued > MAX_QUEUED) {
			feed->watermark = made_up(c);
			return PULL_AGAIN;
		}
		c->made_up = 0;
		rc = read_frame(f, e);
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
	struct cpu *c = (struct cpu *)feed;

	while (c->first)
		drop_first(c);
}

static const struct feed_ops feed_ops = { next_page, close_feed };

static enum pull next_gate(struct stream *s, struct err *e)
{
	struct frames *f = (struct frames *)((char *)s - offsetof(struct frames, gate));
	struct page none;
	enum pull rc = next_page(&f->gate_cpu.feed, &none, e);

	if (rc == PULL_WAIT || rc == PULL_AGAIN)
		s->watermark = clock_apply(&f->meta->clock, 0, f->gate_cpu.feed.watermark);
	return rc;
}

static const struct stream_ops gate_ops = { .next = next_gate };

/* ---- opening ---- */

static bool probe(const struct input *in)
{
	uint8_t head[FRAMES_MAGIC_LEN];
	struct err e;

	return input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       !memcmp(head, FRAMES_MAGIC, FRAMES_MAGIC_LEN);
}

static int open_meta(struct frames *f, const struct source_opts *o, struct err *e)
{
	f->meta = framemeta_open(&f->in, f->catalog, o, &f->buffer.page_size, &f->buffer.clock,
				 &f->watched, e);
	return f->meta ? 0 : -1;
}

static int make_streams(struct frames *f, struct err *e)
{
	unsigned n = f->meta->base.cpu_count;

	if (!n || n > DAT_MAX_CPUS)
		return err_set(e, ERR_FORMAT, FRAMES_HEAD_LEN,
			       "its metadata tell of %u CPUs, and 1 to %u are possible", n,
			       DAT_MAX_CPUS);
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

		c->feed.ops = &feed_ops;
		c->feed.total = f->base.in.piped ? 0 : f->base.in.size / n;
		c->f = f;
		c->last = &c->first;
		f->buffer.cpus[i].cpu = i;
		f->origins[i] = (struct origin){ .path = f->base.in.path,
						 .instance = f->buffer.name,
						 .cpu = i };
		r.layout.page_size = f->buffer.page_size;
		c->stream = f->base.streams[f->base.nstreams++] = ring_stream(&r);
	}
	return 0;
}

static void make_gate(struct frames *f)
{
	f->gate_cpu.f = f;
	f->gate_cpu.last = &f->gate_cpu.first;
	f->gate_from = (struct origin){ .path = f->base.in.path, .instance = f->buffer.name };
	/* Multiplexed: what damage it meets is of no CPU. */
	f->gate = (struct stream){ .ops = &gate_ops, .from = &f->gate_from, .multiplexed = true };
	f->base.gate = &f->gate;
	machine_watch_comms(&f->base.machine);
}

static void close_frames(struct source *s)
{
	struct frames *f = (struct frames *)s;

	for (unsigned i = 0; i < s->nstreams; i++)
		s->streams[i]->ops->close(s->streams[i]);
	frame_reader_fini(&f->in);
	machine_fini(&s->machine);
	if (f->meta)
		dat_close(&f->meta->base);
	while (f->formats) {
		struct format_text *t = f->formats;

		f->formats = t->next;
		free(t->p);
		free(t);
	}
	free(f->buffer.name);
	free(f->buffer.clock);
	free(f->buffer.cpus);
	free(f->cpus);
	free(f->origins);
	free(s->streams);
	input_close(&s->in);
	free(f);
}

static int poll_fds(struct source *s, struct pollfd *fds, int max)
{
	struct frames *f = (struct frames *)s;

	if (f->ended || max < 1)
		return 0;
	fds[0] = (struct pollfd){ .fd = s->in.fd, .events = POLLIN };
	return 1;
}

static void stop(struct source *s)
{
	((struct frames *)s)->deadline = mono_ns() + STOP_NS;
}

/* What has been opened from a pipe: it can be waited for, and told to come to its end. */
static const struct source_ops piped_source = {
	.name = "zed stream",
	.fds = poll_fds,
	.stop = stop,
	.close = close_frames,
};

static struct source *open_frames(struct input *in, struct catalog *c, const struct source_opts *o,
				  struct err *e)
{
	struct frames *f = mem_zalloc(sizeof(*f));

	f->base.ops = in->piped ? &piped_source : &frames_source;
	f->base.in = *in;
	f->catalog = c;
	f->notes = o->notes;
	f->buffer.name = mem_strdup("");
	if (frame_reader_init(&f->in, &f->base.in, e) < 0 || open_meta(f, o, e) < 0 ||
	    make_streams(f, e) < 0) {
		err_path(e, f->base.in.path);
		close_frames(&f->base);
		return NULL;
	}
	f->in.wait = false;
	f->base.buffers = &f->buffer;
	f->base.nbuffers = 1;
	f->base.dialect = "v1";
	f->base.compression = "none";
	f->base.cpu_count = f->ncpus;
	f->base.clock_is_ns = f->meta->clock.mult || clock_in_seconds(f->buffer.clock);
	/* Types know the metadata's machine; this one answers where there is no event. */
	machine_init(&f->base.machine, &dat_texts, f->meta, o->notes);
	f->base.machine.big_endian = f->meta->base.machine.big_endian;
	f->base.machine.swap = f->meta->base.machine.swap;
	f->base.machine.long_size = f->meta->base.machine.long_size;
	f->base.machine.named = &f->meta->base.machine;
	if (f->watched)
		make_gate(f);
	return &f->base;
}

const struct source_ops frames_source = {
	.name = "zed stream",
	.takes_pipe = true,
	.probe = probe,
	.open = open_frames,
	.close = close_frames,
};
