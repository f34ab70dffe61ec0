/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_ATTRS_ATTR_NAMES_H
#define ZED_READER_PERF_ATTRS_ATTR_NAMES_H

#include "base/mem.h"

#include <stdint.h>

/* A hash table of texts, each together with a number, and a pointer for each. */
struct names_slot {
	const char *text; /* NULL: free */
	size_t len;
	uint64_t number;
	const void *value;
};

struct perf_names {
	struct names_slot *v;
	unsigned n, nslots;
	uint64_t seed; /* of its hash: texts come from the file */
	struct arena arena;
};

/*
 * The pointer of the LEN bytes TEXT (copied) with NUMBER, to be read and set: NULL, if it is new.
 * Borrowed until the next call.
 */
const void **perf_names_at(struct perf_names *s, const char *text, size_t len, uint64_t number);

/* A copy of the LEN bytes TEXT, one for all that are equal, which lives as long as S. */
const char *perf_names_keep(struct perf_names *s, const char *text, size_t len);

void perf_names_fini(struct perf_names *s);

#endif
