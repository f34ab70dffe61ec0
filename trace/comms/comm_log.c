// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * comm_log: task names with the times from which they are valid, as bytes: writes, reads and sorts
 * them, and formats them as lines.
 */
#include "trace/comms/comm_log.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void comm_log_put(struct comm_log_buf *b, uint64_t ts, int32_t pid, const char *name, size_t len)
{
	uint8_t *p;

	if (len > COMM_LOG_MAX_NAME)
		len = COMM_LOG_MAX_NAME;
	b->p = mem_grow(b->p, &b->cap, b->len + COMM_LOG_HEAD + len, 1);
	p = b->p + b->len;
	bytes_put(p, ts, 8, false);
	bytes_put(p + 8, (uint32_t)pid, 4, false);
	p[12] = len;
	memcpy(p + COMM_LOG_HEAD, name, len);
	b->len += COMM_LOG_HEAD + len;
}

bool comm_log_next(const uint8_t *p, size_t len, size_t *at, struct comm_record *r)
{
	const uint8_t *q = p + *at;

	if (len - *at < COMM_LOG_HEAD || len - *at - COMM_LOG_HEAD < q[12])
		return false;
	*r = (struct comm_record){ .ts = bytes_u64(q, false),
				   .pid = bytes_u32(q + 8, false),
				   .len = q[12],
				   .name = (const char *)q + COMM_LOG_HEAD };
	/* No task has such a pid or name, so the rest is invalid too. */
	if (r->pid < 0 || memchr(r->name, '\0', r->len))
		return false;
	*at += COMM_LOG_HEAD + r->len;
	return true;
}

/* ---- by time ---- */

struct log_place {
	uint64_t ts;
	size_t at, len;
};

static int by_time(const void *a, const void *b)
{
	const struct log_place *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

uint8_t *comm_log_sort(const uint8_t *p, size_t len, size_t *out_len)
{
	struct log_place *v = NULL;
	struct comm_record r;
	size_t n = 0, cap = 0, at = 0, from = 0;
	uint8_t *out = mem_alloc((len < COMM_LOG_MAX ? len : COMM_LOG_MAX) + 1);

	for (; comm_log_next(p, len, &at, &r); from = at) {
		v = mem_grow(v, &cap, n + 1, sizeof(*v));
		v[n++] = (struct log_place){ r.ts, from, at - from };
	}
	if (n)
		qsort(v, n, sizeof(*v), by_time);
	*out_len = 0;
	for (size_t i = 0; i < n && v[i].len <= COMM_LOG_MAX - *out_len; i++) {
		memcpy(out + *out_len, p + v[i].at, v[i].len);
		*out_len += v[i].len;
	}
	free(v);
	return out;
}

/* Is nothing in the name visible? */
static bool is_blank(const struct comm_record *r)
{
	for (unsigned i = 0; i < r->len; i++)
		if ((unsigned char)r->name[i] > 0x20)
			return false;
	return true;
}

char *comm_log_lines(const uint8_t *p, size_t len, size_t *out_len)
{
	char *out = mem_alloc(1);
	size_t at = 0, n = 0, cap = 1;
	struct comm_record r;

	while (comm_log_next(p, len, &at, &r)) {
		/* trace-cmd would read no name after a blank one. */
		if (is_blank(&r))
			continue;
		out = mem_grow(out, &cap, n + 16 + r.len, 1);
		n += snprintf(out + n, 16, "%d ", (int)r.pid);
		for (unsigned i = 0; i < r.len; i++)
			out[n++] = r.name[i] == '\n' ? '?' : r.name[i];
		out[n++] = '\n';
	}
	out[n] = '\0';
	*out_len = n;
	return out;
}
