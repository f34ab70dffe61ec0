/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_SPOOL_H
#define ZED_RECORD_FILE_SPOOL_H

#include "base/pack/codec.h"
#include "record/output.h"

/*
 * A recording that becomes a trace.dat: the directory FILE.zed holds the metadata and the pages of
 * each CPU as they come, and becomes FILE at the end.  If the recorder dies, spool_recover() makes
 * a trace.dat of what reached the disk.
 *
 * On file systems that can take holes out of a file without copying (ext4, xfs: FALLOC_FL_COLLAPSE_
 * RANGE), or share blocks (btrfs, xfs: copy_file_range), making FILE costs next to nothing.
 */
struct spool_opts {
	const char *path;  /* FILE */
	const char *shown; /* its name in messages; NULL: PATH */
	enum codec codec;  /* of all; CODEC_NONE: pages are not packed, the metadata are (zstd) */
	bool plain;	   /* with CODEC_NONE: neither are they */
	uint64_t max_size; /* bytes of pages, all CPUs together; 0: no limit */
	bool ring;	   /* at max_size: the oldest are overwritten; false: no more are taken */
	unsigned ncpus;	   /* CPUs that may have pages */
	bool receives;	   /* a server's: clock() is of this machine's CLOCK_MONOTONIC, now */
	bool unsynced;	   /* short-lived: the metadata need not survive a power cut */
	/*
	 * The disk is full, which the thread that calls output_ops has found.  True: try again,
	 * there may be room now.  NULL: there is none.
	 */
	bool (*room)(void *arg);
	void *arg; /* of room() */
	struct notes *notes;
};

/*
 * NULL with E: FILE.zed exists (of a dead recorder: the message says --recover), FILE is not a
 * regular file ...
 */
struct output *spool_new(const struct spool_opts *o, struct err *e);

/*
 * Are its metadata packed at begin()?  A caller that makes several files packs them once
 * (preamble.h).
 */
bool spool_packs(const struct spool_opts *o);

/* The result, after ops->end. */
struct spool_result {
	uint64_t bytes;			     /* of FILE */
	uint64_t kept_events, ringed_events; /* with a limit: in FILE; dropped for the limit */
	bool limited;			     /* the limit was reached */
};
void spool_result(const struct output *o, struct spool_result *r);

/*
 * Make FILE of the directory DIR that a dead recorder left.  PATH NULL: the name without ".zed".
 * Pages that are zeros (never written) are left out.  *PAGES gets how many there were.
 */
int spool_recover(const char *dir, const char *path, struct notes *n, uint64_t *pages,
		  struct err *e);

#endif
