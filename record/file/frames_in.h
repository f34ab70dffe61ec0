/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_FRAMES_IN_H
#define ZED_RECORD_FILE_FRAMES_IN_H

#include "reader/zedstream/frames.h"
#include "record/output.h"

/*
 * The frames of a zed stream after its READY (docs/zed-stream.pod), in their order, as calls of an
 * output.  All members are zero but those that the caller sets.  Frames that are invalid are left
 * out: the first ones are reported, all are counted.
 */
struct frames_in {
	/* Set by the caller; borrowed: */
	const char *path; /* for messages */
	struct notes *notes;
	struct output *out;
	uint32_t ncpus, page_size;
	size_t max_comms; /* bytes of names in COMM frames: more are left out */
	/*
	 * May be NULL: then OUT->ops->page() is called.  Takes a sub-buffer of CPU: PAGE_SIZE
	 * bytes, of which USED were sent; it ends END bytes from the beginning of the stream.  If
	 * it does not return 0, frames_in_take() returns the same.
	 */
	int (*page)(void *arg, int cpu, const uint8_t *p, uint32_t used, uint64_t end,
		    struct err *e);
	bool (*may)(void *arg, size_t bytes); /* are BYTES allowed besides pages?  May be NULL */
	void *arg;

	/* Results: */
	bool ended; /* END was received */
	uint64_t bad;
	struct output_end end; /* EVENTS and DROPPED of it; frames_in_end() sets the rest */

	/* Private: */
	uint8_t *spare;
	char *comms;
	size_t comms_len, comms_cap;
	int *stat_cpus;
	char **stats;
	unsigned nstats;
	size_t cpus_cap, stats_cap;
};

/* Take one frame.  0; OUTPUT_GONE or what PAGE returned; -1 with E: nothing more can be read. */
int frames_in_take(struct frames_in *in, const struct frame *f, struct err *e);

/* Report frame F as left out, as WHAT says; returns 0. */
int frames_in_bad(struct frames_in *in, const struct frame *f, const char *what);

/*
 * At the end of the stream: call OUT's end with the names and statistics that were received; SPARE
 * is used if there were no names.  Returns what OUT returns.
 */
int frames_in_end(struct frames_in *in, const char *spare, size_t len, struct err *e);
void frames_in_fini(struct frames_in *in);

#endif
