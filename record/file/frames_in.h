/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_FRAMES_IN_H
#define ZED_RECORD_FILE_FRAMES_IN_H

#include "reader/zedstream/frames.h"
#include "record/output.h"

/*
 * The frames of a zed stream after its READY (docs/zed-stream.pod), in their order, as calls of an
 * output.  Zeroed but for what is set by the caller.  Frames that are invalid are left out: the
 * first ones are reported, all are counted.
 */
struct frames_in {
	/* Set by the caller; borrowed. */
	const char *path; /* for messages */
	struct notes *notes;
	struct output *out;
	uint32_t ncpus, page_size;
	size_t max_comms; /* bytes of names in COMM frames: more are left out */
	/*
	 * May be NULL: then OUT->ops->page() is called.  Takes a sub-buffer of CPU, PAGE_SIZE bytes
	 * of which USED came, and which ends END bytes from the stream's beginning.  Its answer, if
	 * it is not 0, is that of frames_in_take().
	 */
	int (*page)(void *arg, int cpu, const uint8_t *p, uint32_t used, uint64_t end,
		    struct err *e);
	bool (*may)(void *arg, size_t bytes); /* so many more that are not pages?  May be NULL */
	void *arg;

	/* Results. */
	bool ended; /* END has come */
	uint64_t bad;
	struct output_end end; /* of it EVENTS and DROPPED; the rest is frames_in_end()'s */

	/* Its own. */
	uint8_t *spare;
	char *comms;
	size_t comms_len, comms_cap;
	int *stat_cpus;
	char **stats;
	unsigned nstats;
	size_t cpus_cap, stats_cap;
};

/* Take one frame.  0; OUTPUT_GONE or what PAGE answered; -1 with E: it goes no further. */
int frames_in_take(struct frames_in *in, const struct frame *f, struct err *e);

/* Report frame F as left out, as WHAT says; returns 0. */
int frames_in_bad(struct frames_in *in, const struct frame *f, const char *what);

/*
 * All has been taken: OUT's end, with the names and statistics that came, and those of SPARE where
 * no names did.  What OUT answers.
 */
int frames_in_end(struct frames_in *in, const char *spare, size_t len, struct err *e);
void frames_in_fini(struct frames_in *in);

#endif
