/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_RING_PRIV_H
#define ZED_RING_RING_PRIV_H

#include "trace/ring_place.h"
#include "ring/ring.h"

/* Shared by ring.c (the walk) and ahead.c (the records after the current event). */

/* The 32-bit commit word (format.md 4.1) */
#define COMMIT_SIZE 0x07ffffffu
#define COMMIT_STORED (1u << 30) /* the number of lost events follows the data */
#define COMMIT_LOST (1u << 31)

/* type_len (format.md 4.2) */
#define TYPE_DATA_MAX 28
#define TYPE_PADDING 29
#define TYPE_EXTEND 30
#define TYPE_STAMP 31

struct ahead;

struct ring {
	struct stream base; /* must be first */
	struct feed *feed;
	struct page_layout layout;
	const struct clock *clock;
	struct idmap *ids;
	const uint8_t *p;	 /* unread data of the current page */
	const uint8_t *data;	 /* the start of its data */
	struct ring_place place; /* the page, and ring-buffer time so far */
	uint64_t last;		 /* time of the last record */
	uint64_t reached;	 /* with stream.place: the latest time so far, ns */
	uint64_t seq;
	struct trail trail;
	bool follows;	  /* the trail's run continues with the next record */
	bool any;	  /* there was a record */
	uint32_t pending; /* losses before the next record */
	bool all;	  /* unwanted types are delivered too */
	bool cut;	  /* the file ends within this page: the feed reports it */
	bool pending_old; /* some are from an earlier page */
	bool offset_only; /* the clock only adds an offset ... */
	uint64_t offset;  /* ... this one */
	bool swap;
	bool used_up;		/* the record limit is reached: the end */
	uint64_t counted;	/* of stream.seen, subtracted from feed->records */
	unsigned without_event; /* pages since the last delivered event */
	struct ahead *ahead;	/* NULL: stacks are not requested */
	bool ends;		/* at the end of the window, with the numbers of `rest` */
	struct stream_place rest;
};

/* ---- ring_jump.c ---- */

/* stream_ops.jump */
bool places_jump(struct stream *s, const struct stream_place *from,
		 const struct stream_place *last);

/* The sub-buffer that begins with R's place.stamp has come: tell of its place, if it is one. */
void places_tell(struct ring *r);

/* So has a record, with that as its stamp: is it in order? */
void places_check(struct ring *r);

/* May R end before the sub-buffer that has records, the stamp STAMP, and no losses before it? */
bool places_end(struct ring *r, uint64_t stamp);

/* The time of a record of R as sinks see it. */
static inline uint64_t ring_time(const struct ring *r, uint64_t ts)
{
	return r->offset_only ? ts + r->offset : clock_apply(r->clock, r->base.from->cpu, ts);
}

/* The same for a watermark of its feed. */
static inline uint64_t ring_watermark(const struct ring *r, uint64_t watermark)
{
	return clock_watermark(r->clock, r->base.from->cpu, watermark);
}

/* stream_ops.stacks: from the next event on.  It wraps the ring's feed. */
void ahead_begin(struct stream *s);

#endif
