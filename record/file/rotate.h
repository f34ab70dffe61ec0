/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ROTATE_H
#define ZED_RECORD_FILE_ROTATE_H

#include "record/file/file_names.h"
#include "record/file/spool.h"

/*
 * A recording that becomes one trace.dat after another (record/file/file_names.h).  Each sub-buffer
 * goes to one of them, so no event is in two.  While one is written the one before is put together,
 * and the next one prepared, by a thread: going on takes no longer than to take another descriptor.
 * A file grows beyond its limit where that thread is not yet done.
 */
struct rotate_opts {
	struct spool_opts file; /* its path names the files (file_names.h); no max_size */
	uint64_t size;		/* bytes of pages that a file has at most; 0: no limit */
	uint64_t time;		/* ns that it lasts; 0: no limit */
	uint32_t page_size;	/* of the session */
	unsigned keep;		/* so many stay, the newest; 0: all */
};

#define ROTATE_LEAST 64 /* sub-buffers of each CPU: what SIZE must have room for */

/* NULL with E: SIZE is too small, the first file cannot be made ... */
struct output *rotate_new(const struct rotate_opts *o, struct err *e);

/* What has been made so far; borrowed until ops->close. */
const struct parts *rotate_parts(const struct output *o);

#endif
