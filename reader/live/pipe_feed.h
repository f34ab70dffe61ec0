/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LIVE_PIPE_FEED_H
#define ZED_READER_LIVE_PIPE_FEED_H

#include "kernel/session/session.h"
#include "ring/feed.h"

/*
 * The sub-buffers of one CPU of a running session.  The CPUs share the time: wall time
 * (CLOCK_MONOTONIC) says when something was asked, the clock of the instance what could have come
 * until then.
 *
 * A stamp is taken when a record is reserved, and a reader sees the record when it is committed: so
 * a CPU that has nothing at time T may still give what is stamped before T, but hardly anything
 * from before T - slack.  Where user space can read the instance's clock, T is that clock before
 * the read that found nothing.  Where it cannot, the clock is read from a file every half slack or
 * so, and T - slack is the newest reading that is at least slack of wall time older than the read.
 */
#define LIVE_STAMPS 8

struct live_time {
	struct session *session;
	struct notes *notes;
	uint64_t slack; /* ns */
	bool cheap;	/* session_clock_is_cheap() */
	bool blind;	/* the clock could not be read: said */
	bool stopped;
	uint64_t stopped_at; /* wall ns */
	uint64_t until;	     /* the clock then: up to there an instance that goes on is read */
	struct live_stamp {
		uint64_t wall, clock;
	} stamps[LIVE_STAMPS];	      /* of clocks that are not cheap */
	unsigned nstamps, last_stamp; /* how many; the newest */
	/* Called about once a second, whatever else goes on, with ARG. */
	void (*tick)(void *arg);
	void *arg;
	uint64_t ticked; /* wall ns */
};

/* For S, whose events may become visible SLACK ns after their times. */
void live_time_init(struct live_time *t, struct session *s, uint64_t slack, struct notes *notes);

/* From switching tracing off until all that was reserved is committed, ns. */
#define LIVE_SETTLE 2000000ull

/* The watermark that a read at WALL ns that finds nothing will promise; 0: none yet. */
uint64_t live_watermark(struct live_time *t, uint64_t wall);

/*
 * The feed of CPU, read from FD (borrowed, not blocking).  It answers PULL_WAIT with a watermark
 * when there is nothing, PULL_EOF when there is nothing and T says stopped, PULL_ERR once if CPU
 * can no longer be read.  Within a millisecond of finding nothing it gives the same answer without
 * reading.  AHEAD: bytes that livefeed_drain() may keep.  BEFORE (borrowed): of an instance of
 * another process its statistics when we came; losses of before are not stated, and it ends with
 * what was there at T's UNTIL.  NULL: ours.
 */
struct feed *livefeed_new(struct live_time *t, int cpu, int fd, const struct cpu_stats *before,
			  uint32_t page_size, uint32_t ahead);

/*
 * Take over what the kernel has, so that its buffer is empty while the caller waits for the slack
 * to pass.  True: it took everything (and poll() on the descriptor makes sense).
 */
bool livefeed_drain(struct feed *f);

/*
 * How many of the events that came our own process caused: of the first pages all are looked at, of
 * the later ones fewer and fewer, evenly, which stand for the others.
 */
uint64_t livefeed_own(const struct feed *f);

/*
 * Pages are here, and the last answer to the caller was PULL_WAIT: it should ask again at once.
 * Those after a page that it still has do not count.
 */
bool livefeed_has(const struct feed *f);

#endif
