/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_MAPS_MAP_LIMIT_H
#define ZED_TRACE_MAPS_MAP_LIMIT_H

#include "base/hash_index.h"
#include "trace/maps/map_log.h"

/*
 * The records that a file may have: the first MAP_LOG_MAX bytes, up to a whole record.  After that
 * the first look at each process becomes one that says that its mappings are not known from then
 * on, so that it does not have those of an older program: as many as MAP_LIMIT_LOST, in addition.
 * Zeroed: there is none so far.
 */
#define MAP_LIMIT_LOST (MAP_LOG_MAX / 4 / MAP_LOG_HEAD)

struct map_limit {
	size_t len; /* bytes of records that were taken, of the first ones */
	bool full;  /* one did not fit */
	int32_t *pids;
	size_t cap;
	struct hash_index lost; /* of PIDS: those that are not known since then */
};

void map_limit_fini(struct map_limit *l);

/* Add to OUT the records that the file has for those in the LEN bytes at P. */
void map_limit_take(struct map_limit *l, const uint8_t *p, size_t len, struct map_log_buf *out);

#endif
