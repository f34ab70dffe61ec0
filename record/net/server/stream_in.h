/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_NET_SERVER_STREAM_IN_H
#define ZED_RECORD_NET_SERVER_STREAM_IN_H

#include "record/file/frames_in.h"
#include "record/net/server/pages_in.h"

/*
 * A client of ours that sends a zed stream on its control connection.  Its frames go to an output
 * within the limits of a run (pages_in.h), and the server acknowledges how far they are stored.
 */
struct stream_in {
	struct input in; /* the connection; head[] has the stream's head, read from it */
	struct frame_reader frames;
	struct frames_in take;
	struct pages_in_run *run; /* during stream_in_run() */
	uint64_t stored,
		told;	/* bytes of the stream: all pages up to here are stored; acknowledged */
	uint64_t saved; /* bytes by which packing has made the stream shorter: counted as sent */
	uint64_t tell;	/* ms: when to acknowledge next */
	uint64_t begun; /* ms */
	bool paced;	/* set by the caller: the client takes WIRE_ZED_PACE */
	uint32_t pace;	/* ms: what it was told last */
	uint64_t small; /* frames without pages so far; invalid ones count by length */
};

/*
 * HEAD has the stream's first FRAMES_HEAD_LEN bytes, which came on CONTROL; FROM is for messages.
 * Invalid frames are reported to N.  -1 with E.  Call fini in any case.
 */
int stream_in_init(struct stream_in *s, int control, const uint8_t *head, const char *from,
		   struct notes *n, struct err *e);
void stream_in_fini(struct stream_in *s);

/*
 * The next frame, to be freed, if it arrives within W->ms.  1; 0: the stream has ended or broken
 * off; -1 with E.
 */
int stream_in_frame(struct stream_in *s, struct frame *f, const struct tcp_wait *w, struct err *e);

/* After READY: as pages_in_run(). */
int stream_in_run(struct stream_in *s, struct pages_in_run *r, struct err *e);

/* The output's end, once the run has ended; SPARE are the names to use if none came. */
int stream_in_end(struct stream_in *s, const char *spare, size_t len, struct err *e);

#endif
