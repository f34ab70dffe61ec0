/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ASSEMBLE_H
#define ZED_RECORD_FILE_ASSEMBLE_H

#include "record/dat_write.h"

/*
 * A trace.dat from its beginning and the pages of its CPUs, wherever those are: in the file itself
 * with holes between them, which are taken out, or in other files, which are copied.
 */

/* Whole pages of one CPU. */
struct extent {
	int cpu, fd;
	uint64_t off, len;
};

#define EXTENTS_MAX 65536 /* one per CPU; that of a dead recorder may have holes */

struct assembly {
	int meta_fd; /* the metadata: META_LEN bytes at its beginning */
	uint64_t meta_len;
	uint32_t page_size;
	const char *clock;
	struct extent *v; /* by CPU; of one CPU in the order of time */
	unsigned n;
	enum codec codec;
	const char *comms; /* "PID COMM\n"; NULL: the names in the metadata, if any */
	size_t comms_len;
	const uint8_t *names; /* the same with their times (trace/comms/comm_log.h) */
	size_t names_len;
	const uint8_t *cgroups; /* of tasks (trace/cgroups/cgroup_log.h) */
	size_t cgroups_len;
	const uint8_t *maps; /* of processes (trace/maps/map_log.h) */
	size_t maps_len;
	const char *formats; /* SYSTEM\0 TEXT\0 of events that came later */
	size_t formats_len;
	const int *stat_cpus; /* the kernel's statistics of these; some may be NULL */
	char *const *stats;
	unsigned nstats;
	struct dat_wall wall;
};

/*
 * Can holes be taken out of FD, an empty file, once it has SIZE bytes?  FD must not be used for
 * anything else: a file truncated to 0 is written to the disk when it is closed (ext4,
 * auto_da_alloc): 176 ms for a recording of 390 MB.
 */
bool assemble_can_collapse(int fd, uint64_t size);

/*
 * Where in the file FD, after META_LEN bytes of metadata, can pages be put so that they need not be
 * moved?
 */
uint64_t assemble_first(int fd, uint64_t meta_len, uint32_t page_size);

/*
 * Make the file META_FD, in which all extents lie, a trace.dat by taking out what is between them.
 * KEEP is called with the extents before anything is moved, so that assemble_resume() can continue
 * where this died; if it returns -1, this fails.  Returns 0; 1: not possible in place, copy (the
 * extents have the current places of the pages); -1 with E.
 */
int assemble_in_place(struct assembly *a,
		      int (*keep)(void *arg, const struct assembly *a, struct err *e), void *arg,
		      struct err *e);

/*
 * The extents are those that KEEP was called with, and the file has SIZE bytes now: find their
 * current places.
 */
void assemble_resume(struct assembly *a, uint64_t size);

/* Make the empty file OUT a trace.dat of it. */
int assemble_copy(const struct assembly *a, int out, struct err *e);

/*
 * Between assemble.c and assemble_meta.c: write the rest of the file, whose pages and their BUFFER
 * section are written.
 */
struct preamble;
int tail_write(const struct assembly *a, const struct preamble *b, struct dat7_writer *w,
	       struct err *e);

#endif
