/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_FILE_NAMES_H
#define ZED_RECORD_FILE_FILE_NAMES_H

#include "base/err.h"

#include <pthread.h>
#include <sys/types.h>
#include <time.h>

/*
 * The files of a recording that makes several: of FILE or FILE.dat FILE.000001.dat, FILE.000002.dat
 * ... Numbers continue after the highest existing one, and skip those that other recordings take
 * meanwhile, so nothing is overwritten, and names sort by time (up to the 999999th).
 *
 * Two threads may use it at the same time, a recorder's and its worker's.
 */

/* What is kept of the completed files, the newest of them; 0: no limit. */
struct keep {
	unsigned files;
	uint64_t size; /* bytes of all together */
	uint64_t free; /* bytes that stay free on their disk */
};

struct named_file {
	char *path;
	dev_t dev; /* when it was completed, as are: */
	ino_t ino;
	uint64_t size; /* bytes */
	struct timespec changed;
	uint64_t events;
	uint64_t *read; /* events of CPU i, NREAD of them; NULL: not known */
	size_t nread;
};

/* Files that were removed, and how many events they had. */
struct removed_files {
	unsigned files;
	uint64_t events;
};

struct parts {
	char *stem;   /* FILE without ".dat" */
	char *folder; /* in which they are ... */
	int dir;      /* ... and open */
	struct keep keep;
	struct notes *notes;			   /* borrowed; may be NULL */
	void (*made)(void *arg, const char *path); /* is given each completed file; may be NULL */
	void *arg;				   /* of made() */
	pthread_mutex_t lock;
	/* Under the lock: */
	unsigned next;	      /* the number that comes next */
	struct named_file *v; /* completed and not removed, the oldest first */
	size_t n, cap;
	uint64_t size;	    /* bytes of these */
	char *first, *last; /* the completed ones; NULL: none */
	unsigned whole;
	struct removed_files beyond, full; /* beyond KEEP; for a disk that was full */
	bool short_said;		   /* that KEEP.free cannot be kept */
};

/* -1 with E: the folder of PATH cannot be read.  MADE and NOTES may be set afterwards. */
int parts_init(struct parts *p, const char *path, const struct keep *keep, struct err *e);
void parts_fini(struct parts *p);

/* The path of the next file, to be freed; no other recording uses its number so far. */
char *parts_next(struct parts *p);

/* Is the name PATH in use by a recording: does that file, or its FILE.zed, exist? */
bool parts_is_taken(const char *path);

/*
 * PATH is complete, with EVENTS, READ[i] of CPU i if that is not NULL (NREAD of them; copied).
 * Removes the oldest files beyond KEEP, but never the newest; only files that were passed to this
 * function, and that have not been replaced or written to since.
 */
void parts_whole(struct parts *p, const char *path, uint64_t events, const uint64_t *read,
		 size_t nread);

/* Remove the oldest files as far as KEEP.free asks for it: for once a second. */
void parts_keep_free(struct parts *p);

/*
 * The disk is full: remove the oldest completed file, and say so (NOTE_DAMAGE).  False: there is
 * none left.
 */
bool parts_give_way(struct parts *p);

/* Events of CPU in files that are not in the folder any more, whatever that is called now. */
uint64_t parts_missing(struct parts *p, int cpu);

#endif
