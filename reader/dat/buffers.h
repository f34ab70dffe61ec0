/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_BUFFERS_H
#define ZED_READER_DAT_BUFFERS_H

#include "reader/dat/dat.h"

/*
 * The buffers of a trace.dat, kept in the source (struct source.buffers): where the data of each
 * CPU are, and how they are stored.
 */

/* How a CPU's pages are stored (struct buffer_cpu.how). */
enum dat_how { DAT_BARE, DAT_CHUNKS, DAT_PAGED, DAT_INFLATE };

/* May there be another buffer besides N?  -1 with E, for the option at OFF: too many. */
int dat_buffer_claim(unsigned n, uint64_t off, struct err *e);

/*
 * Enter a buffer.  NAME "" is the top one, and replaces an earlier top one; PAGE_SIZE 0: the top's.
 * Borrowed until the next call.
 */
struct buffer *dat_add_buffer(struct dat *d, const char *name, const char *clock,
			      uint32_t page_size);

/* Enter a CPU's data.  Damage (absurd numbers, the same CPU twice) is reported. */
void dat_add_cpu(struct dat *d, struct buffer *b, uint32_t cpu, uint64_t off, uint64_t size,
		 enum dat_how how);

/* The file should have records of CPU, and has none. */
void dat_miss_cpu(struct dat *d, uint32_t cpu);

/* Once all is read: what the file lacks, if it is cut off (struct source.missing). */
void dat_settle_missing(struct dat *d);

/*
 * A v6 "flyrecord" block at OFF, after checking its marker: a table of NCPUS extents and the
 * clock's text (only if WITH_CLOCK).  Fills buffer NAME.
 */
int dat_flyrecord(struct dat *d, uint64_t off, unsigned ncpus, bool with_clock, const char *name,
		  struct err *e);

#endif
