// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cgroup_log: cgroups of tasks with the times from which they are valid, as bytes: writes, reads
 * and sorts them.
 */
#include "trace/cgroups/cgroup_log.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void cgroup_log_put(struct cgroup_log_buf *b, const struct cgroup_record *r)
{
	size_t len = r->like || r->len > CGROUP_PATH_MAX ? 0 : r->len;
	uint8_t *p;

	b->p = mem_grow(b->p, &b->cap, b->len + CGROUP_LOG_HEAD + len, 1);
	p = b->p + b->len;
	bytes_put(p, r->ts, 8, false);
	bytes_put(p + 8, (uint32_t)r->pid, 4, false);
	bytes_put(p + 12, (uint32_t)r->like, 4, false);
	bytes_put(p + 16, len, 2, false);
	if (len)
		memcpy(p + CGROUP_LOG_HEAD, r->path, len);
	b->len += CGROUP_LOG_HEAD + len;
}

/* Does the kernel have such tasks, and such paths? */
static bool is_valid(const struct cgroup_record *r)
{
	if (r->pid <= 0 || r->like < 0 || r->len > CGROUP_PATH_MAX || (r->like && r->len))
		return false;
	return !r->len || (r->path[0] == '/' && !memchr(r->path, '\0', r->len));
}

bool cgroup_log_next(const uint8_t *p, size_t len, size_t *at, struct cgroup_record *r)
{
	const uint8_t *q = p + *at;

	if (len - *at < CGROUP_LOG_HEAD || len - *at - CGROUP_LOG_HEAD < bytes_u16(q + 16, false))
		return false;
	*r = (struct cgroup_record){ .ts = bytes_u64(q, false),
				     .pid = (int32_t)bytes_u32(q + 8, false),
				     .like = (int32_t)bytes_u32(q + 12, false),
				     .len = bytes_u16(q + 16, false),
				     .path = (const char *)q + CGROUP_LOG_HEAD };
	/* The rest is invalid, too. */
	if (!is_valid(r))
		return false;
	*at += CGROUP_LOG_HEAD + r->len;
	return true;
}

size_t cgroup_log_whole(const uint8_t *p, size_t len)
{
	struct cgroup_record r;
	size_t at = 0;

	while (cgroup_log_next(p, len, &at, &r))
		;
	return at;
}

/* ---- by time ---- */

struct cgroup_place {
	uint64_t ts;
	size_t at, len;
};

static int by_time(const void *a, const void *b)
{
	const struct cgroup_place *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

uint8_t *cgroup_log_sort(const uint8_t *p, size_t len, size_t *out_len)
{
	struct cgroup_place *v = NULL;
	struct cgroup_record r;
	size_t n = 0, cap = 0, at = 0, from = 0;
	uint8_t *out = mem_alloc((len < CGROUP_LOG_MAX ? len : CGROUP_LOG_MAX) + 1);

	for (; cgroup_log_next(p, len, &at, &r); from = at) {
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		v[n++] = (struct cgroup_place){ r.ts, from, at - from };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_time);
	*out_len = 0;
	for (size_t i = 0; i < n && v[i].len <= CGROUP_LOG_MAX - *out_len; i++) {
		memcpy(out + *out_len, p + v[i].at, v[i].len);
		*out_len += v[i].len;
	}
	free(v);
	return out;
}
