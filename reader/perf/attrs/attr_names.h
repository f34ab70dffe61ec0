/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_ATTRS_ATTR_NAMES_H
#define ZED_READER_PERF_ATTRS_ATTR_NAMES_H

#include "base/hash_index.h"
#include "base/mem.h"

/* Pointers by a text and a number. */
struct name_entry {
	const char *text;
	size_t len;
	uint64_t number;
	const void *value;
};

struct perf_names {
	struct hash_index index; /* of the N entries V */
	struct name_entry *v;
	size_t n, cap;
	struct arena arena;
};

/*
 * The pointer for the LEN bytes TEXT (copied) with NUMBER, to be read and set: NULL if the entry is
 * new.  Borrowed until the next call.
 */
const void **perf_names_at(struct perf_names *s, const char *text, size_t len, uint64_t number);

/* A copy of the LEN bytes TEXT, shared by equal texts, which lives as long as S. */
const char *perf_names_keep(struct perf_names *s, const char *text, size_t len);

void perf_names_fini(struct perf_names *s);

#endif
