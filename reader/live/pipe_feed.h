/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_LIVE_PIPE_FEED_H
#define ZED_READER_LIVE_PIPE_FEED_H

#include "kernel/session/session.h"
#include "ring/feed.h"

/*
 * The sub-buffers of one CPU of a running session.  The CPUs share the times: wall time
 * (CLOCK_MONOTONIC) of reads, and the instance's clock, which bounds what can still arrive.
 *
 * A stamp is taken when a record is reserved, and a reader sees the record when it is committed: so
 * a CPU that has nothing at time T may still deliver records stamped before T, but hardly any from
 * before T - slack.  If user space can read the instance's clock, T is that clock before the read
 * that found nothing.  Otherwise the clock is read from a file about every half slack, and T -
 * slack is the newest reading that is at least slack of wall time older than the read.
 */
#define LIVE_STAMPS 8

struct live_time {
	struct session *session;
	struct notes *notes;
	uint64_t slack; /* ns */
	uint64_t rest;	/* ns for which a CPU that has little is left alone: a part of the slack */
	bool cheap;	/* session_clock_is_cheap() */
	bool blind;	/* the clock could not be read; reported */
	bool stopped;
	uint64_t stopped_at; /* wall ns */
	uint64_t until;	     /* the clock then: limit for an instance that continues */
	struct live_stamp {
		uint64_t wall, clock;
	} stamps[LIVE_STAMPS];	      /* for clocks that are not cheap */
	unsigned nstamps, last_stamp; /* their number; index of the newest */
	/* Called with ARG about once a second, in any case. */
	void (*tick)(void *arg);
	void *arg;
	uint64_t ticked; /* wall ns */
};

/* Initialise for S, whose events may become visible SLACK ns after their times. */
void live_time_init(struct live_time *t, struct session *s, uint64_t slack, struct notes *notes);

/* Time from switching tracing off until all reserved records are committed, ns. */
#define LIVE_SETTLE 2000000ull

/* The watermark of a read at WALL ns that finds nothing; 0: none yet. */
uint64_t live_watermark(struct live_time *t, uint64_t wall);

/*
 * The feed of CPU, read from FD (borrowed, not blocking).  It returns PULL_WAIT with a watermark if
 * there is nothing, PULL_EOF if there is nothing and T is stopped, PULL_ERR once if CPU can no
 * longer be read.  Within T's REST of finding nothing, or half a sub-buffer, it returns PULL_WAIT
 * without reading.
 * AHEAD: bytes that livefeed_drain() may keep.  BEFORE (borrowed): for another process's instance,
 * its statistics when we attached; earlier losses are not reported, and it ends with what was there
 * at T's UNTIL.  NULL: our own.
 */
struct feed *livefeed_new(struct live_time *t, int cpu, int fd, const struct cpu_stats *before,
			  uint32_t page_size, uint32_t ahead);

/*
 * Before a wait: read what the kernel has, unless that was done within T's REST, so that its buffer
 * is (nearly) empty while the caller waits for the slack to pass.  After the wait it can be read
 * again at once.  True: nothing was left (so poll() on the descriptor makes sense).
 */
bool livefeed_drain(struct feed *f);

/*
 * The kernel's statistics of its CPU, read now, count LOST events as lost, and READ as read: once
 * all gaps that are among them have been delivered, LOST is feed.settled.  A sub-buffer says what
 * was lost since the one before it was taken, so that is so when two more have been delivered, or
 * all have and none is left.  Ignored while an earlier call is not settled.
 */
void livefeed_expect(struct feed *f, uint64_t lost, uint64_t read);

/*
 * How many events of its CPU others have read, by the last such call whose pages have been
 * delivered: READ, less *SEEN, the records of its stream; never less than before.
 */
void livefeed_count_others(struct feed *f, const uint64_t *seen);
uint64_t livefeed_others(const struct feed *f);

/*
 * The number of events that our own process caused: all of the first pages are searched, of later
 * ones an ever smaller, even sample, which is extrapolated.
 */
uint64_t livefeed_own(const struct feed *f);

/* The newest page that was read, *LEN bytes, borrowed; NULL: it is no longer there. */
const uint8_t *livefeed_newest(const struct feed *f, uint32_t *len);

/*
 * Pages are queued, and the caller last got PULL_WAIT: it should ask again at once.  Pages after
 * one that it still has do not count.
 */
bool livefeed_has(const struct feed *f);

#endif
