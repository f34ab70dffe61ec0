/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_FILE_NAMES_H
#define ZED_RECORD_FILE_FILE_NAMES_H

#include "base/err.h"

#include <sys/stat.h>

/*
 * The files of a recording that makes several: of FILE or FILE.dat FILE.000001.dat, FILE.000002.dat
 * ... Numbers continue after the highest existing one, and skip those that other recordings take
 * meanwhile, so nothing is overwritten, and names sort by time (up to the 999999th).
 */
struct named_file {
	char *path;
	struct stat was; /* when it was completed */
};

struct parts {
	char *stem;    /* FILE without ".dat" */
	unsigned next; /* the number that comes next */
	unsigned keep; /* how many files are kept, the newest; 0: all */
	struct named_file *v;
	size_t n, cap;
	char *first, *last; /* the completed ones; NULL: none */
	unsigned whole, removed;
};

/* -1 with E: the folder of PATH cannot be read. */
int parts_init(struct parts *p, const char *path, unsigned keep, struct err *e);
void parts_fini(struct parts *p);

/* The path of the next file, to be freed; no other recording uses its number so far. */
char *parts_next(struct parts *p);

/* Is the name PATH in use by a recording: does that file, or its FILE.zed, exist? */
bool parts_is_taken(const char *path);

/*
 * PATH is complete.  Removes the oldest files beyond KEEP; only files that were passed to this
 * function, and that have not been replaced or written to since.
 */
void parts_whole(struct parts *p, const char *path);

#endif
