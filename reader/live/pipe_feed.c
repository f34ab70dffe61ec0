// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pipe_feed: reads the sub-buffers of a CPU from trace_pipe_raw, and computes a watermark when
 * there are none: the time before which nothing more can arrive.
 */
#include "reader/live/pipe_feed.h"

#include "base/mem.h"
#include "base/mono.h"
#include "ring/record_count.h"
#include "ring/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MSEC 1000000ull
#define SEC (1000 * MSEC)
#define LONG_QUEUE 2048	    /* pages: a queue that was so long leaves holes in the heap */
#define MAX_REST (5 * MSEC) /* a storm fills a third of a CPU's buffer in that time */
#define OWN_PAGES 16384	    /* searched for our own events, until every second one is enough */

struct livefeed {
	struct feed base; /* must be first */
	struct live_time *time;
	int cpu, fd;
	const struct cpu_stats *before; /* when we attached to another's instance; or NULL */
	uint32_t page_size;
	uint8_t **pages; /* a ring: buffers of those queued, and of the next one, else NULL */
	uint32_t *lens;
	unsigned slots;	   /* one is with the caller, the others may be queued */
	unsigned first, n; /* the queued pages */
	unsigned longest;  /* the most of them since there were none */
	bool out;	   /* the first is with the caller */
	uint32_t spent; /* bytes of the last one, which the next buffer still has; 0: it does not */
	uint64_t emptied; /* wall ns of the read that left nothing, or little; 0: read it again */
	uint64_t asked;	  /* wall ns of the last read that found nothing */
	uint64_t at;	  /* bytes of pages delivered: the offset in messages */
	uint64_t taken, looked, every, own; /* pages; one in `every` is searched */
	uint64_t given;			    /* pages */
	struct feed_due {
		bool is_due;
		uint64_t lost, read; /* as livefeed_expect() has them ... */
		uint64_t wall;	     /* ... at this time, ns */
		uint64_t pages;	     /* those read by then */
		bool is_read;	     /* these have been given and walked */
	} due;
	const uint64_t *seen; /* records of its stream; NULL: not counted */
	uint64_t others;      /* events that others have read */
	bool ended;
	bool settled;  /* with BEFORE: losses are reported as usual */
	bool troubled; /* an error that may be temporary was reported */
	bool absent;   /* its CPU has no buffer yet: poll() would always return at once */
	bool failed;   /* fault says why; reported after the pages */
	struct err fault;
};

void live_time_init(struct live_time *t, struct session *s, uint64_t slack, struct notes *notes)
{
	memset(t, 0, sizeof(*t));
	t->session = s;
	t->notes = notes;
	t->slack = slack;
	t->rest = slack / 4 < MSEC ? MSEC : slack / 4 > MAX_REST ? MAX_REST : slack / 4;
	t->cheap = session_clock_is_cheap(s);
	t->ticked = mono_ns();
}

static bool clock_now(struct live_time *t, uint64_t *now)
{
	struct err e;

	if (session_now(t->session, now, &e) == 0)
		return true;
	if (!t->blind) {
		err_within(&e, "the clock cannot be read, so events wait for each other up to the "
			       "end");
		note_err(t->notes, NOTE_WARN, &e);
	}
	t->blind = true;
	return false;
}

/* Read a clock that is read from a file, if the last reading is long enough ago. */
static void stamp(struct live_time *t, uint64_t wall)
{
	uint64_t every = t->slack / 2 > MSEC ? t->slack / 2 : MSEC, clock;

	if (t->nstamps && wall - t->stamps[t->last_stamp].wall < every)
		return;
	if (!clock_now(t, &clock))
		return;
	if (t->nstamps < LIVE_STAMPS)
		t->nstamps++;
	t->last_stamp = (t->last_stamp + 1) % LIVE_STAMPS;
	/* Using the wall time before the reading would promise too much. */
	t->stamps[t->last_stamp] = (struct live_stamp){ .wall = mono_ns(), .clock = clock };
}

uint64_t live_watermark(struct live_time *t, uint64_t wall)
{
	uint64_t now, best = 0;

	if (t->cheap)
		return clock_now(t, &now) && now > t->slack ? now - t->slack : 0;
	stamp(t, wall);
	for (unsigned i = 0; i < t->nstamps; i++) {
		const struct live_stamp *s =
			&t->stamps[(t->last_stamp + LIVE_STAMPS - i) % LIVE_STAMPS];

		if (s->wall + t->slack <= wall) {
			best = s->clock;
			break;
		}
	}
	return best;
}

/* Nothing was there at WALL, when the watermark was WATERMARK. */
static void promise(struct livefeed *f, uint64_t wall, uint64_t watermark)
{
	f->emptied = f->asked = wall;
	if (watermark > f->base.watermark)
		f->base.watermark = watermark;
}

/* Nothing there now; also the answer for a CPU that is not (yet) online. */
static bool is_dry(int error)
{
	return error == EAGAIN || error == EINTR || error == ENODEV;
}

/* A temporary error does not hold up the other CPUs. */
static bool may_pass(int error)
{
	return is_dry(error) || error == ENOMEM || error == EBUSY;
}

