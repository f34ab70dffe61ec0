/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_SAMPLE_H
#define ZED_READER_PERF_SAMPLE_H

#include <stdint.h>

/* The parts of a SAMPLE that are asked for; pointers are into its record, in the file's order. */
struct sample {
	const uint8_t *fixed;  /* the record: what has a place of its own in perf_attr */
	const uint8_t *chain;  /* nchain addresses */
	const uint8_t *values; /* nvalues counts, value_step bytes apart */
	const uint8_t *raw;    /* nraw bytes */
	uint32_t nchain, nvalues, value_step, nraw;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page, code_page;
};

#endif
