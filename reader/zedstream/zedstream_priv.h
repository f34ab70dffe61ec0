/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_ZEDSTREAM_PRIV_H
#define ZED_READER_ZEDSTREAM_ZEDSTREAM_PRIV_H

#include "reader/dat/dat.h"
#include "reader/zedstream/frames.h"
#include "trace/cgroups/cgroup_log.h"
#include "trace/maps/map_limit.h"

/*
 * An open zed stream.  frame_intake.c reads its frames and stores their contents here; zedstream.c
 * passes them to the reader of the streams.
 */

/* The queued pages of one CPU, in order. */
struct page_queue {
	struct chunk *first, **last;
	size_t *total;	    /* bytes in all queues of the stream; borrowed */
	uint32_t page_size; /* bytes of a whole page */
	bool big;	    /* byte order of the pages */
	uint64_t newest;    /* time of the last page received */
};

/* The feed of one CPU; the watermark_stream has one without pages. */
struct cpu {
	struct feed feed; /* must be first */
	struct zedstream *f;
	struct stream *stream;
	struct page_queue waiting;
	uint64_t watermark; /* from the rounds so far */
	uint64_t told;	    /* the part of it reported downstream */
	uint64_t made_up;   /* the artificial watermark while too much was queued */
	unsigned busy;	    /* the last round that excluded it */
	bool stats;
	/* Lost events of a frame whose pages before it, up to an offset, are not delivered yet. */
	uint64_t lost, lost_off;
};

struct format_text {
	struct format_text *next;
	uint8_t *p; /* its system, a NUL, its text */
	size_t len;
};

/* A zed stream while it is read: the state of one parser, which any frame may change. */
struct zedstream {
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
	 * Names come after the pages that need them, up to the next round.  So in a stream with
	 * names no event later than the last round is delivered: to the merge watermark_stream is a
	 * CPU that never has a page.
	 */
	struct stream watermark_stream;
	struct cpu gate_cpu;
	struct origin watermark_from;
	bool watched;
	unsigned rounds;
	size_t queued;
	struct format_text *formats;
	size_t formats_len;
	bool keep_names;
	uint8_t *names; /* the contents of all NAMES frames */
	size_t names_len, cap_names;
	struct cgroup_log_buf cgroups; /* and of all CGROUPS frames ... */
	struct map_log_buf maps;       /* ... and MAPS frames, as far as a file may have them */
	struct map_limit maps_limit;
	unsigned nformats;
	bool compared;		  /* carrier: its clock offset is known ... */
	int64_t ahead, ahead_now; /* ... ns; and that of the last comparison */
	uint64_t wrong;		  /* the uncertainty of the offset, ns */
	bool dated;		  /* times are those of day */
	uint64_t deadline;	  /* CLOCK_MONOTONIC ns; 0: no stop was asked for */
	uint64_t stop_at;	  /* bytes of the stream in the pipe by then, read in any case */
	bool ended;
	unsigned given; /* pages delivered since the pipe was last read */
	bool failed;	/* reading ahead failed: LATE is reported in its place */
	struct err late;
	bool strange_cpu; /* pages from an undeclared CPU: reported */
};

/* ---- frame_intake.c ---- */

/*
 * Read and process one frame.  PULL_OK: done; PULL_WAIT: nothing more in the pipe now; PULL_EOF: no
 * more frames; PULL_ERR: this one is skipped, and the next call may continue.
 */
enum pull intake_frame(struct zedstream *f, struct err *e);

/* ---- emit_stream_metadata.c ---- */

/* source_ops.metadata: in trace.dat's form. */
int zedstream_metadata(struct source *s, const struct metadata_taker *to, struct err *e);

/* ---- queue.c ---- */

void queue_init(struct page_queue *q, size_t *total, uint32_t page_size, bool big);
void queue_fini(struct page_queue *q);

/*
 * Add the pages of FR, a FRAME_PAGES longer than its header of 4 bytes; takes ownership of its
 * payload.
 */
void queue_add(struct page_queue *q, struct frame *fr);

/* Free fully consumed frames at the front: their pages are no longer used. */
void queue_release(struct page_queue *q);

/* Return the next page, valid until the next queue_release().  There must be one. */
void queue_next(struct page_queue *q, struct page *out);

/* Where in the stream the frame of the next page is; UINT64_MAX: there is none. */
uint64_t queue_offset(const struct page_queue *q);

static inline bool queue_empty(const struct page_queue *q)
{
	return !q->first;
}

/* ---- stream_meta.c ---- */

/*
 * The metadata of a zed stream, up to its READY: kept in memory as the beginning of a trace.dat,
 * and opened as one without data.  *PAGE_SIZE gets the bytes of a sub-buffer, *CLOCK the clock's
 * name (to be freed, also on failure), *WATCHED whether names will come with times.  Blocks until
 * READY has been read.  NULL with E.
 */
struct dat *framemeta_open(struct frame_reader *r, struct catalog *c, const struct source_opts *o,
			   uint32_t *page_size, char **clock, bool *watched, struct err *e);

#endif
