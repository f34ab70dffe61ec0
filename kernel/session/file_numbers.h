/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_FILE_NUMBERS_H
#define ZED_KERNEL_SESSION_FILE_NUMBERS_H

#include "base/hash_index.h"
#include "kernel/map_files.h"
#include "trace/maps/map_log.h"

/*
 * The files that processes have mapped, each with a number, by which a log of mappings names it.
 * A file that is written anew is another one.  Zero-initialise.
 */
#define FILE_NUMBERS (1u << 16) /* at most */

struct file_numbers {
	struct mapped_file *v;
	size_t cap;
	struct hash_index index; /* of V */
	uint64_t beyond;	 /* mappings of files that got no number */
};

/*
 * That of the file that PID has mapped by L; a new one is added to LOG.  False: there are too
 * many.
 */
bool file_number(struct file_numbers *f, pid_t pid, const struct map_line *l,
		 struct map_log_buf *log, uint32_t *number);

/* Add all to LOG. */
void file_numbers_log(const struct file_numbers *f, struct map_log_buf *log);

void file_numbers_fini(struct file_numbers *f);

#endif
