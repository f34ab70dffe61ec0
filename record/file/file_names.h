/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_FILE_NAMES_H
#define ZED_RECORD_FILE_FILE_NAMES_H

#include "base/err.h"

#include <sys/stat.h>

/*
 * The files of a recording that makes several: of FILE or FILE.dat FILE.000001.dat, FILE.000002.dat
 * ...  Numbers continue after the highest that is there already, and pass over those that others
 * take meanwhile, so nothing is overwritten, and the order of names is that of time (up to the
 * 999999th).
 */
struct named_file {
	char *path;
	struct stat was; /* when it became whole */
};

struct parts {
	char *stem;    /* FILE without ".dat" */
	unsigned next; /* the number that comes next */
	unsigned keep; /* so many stay, the newest; 0: all */
	struct named_file *v;
	size_t n, cap;
	char *first, *last; /* of those that became whole; NULL: none */
	unsigned whole, removed;
};

/* -1 with E: the folder of PATH cannot be read. */
int parts_init(struct parts *p, const char *path, unsigned keep, struct err *e);
void parts_fini(struct parts *p);

/* The path of the next file, to be freed; no other recording has taken its number so far. */
char *parts_next(struct parts *p);

/* Has a recording taken the name PATH: is there such a file, or what becomes one? */
bool parts_is_taken(const char *path);

/*
 * PATH is whole.  The oldest beyond KEEP are removed: files that this object was given, and that
 * have not been replaced or written to since.
 */
void parts_whole(struct parts *p, const char *path);

#endif
