/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_DAT_WRITE_H
#define ZED_RECORD_DAT_WRITE_H

#include "record/dat_head.h"

#include <sys/types.h>

/*
 * Writes a trace.dat v7 (format.md 1) as trace-cmd and KernelShark read it.  Sections and options
 * are in the order of calls; what is in memory is written to FD at once.  Without a codec
 * everything is "none"; with one the sections that trace-cmd compresses are compressed, and the
 * buffers in its chunks.
 */
struct dat7_writer;

#define DAT7_SECTION 16 /* bytes of a section's header */

/* Begin at offset 0 of FD (borrowed).  NULL with E. */
struct dat7_writer *dat7_writer_new(int fd, const struct dat7_head *h, struct err *e);

/* Something waits for it: pack sections in a third of the time, a tenth larger. */
void dat7_writer_soon(struct dat7_writer *w);

/*
 * Continue a file that ends in an options section whose DONE is (0), from offset END on.  DONE_OFF
 * is the offset of that DONE's u64.
 */
struct dat7_writer *dat7_writer_resume(int fd, const struct dat7_head *h, uint64_t done_off,
				       uint64_t end);
void dat7_writer_free(struct dat7_writer *w);

/*
 * A metadata section (ids 16-21) called NAME, with PAYLOAD as format.md 1.8 lays it out; its
 * location option goes into the next options section.
 */
int dat7_section(struct dat7_writer *w, unsigned id, const char *name, const void *payload,
		 size_t len, struct err *e);

/* An option for the next options section (the ids: reader/dat/dat.h). */
void dat7_option(struct dat7_writer *w, unsigned id, const void *payload, size_t len);

/* Write the options gathered as a section, linked from the one before (or from the header). */
int dat7_options(struct dat7_writer *w, struct err *e);

struct dat7_cpu {
	int cpu;
	uint64_t off, size; /* bytes in the file, once it is written */
};

/*
 * A BUFFER section called NAME ("": the top one), and its option, for the next options section.
 * CPUs without data are left out.  The data of CPU i are fetched by READ (up to LEN bytes at offset
 * AT of that CPU's data; 0: its end), compressed where the writer does that.
 */
int dat7_buffer(struct dat7_writer *w, const char *name, const char *clock, uint32_t page_size,
		const int *cpus, unsigned ncpus,
		ssize_t (*read)(void *arg, unsigned i, void *buf, size_t len, uint64_t at,
				struct err *e),
		void *arg, struct err *e);

/*
 * The same for data that are in the file already, uncompressed: the section's header is written at
 * HEAD_OFF, DAT7_SECTION bytes or more before them, where the file ended so far (sections are back
 * to back), and its size extends to END, where the file continues.
 */
int dat7_buffer_in_place(struct dat7_writer *w, uint64_t head_off, uint64_t end, const char *name,
			 const char *clock, uint32_t page_size, const struct dat7_cpu *cpus,
			 unsigned ncpus, struct err *e);

/* Write the strings section, which completes the file. */
int dat7_finish(struct dat7_writer *w, struct err *e);

/* Where the file ends. */
uint64_t dat7_end(const struct dat7_writer *w);

#endif
