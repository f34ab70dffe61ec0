// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * map_limit: which records of a map_log a file may have, as their number is not bounded.
 */
#include "trace/maps/map_limit.h"

#include "base/mem.h"

#include <stdlib.h>

void map_limit_fini(struct map_limit *l)
{
	index_fini(&l->lost);
	free(l->pids);
}

/* The process of R is not known from then on, if it is the first of its looks that is left out. */
static void lose(struct map_limit *l, const struct map_record *r, struct map_log_buf *out)
{
	uint32_t n = l->lost.n, hash, slot, i;

	index_begin(&l->lost);
	hash = index_hash(&l->lost, (uint32_t)r->pid);
	slot = index_home(&l->lost, hash);
	while (index_next(&l->lost, hash, &slot, &i))
		if (l->pids[i] == r->pid)
			return;
	if (n == MAP_LIMIT_LOST)
		return;
	l->pids = mem_grow(l->pids, &l->cap, n + 1u, sizeof(*l->pids));
	l->pids[n] = r->pid;
	index_add(&l->lost, hash, n);
	map_log_put(out, &(struct map_record){ .pid = r->pid, .from = r->from, .seen = r->seen });
}

void map_limit_take(struct map_limit *l, const uint8_t *p, size_t len, struct map_log_buf *out)
{
	struct map_record r;
	size_t at = 0;

	while (map_log_next(p, len, &at, &r)) {
		size_t more = MAP_LOG_HEAD + (size_t)r.len;

		l->full |= more > MAP_LOG_MAX - l->len;
		if (!l->full) {
			map_log_put(out, &r);
			l->len += more;
		} else if (r.pid) {
			lose(l, &r, out);
		}
	}
}
