/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ROTATE_H
#define ZED_RECORD_FILE_ROTATE_H

#include "record/file/file_names.h"
#include "record/file/spool.h"

/*
 * A recording that becomes one trace.dat after another (record/file/file_names.h).  Each sub-buffer
 * goes to one of them, so no event is in two.  While one is written, a thread assembles the one
 * before and prepares the next: switching only means to use another descriptor.  A file grows
 * beyond its limit if that thread is not done yet.  When the disk is full, the oldest completed
 * files are removed, each with a notice (NOTE_DAMAGE), and it continues.
 */
struct rotate_opts {
	struct spool_opts file; /* its path names the files (file_names.h); no max_size */
	uint64_t size;		/* greatest number of bytes of pages in a file; 0: no limit */
	uint64_t time;		/* longest time of a file, ns; 0: no limit */
	uint32_t page_size;	/* of the session */
	struct keep keep;	/* which of the completed files are kept */
	void (*made)(void *arg, const char *path); /* is given each completed file; may be NULL */
	void *arg;				   /* of made() */
};

#define ROTATE_LEAST 64 /* sub-buffers of each CPU: what SIZE must have room for */

/* NULL with E: SIZE is too small, the first file cannot be made ... */
struct output *rotate_new(const struct rotate_opts *o, struct err *e);

/* What has been written so far; borrowed until ops->close. */
const struct parts *rotate_parts(const struct output *o);

/* Continue with another file now, or as soon as the one before has been put together. */
void rotate_now(struct output *o);

/*
 * The same as rotate_parts(), while it records; NULL while a file is being put together, or is
 * about to be (rotate_now): ask again.
 */
const struct parts *rotate_settled(struct output *o);

#endif
