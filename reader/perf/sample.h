/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_SAMPLE_H
#define ZED_READER_PERF_SAMPLE_H

#include "reader/perf/attrs/attrs.h"
#include "reader/perf/perf_intake.h"

#include <stdint.h>

struct perf;

/* The requested parts of a SAMPLE; pointers are into its record, in the file's byte order. */
struct sample {
	const uint8_t *fixed;  /* the record: parts with an offset in perf_attr */
	const uint8_t *chain;  /* nchain addresses */
	const uint8_t *values; /* nvalues counts, value_step bytes apart */
	const uint8_t *ids;    /* of their counters, with the same step; NULL: not stated */
	const uint8_t *raw;    /* nraw bytes */
	uint32_t nchain, nvalues, value_step, nraw;
	uint64_t weight, data_src, transaction, phys_addr, cgroup, data_page, code_page;
	const struct event_count *count; /* instead of the record's period; NULL: use that */
};

/* Find the parts of the SAMPLE R, of A.  False: they exceed it. */
bool perf_sample_parse(const struct perf *f, const struct perf_attr *a, const struct record *r,
		       struct sample *s);

#endif
