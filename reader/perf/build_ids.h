/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_BUILD_IDS_H
#define ZED_READER_PERF_BUILD_IDS_H

#include "base/bytes.h"
#include "reader/perf/attrs/attr_names.h"

/*
 * The build ids of the files that samples are in: perf writes them at the end of a recording, by
 * the names of files (the feature BUILD_ID, or records in a pipe), or the kernel into the records
 * of mappings (perf record --buildid-mmap).
 */
#define BUILD_ID_MOST 20	 /* bytes of one: as long as SHA-1 */
#define BUILD_IDS_MAX (1u << 16) /* of one recording */

struct perf_build_id {
	uint8_t len; /* 0: the recording has none */
	uint8_t bytes[BUILD_ID_MOST];
};

struct perf_build_ids {
	struct perf_names by_file;	    /* values: struct perf_build_id */
	struct perf_names ids;		    /* each once, as the bytes of its struct */
	const struct perf_build_id *kernel; /* NULL: not stated */
};

/*
 * The build id of the LEN bytes P (0 or all zero: NULL), which lives as long as B.  NULL: too many.
 */
const struct perf_build_id *build_ids_keep(struct perf_build_ids *b, const uint8_t *p, size_t len);

/*
 * One entry, C: the payload of a HEADER_BUILD_ID whose header has MISC.  -1 with E: it is too
 * short.
 */
int build_ids_entry(struct perf_build_ids *b, uint16_t misc, struct cursor c, struct err *e);

/* The payload C of the feature BUILD_ID: entries with their headers. */
int build_ids_feature(struct perf_build_ids *b, struct cursor c, struct err *e);

/* That of the file FILE; NULL: not stated. */
const struct perf_build_id *build_ids_of(struct perf_build_ids *b, const char *file);

void build_ids_fini(struct perf_build_ids *b);

#endif