/* By the kernel's count; another process's instance traces on. */
static bool holds_more(const struct livefeed *f)
{
	struct cpu_stats now;
	struct err none;

	return !f->before && session_stats(f->time->session, f->cpu, &now, NULL, &none) == 0 &&
	       now.entries;
}

static enum pull no_page(struct livefeed *f, ssize_t got, int error, uint64_t wall,
			 uint64_t watermark)
{
	if (got < 0 && may_pass(error)) {
		f->absent = error == ENODEV;
		if (!is_dry(error) && !f->troubled) {
			note_say(f->time->notes, NOTE_WARN,
				 "cpu %d: trace_pipe_raw: %s: going on "
				 "with the others, and trying it again",
				 f->cpu, strerror(error));
			f->troubled = true;
		}
		promise(f, wall, watermark);
		f->ended = f->time->stopped && wall >= f->time->stopped_at + LIVE_SETTLE;
		return f->ended ? PULL_EOF : PULL_WAIT;
	}
	/*
	 * 0 bytes: something arrived between the check and the read; or nothing is there, and a
	 * process that inherited the descriptor (zedsyms, say) has closed its own: from then on
	 * Linux 6.9 and later answer so in place of EAGAIN (tracing_buffers_flush).
	 */
	if (!got) {
		promise(f, wall, watermark);
		f->ended = f->time->stopped && wall >= f->time->stopped_at + LIVE_SETTLE;
		if (!f->ended)
			return PULL_WAIT;
		if (!holds_more(f))
			return PULL_EOF;
	}
	f->ended = f->failed = true;
	errno = error;
	if (got)
		err_sys(&f->fault, ERR_NO_OFF,
			"trace_pipe_raw cannot be read any more: going on without this CPU");
	else
		err_set(&f->fault, ERR_FORMAT, ERR_NO_OFF,
			"trace_pipe_raw has more and does not give it: going on without this CPU");
	return PULL_ERR;
}

/*
 * The losses in the first page that reports some may precede our start: then they are dropped, or
 * at least their number, and the statistics give our losses at the end.
 */
static void forget_before(struct livefeed *f, uint8_t *page)
{
	struct cpu_stats now;
	struct err none;

	f->settled = true;
	ring_forget_losses(page, session_stats(f->time->session, f->cpu, &now, NULL, &none) == 0 &&
					 now.overrun == f->before->overrun);
}

/*
 * For another process's instance.  A page that begins after the stop is the last one: the owner
 * continues tracing, perhaps faster than we read.
 */
static void look_at_page(struct livefeed *f, uint8_t *page)
{
	uint64_t first;

	if (!f->settled && ring_tells_losses(page))
		forget_before(f, page);
	memcpy(&first, page, sizeof(first));
	f->ended |= f->time->stopped && first >= f->time->until;
}

/*
 * Walking the records of each page, for ever, would cost as much as many a script.  What we cause
 * comes in bursts, after each of our rounds: so many pages are searched, and of more those that no
 * rhythm chooses.
 */
static void look_for_own(struct livefeed *f, const uint8_t *page, uint32_t len)
{
	uint64_t own = 0, scattered = f->taken++ * 0x9e3779b97f4a7c15 >> 32;

	if (scattered % f->every)
		return;
	records_own_in_page(page, len, session_page_head(f->time->session),
			    session_self(f->time->session), &own);
	f->own += own * f->every;
	if (++f->looked % OWN_PAGES == 0)
		f->every *= 2;
}

/*
 * To read a sub-buffer that is being filled takes its cache lines from the CPU that writes them,
 * and costs a system call for few events: a CPU that has little left is left alone for a while.
 * After a half-empty sub-buffer there is no other, unless the next event takes half of one: it
 * waits that while.
 */
static bool is_left_alone(const struct livefeed *f)
{
	return f->emptied && !f->time->stopped && mono_ns() - f->emptied < f->time->rest;
}

static bool is_half_empty(const struct livefeed *f, const uint8_t *page)
{
	return ring_data_len(page) < f->page_size / 2;
}

/* Read one page, after the queued ones. */
static enum pull take(struct livefeed *f)
{
	unsigned slot = (f->first + f->n) % f->slots;
	struct live_time *t = f->time;
	uint64_t wall = mono_ns(), watermark;
	ssize_t got;

	if (wall - t->ticked >= SEC) {
		t->ticked = wall;
		t->tick(t->arg);
		wall = mono_ns();
	}
	watermark = live_watermark(t, wall);
	if (!f->pages[slot])
		f->pages[slot] = mem_alloc(f->page_size);
	got = read(f->fd, f->pages[slot], f->page_size);
	if (got <= 0)
		return no_page(f, got, errno, wall, watermark);
	f->troubled = f->absent = false;
	if (f->before && (size_t)got >= RING_HEAD)
		look_at_page(f, f->pages[slot]);
	if ((size_t)got >= RING_HEAD && is_half_empty(f, f->pages[slot]))
		f->emptied = wall;
	look_for_own(f, f->pages[slot], (uint32_t)got);
	f->lens[slot] = got;
	f->n++;
	if (f->n > f->longest)
		f->longest = f->n;
	f->base.done += got;
	return PULL_OK;
}

