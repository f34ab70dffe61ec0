/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_MAPS_MAP_LIMIT_H
#define ZED_TRACE_MAPS_MAP_LIMIT_H

#include "trace/maps/map_log.h"

/*
 * The records that a file may have: the first MAP_LOG_MAX bytes, up to a whole record.  Zeroed:
 * there is none so far.
 */
struct map_limit {
	size_t len; /* bytes of records that were taken */
	bool full;  /* one did not fit: no more are taken */
};

/* Add to OUT which of the records in the LEN bytes at P are taken. */
void map_limit_take(struct map_limit *l, const uint8_t *p, size_t len, struct map_log_buf *out);

#endif
