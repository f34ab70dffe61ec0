/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_CARRIER_PRIV_H
#define ZED_READER_ZEDSTREAM_CARRIER_PRIV_H

#include "base/mem.h"
#include "reader/zedstream/carrier.h"
#include "reader/zedstream/frames.h"
#include "reader/zedstream/meta_store.h"

/* Shared by carrier.c and carrier_file.c. */

#define CARRIER_NAME 255	/* bytes of a source's name, at most */
#define CARRIER_KEEP (1u << 20) /* bytes of a buffer that is kept while it is empty */

/* Of a file: where bytes of a lane's stream are. */
struct piece {
	uint32_t skip; /* bytes from the end of the lane's piece before */
	uint32_t len;
};

/* One of the streams. */
struct carrier_lane {
	struct input_fed fed; /* must be first */
	struct carrier *of;
	uint32_t number;
	char *name;
	size_t scanned;		    /* bytes of fed that have been looked at, to whole frames */
	bool ready, asked, refused; /* beginning complete; asked for; not a stream */
	bool has_ready, compared;
	int64_t ahead; /* with COMPARED: what CLOCK said */
	uint64_t wrong;
	struct carrier_lane *ended_before; /* in carrier.over */
	/* Of a file: */
	struct piece *pieces; /* in their order */
	size_t npieces, cap_pieces, next;
	uint64_t at; /* offset after the one before the next, or (indexing) the last */
	bool gone;   /* (indexing) no more of it may come */
};

struct carrier {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct source_opts opts;
	struct meta_store *store; /* metadata of all sources */
	struct frame_reader in;
	struct stream watermark_stream;
	struct origin origin;
	struct carrier_lane **lanes; /* by their numbers */
	unsigned nlanes;
	size_t cap_lanes, waiting;
	uint8_t *spare; /* a buffer of SPARE_CAP bytes that no lane needs, for the next one */
	size_t spare_cap;
	struct carrier_lane *over; /* of a pipe: those that have ended and still have a buffer */
	struct carrier_lane *news; /* it is ready, and has not been asked for */
	uint64_t deadline;	   /* CLOCK_MONOTONIC ns; 0: no stop was asked for */
	uint64_t bad;
	bool ended;
	unsigned opened; /* of a file: so many lanes were asked for */
};

/* ---- carrier.c ---- */

/* LEN more bytes of L's stream have come: where to read them to. */
uint8_t *lane_room(struct carrier_lane *l, size_t len);

/* They are there. */
void lane_add(struct carrier_lane *l, size_t len);

/* There will be no more of L. */
void lane_end(struct carrier_lane *l);

/* Free the buffer of L, if all of it is read and it is larger than KEEP bytes. */
void lane_make_room(struct carrier_lane *l, size_t keep);

/* A frame that is invalid: WHAT it does. */
void carrier_bad_frame(struct carrier *c, const struct frame *fr, const char *what);

/* ---- carrier_file.c ---- */

/* FR, whose payload is not there, is a piece of L. */
void lane_index(struct carrier_lane *l, const struct frame *fr);

/* L was opened, which has read its metadata: keep the memory of what is left. */
void lane_trim(struct carrier_lane *l);

/* Read the next piece of the lane that Q is the first member of; false: it has ended. */
bool lane_refill(struct input_fed *q);

#endif