/*
 * While pages are queued here their CPU continues tracing.  For each page delivered two are read,
 * so that the backlog is in our memory and the kernel's buffer does not overflow.
 */
static void top_up(struct livefeed *f)
{
	for (unsigned i = 0; i < 2 && f->n < f->slots; i++)
		if (f->ended || is_left_alone(f) || take(f) != PULL_OK)
			return;
}

/*
 * The caller has done with the first page.  Its buffer is the next to be filled, while it is in the
 * CPU's caches; one more is given back, so that memory is that of the pages that are queued.
 */
static void release(struct livefeed *f)
{
	uint8_t *done = f->pages[f->first];
	unsigned next;

	f->spent = f->lens[f->first];
	f->pages[f->first] = NULL;
	f->out = false;
	f->first = (f->first + 1) % f->slots;
	f->n--;
	next = (f->first + f->n) % f->slots;
	if (f->pages[next]) {
		free(done);
		f->spent = 0;
	} else {
		f->pages[next] = done;
	}
	if (f->n)
		return;
	if (f->longest >= LONG_QUEUE)
		mem_give_back();
	f->longest = 0;
}

void livefeed_expect(struct feed *base, uint64_t lost, uint64_t read)
{
	struct livefeed *f = (struct livefeed *)base;

	if (!f->due.is_due)
		f->due = (struct feed_due){ .is_due = true,
					    .lost = lost,
					    .read = read,
					    .wall = mono_ns(),
					    .pages = f->taken };
}

void livefeed_count_others(struct feed *base, const uint64_t *seen)
{
	((struct livefeed *)base)->seen = seen;
}

uint64_t livefeed_others(const struct feed *base)
{
	return ((const struct livefeed *)base)->others;
}

/* The caller has walked all pages that it was given. */
static void settle(struct livefeed *f)
{
	struct feed_due *d = &f->due;

	if (!d->is_due || f->given < d->pages)
		return;
	if (!d->is_read && f->seen && d->read > *f->seen + f->others)
		f->others = d->read - *f->seen;
	d->is_read = true;
	if (f->given < d->pages + 2 && (f->n || f->asked <= d->wall))
		return;
	d->is_due = false;
	f->base.settled = d->lost;
}

static enum pull live_page(struct feed *base, struct page *out, struct err *e)
{
	struct livefeed *f = (struct livefeed *)base;

	if (f->out)
		release(f);
	settle(f);
	if (!f->n) {
		enum pull rc;

		if (f->failed) {
			f->failed = false;
			*e = f->fault;
			return PULL_ERR;
		}
		if (f->ended)
			return PULL_EOF;
		if (is_left_alone(f))
			return PULL_WAIT;
		rc = take(f);
		if (rc == PULL_ERR) {
			f->failed = false;
			*e = f->fault;
		}
		if (rc != PULL_OK)
			return rc;
	}
	if (f->n > 1)
		top_up(f);
	out->p = f->pages[f->first];
	out->len = f->lens[f->first];
	out->off = f->at;
	f->at += out->len;
	f->given++;
	f->out = true;
	return PULL_OK;
}

bool livefeed_drain(struct feed *base)
{
	struct livefeed *f = (struct livefeed *)base;

	while (!f->ended && f->n < f->slots && !is_left_alone(f))
		if (take(f) != PULL_OK)
			break;
	/* The wait that follows is its rest. */
	f->emptied = 0;
	return !f->ended && !f->absent && f->n < f->slots;
}

uint64_t livefeed_own(const struct feed *base)
{
	return ((const struct livefeed *)base)->own;
}

bool livefeed_has(const struct feed *base)
{
	const struct livefeed *f = (const struct livefeed *)base;

	return f->n && !f->out;
}

static void close_live(struct feed *base)
{
	struct livefeed *f = (struct livefeed *)base;

	for (unsigned i = 0; i < f->slots; i++)
		free(f->pages[i]);
	free(f->pages);
	free(f->lens);
	free(f);
}

struct feed *livefeed_new(struct live_time *t, int cpu, int fd, const struct cpu_stats *before,
			  uint32_t page_size, uint32_t ahead)
{
	static const struct feed_ops ops = { .page = live_page, .close = close_live };
	struct livefeed *f = mem_zalloc(sizeof(*f));

	f->base.ops = &ops;
	f->time = t;
	f->cpu = cpu;
	f->fd = fd;
	f->before = before;
	f->page_size = page_size;
	f->every = 1;
	f->slots = 2 + ahead / page_size;
	f->pages = mem_zalloc(f->slots * sizeof(*f->pages));
	f->lens = mem_zalloc(f->slots * sizeof(*f->lens));
	return &f->base;
}

const uint8_t *livefeed_newest(const struct feed *feed, uint32_t *len)
{
	const struct livefeed *f = (const struct livefeed *)feed;
	unsigned newest = f->n ? (f->first + f->n - 1) % f->slots : f->first;

	*len = f->n ? f->lens[newest] : f->spent;
	return *len ? f->pages[newest] : NULL;
}
