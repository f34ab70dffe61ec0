/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_ZEDSTREAM_PRIV_H
#define ZED_READER_ZEDSTREAM_ZEDSTREAM_PRIV_H

#include "reader/zedstream/stream_meta.h"
#include "reader/zedstream/queue.h"

/*
 * An open zed stream.  frame_intake.c reads its frames and keeps what they say here; zedstream.c
 * gives it to the reader of the streams.
 */

/* The feed of one CPU; the watermark_stream has one without pages. */
struct cpu {
	struct feed feed; /* must be first */
	struct zedstream *f;
	struct stream *stream;
	struct page_queue waiting;
	uint64_t watermark; /* from the rounds so far */
	uint64_t told;	    /* the part of it that downstream has been told */
	uint64_t made_up;   /* the watermark made up while too much waited */
	unsigned busy;	    /* the number of the last round that excepted it */
	bool stats;
};

struct format_text {
	struct format_text *next;
	uint8_t *p; /* its system, a NUL, its text */
	size_t len;
};

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
	 * names no event later than the last round is given: the merge asks watermark_stream as it
	 * would a CPU that never has a page.
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
	uint8_t *names; /* the frames NAMES, one after the other */
	size_t names_len, cap_names;
	unsigned nformats;
	bool compared;		  /* of a carrier: what was added to its times is known ... */
	int64_t ahead, ahead_now; /* ... ns; and what would be by the last comparison */
	uint64_t wrong;		  /* by how much that may be wrong, ns */
	uint64_t deadline;	  /* CLOCK_MONOTONIC ns; 0: no stop was asked for */
	uint64_t stop_at; /* what was in the pipe by then: bytes of the stream, read in any case */
	bool ended;
	unsigned given; /* pages, since the pipe was looked at */
	bool failed;	/* reading ahead failed: LATE is told when its place comes */
	struct err late;
	bool strange_cpu; /* said that pages came from a CPU that was not announced */
};

/*
 * Read one frame and take in what it says.  PULL_OK: one was taken; PULL_WAIT: the pipe has no more
 * now; PULL_EOF: there are no more; PULL_ERR: this one is left out, and the next may be asked for.
 */
enum pull intake_frame(struct zedstream *f, struct err *e);

/* source_ops.metadata: as a trace.dat has them. */
int zedstream_metadata(struct source *s, const struct metadata_taker *to, struct err *e);

#endif
