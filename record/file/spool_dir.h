/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_SPOOL_DIR_H
#define ZED_RECORD_FILE_SPOOL_DIR_H

#include "record/file/assemble.h"

/*
 * What a recording in progress keeps in FILE.zed, between spool.c, which writes it, and recover.c:
 *
 *	map	  text, lines "KEY VALUE": what else is known; nothing in it is vital
 *	data.NN	  layout ONE: the metadata at 0, the pages of CPU C from (C + 1) << NN on, those of
 *		  CPU 0 between these two, where they can stay
 *	meta	  layout SPLIT: the metadata
 *	cpuC	  pages of CPU C; in layout ONE of those that have no place in data.NN
 *	comms	  "PID COMM\n", the later ones count
 *	names	  the same with their times (trace/comms/comm_log.h), as they came
 *	cgroups	  those of tasks, with their times (trace/cgroups/cgroup_log.h)
 *	maps	  what processes have mapped (trace/maps/map_log.h)
 *	formats	  SYSTEM\0 TEXT\0 of events that came while it recorded
 *	out	  layout SPLIT: FILE while it is put together; at first what tries layout ONE
 *
 * The recorder holds a flock on the directory while it lives.
 */
#define SPOOL_SUFFIX ".zed"
#define SPOOL_SHIFT_MIN 36 /* NN: at least 64 GiB for a CPU, else layout SPLIT is used */
#define SPOOL_SHIFT_MAX 40
#define SPOOL_TOP (8ull << 40) /* layout ONE: the file's greatest size, half of ext4's */
#define SPOOL_DIR_MODE 0700    /* a recording shows what all users do, and has kallsyms: */
#define SPOOL_FILE_MODE 0600   /* whatever the umask is, only its owner can read it */
#define SPOOL_MAX_MAP (4u << 20)

struct spool_map {
	uint64_t meta_len; /* 0: not stated */
	uint64_t ring;	   /* bytes after which a CPU's file begins anew; 0: it does not */
	bool known;	   /* there was a map in a known format */
	char clock[64];
	struct dat_wall wall;
	struct extent *plan; /* the assembly in place that was about to begin; fd -1 */
	unsigned nplan;
};

/* Replace DIR's map (the old one stays if that fails).  MAP->plan: with its extents. */
int spooldir_map_write(int dir, const struct spool_map *map, struct err *e);

/* Read as much of it as can be parsed; there may be no map.  -1: it cannot be read. */
int spooldir_map_read(int dir, struct spool_map *map, struct err *e);
void spooldir_map_fini(struct spool_map *map);

/* "data.NN" -> NN, "cpuC" -> C; -1: NAME is something else. */
int spooldir_shift(const char *name);
int spooldir_cpu(const char *name);

/*
 * Create the file NAME, which must not exist; FLAGS as for open().  Its descriptor, -1 with errno.
 */
int spooldir_create(int dir, const char *name, int flags);

/* Size of the file FD in bytes; 0 if it is not known. */
uint64_t spooldir_size(int fd);

/* Remove the files listed above, and the directory PATH itself if nothing else is in it. */
void spooldir_remove(int dir, const char *path);

/* Lock it.  0; 1: another process holds the lock. */
int spooldir_lock(int dir);

/* Is PATH no longer the directory that it was when DIR was opened: removed, or renamed? */
bool spooldir_gone(int dir, const char *path);

/*
 * Rename the file NAME of DIR to PATH: readable by its owner only, or with the mode of the file
 * that was there, if that was ours.
 */
int spooldir_rename(int dir, const char *name, const char *path, struct err *e);

/* Appends to E's message. */
int spooldir_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
