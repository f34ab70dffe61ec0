/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_RECORD_H
#define ZED_READER_PERF_RECORD_H

#include "reader/perf/intake_blocks.h"

#include <stdbool.h>
#include <stdint.h>

/* A record of a perf.data: u32 type, u16 misc, u16 size of all of it; then what the type says. */
#define RECORD_HEAD_LEN 8
#define RECORD_MAX 65535

/* The types that are used (format.md 12.3). */
enum perf_record {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_LOST_SAMPLES = 13,
	RECORD_KSYMBOL = 17,
	RECORD_USER = 64, /* perf's own types from here on */
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE = 71,
	RECORD_THREAD_MAP = 73,
	RECORD_EVENT_UPDATE = 78,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

/* Where something is in them, bytes; FORK_TIME is EXIT's too. */
enum { COMM_NAME = 16, FORK_TIME = 24, KSYMBOL_NAME = 24, MMAP_NAME = 40, MMAP2_NAME = 72 };

struct record {
	uint32_t type;
	uint16_t misc, size;
	uint64_t off;		    /* file offset of itself, or of its packed record */
	const uint8_t *p;	    /* all of it, including its header; alignment not guaranteed */
	struct intake_block *block; /* contains it */
	bool unpacked;
};

/* The value END bytes before R's end, if it is after LEAST bytes; NULL: no (NOWHERE is too far). */
static inline const uint8_t *record_from_end(const struct record *r, uint16_t end, unsigned least)
{
	return r->size < least + end ? NULL : r->p + r->size - end;
}

#endif
