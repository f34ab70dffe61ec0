/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_ZEDSTREAM_PRIV_H
#define ZED_READER_ZEDSTREAM_ZEDSTREAM_PRIV_H

#include "reader/zedstream/stream_meta.h"
#include "reader/zedstream/queue.h"

/*
 * An open zed stream.  frame_intake.c reads its frames and stores their contents here; zedstream.c
 * passes them to the reader of the streams.
 */

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
	unsigned nformats;
	bool compared;		  /* carrier: its clock offset is known ... */
	int64_t ahead, ahead_now; /* ... ns; and that of the last comparison */
	uint64_t wrong;		  /* the uncertainty of the offset, ns */
	uint64_t deadline;	  /* CLOCK_MONOTONIC ns; 0: no stop was asked for */
	uint64_t stop_at;	  /* bytes of the stream in the pipe by then, read in any case */
	bool ended;
	unsigned given; /* pages delivered since the pipe was last read */
	bool failed;	/* reading ahead failed: LATE is reported in its place */
	struct err late;
	bool strange_cpu; /* pages from an undeclared CPU: reported */
};

/*
 * Read and process one frame.  PULL_OK: done; PULL_WAIT: nothing more in the pipe now; PULL_EOF: no
 * more frames; PULL_ERR: this one is skipped, and the next call may continue.
 */
enum pull intake_frame(struct zedstream *f, struct err *e);

/* source_ops.metadata: in trace.dat's form. */
int zedstream_metadata(struct source *s, const struct metadata_taker *to, struct err *e);

#endif
