// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_limit: which records of a map_log a file may have, as their number is not bounded.
 */
#include "trace/maps/map_limit.h"

void map_limit_take(struct map_limit *l, const uint8_t *p, size_t len, struct map_log_buf *out)
{
	struct map_record r;
	size_t at = 0;

	while (!l->full && map_log_next(p, len, &at, &r)) {
		size_t more = MAP_LOG_HEAD + (size_t)r.len;

		l->full = more > MAP_LOG_MAX - l->len;
		if (l->full)
			break;
		map_log_put(out, &r);
		l->len += more;
	}
}
