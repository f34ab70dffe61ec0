/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_CARRIER_PRIV_H
#define ZED_READER_ZEDSTREAM_CARRIER_PRIV_H

#include "base/mem.h"
#include "reader/zedstream/carrier.h"
#include "reader/zedstream/frames.h"
#include "reader/zedstream/meta_store.h"

/* Shared by carrier.c and carrier_file.c. */

#define CARRIER_NAME 255	/* maximum bytes of a source's name */
#define CARRIER_KEEP (1u << 20) /* bytes of a buffer kept while it is empty */

/* File: the place of a piece of a lane's stream. */
struct piece {
	uint32_t skip; /* bytes from the end of the lane's previous piece */
	uint32_t len;
};

/* One of the streams. */
struct carrier_lane {
	struct input_fed fed; /* must be first */
	struct carrier *of;
	uint32_t number;
	char *name;
	size_t scanned;		    /* bytes of fed examined so far, complete frames */
	bool ready, asked, refused; /* beginning complete; requested; not a stream */
	bool has_ready, compared;
	int64_t ahead; /* with COMPARED: from the CLOCK frame */
	uint64_t wrong;
	struct carrier_lane *ended_before; /* in carrier.over */
	/* For a file: */
	struct piece *pieces; /* in order */
	size_t npieces, cap_pieces, next;
	uint64_t at; /* offset after the current piece, or (indexing) the last */
	bool gone;   /* (indexing) it has ended */
};

struct carrier {
	struct source base; /* must be first */
	struct catalog *catalog;
	struct source_opts opts;
	struct meta_store *store; /* metadata of all sources */
	struct frame_reader in;
	struct stream watermark_stream;
	struct origin origin;
	struct carrier_lane **lanes; /* sorted by number */
	unsigned nlanes;
	size_t cap_lanes, waiting;
	uint8_t *spare; /* an unused buffer of SPARE_CAP bytes, for the next lane */
	size_t spare_cap;
	struct carrier_lane *over; /* pipe: ended lanes that still have a buffer */
	struct carrier_lane *news; /* ready, and not requested yet */
	uint64_t deadline;	   /* CLOCK_MONOTONIC ns; 0: no stop requested */
	uint64_t bad;
	bool dated; /* from a WALL frame: */
	int64_t day;
	uint64_t day_wrong;
	bool ended;
	unsigned opened; /* file: the number of lanes requested */
};

/* ---- carrier.c ---- */

/* Room for LEN more bytes of L's stream, to read them into. */
uint8_t *lane_room(struct carrier_lane *l, size_t len);

/* They have been read. */
void lane_add(struct carrier_lane *l, size_t len);

/* L has ended. */
void lane_end(struct carrier_lane *l);

/* Free the buffer of L, if all of it is read and it is larger than KEEP bytes. */
void lane_make_room(struct carrier_lane *l, size_t keep);

/* Report an invalid frame; WHAT says how. */
void carrier_bad_frame(struct carrier *c, const struct frame *fr, const char *what);

/* ---- carrier_file.c ---- */

/* FR, whose payload was not read, is a piece of L. */
void lane_index(struct carrier_lane *l, const struct frame *fr);

/* L was opened, and its metadata read: shrink its index to the rest. */
void lane_trim(struct carrier_lane *l);

/* Read the next piece of the lane whose first member is Q; false: it has ended. */
bool lane_refill(struct input_fed *q);

#endif
