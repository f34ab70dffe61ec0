/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_DAT_V7_RFC_H
#define ZED_READER_DAT_V7_RFC_H

#include "reader/dat/v7.h"

/*
 * Shared by the two files of the RFC dialect: v7_rfc.c reads the options about the data,
 * v7_rfc_data.c finds the data.
 */

#define RFC_LATENCY 15 /* option and section ids that differ from the shipped ones */
#define RFC_COMPRESSED 22
#define RFC_MAP 23
#define RFC_HEAD 20 /* bytes of a section's header */

/* How a CPU's data is described, until dat7_rfc_finish() has located it (struct buffer_cpu.how). */
enum rfc_how { RFC_SECTION = 100, RFC_FLYRECORD, RFC_PAGED };

/* A BUFFER_COMPRESSED_MAP option. */
struct rfc_map {
	uint32_t page_size, cpu;
	uint64_t start, end, off;
};

/* What options have said so far (struct dat.dialect; NULL: no map yet). */
struct rfc {
	struct rfc_map *maps;
	size_t cap;
	unsigned n;
};

/* The header of the section at OFF. */
int dat7_rfc_section(struct dat *d, uint64_t off, struct section *s, struct err *e);

/* After all options: find the data of each CPU, and free the state. */
void dat7_rfc_finish(struct dat *d);

#endif
