// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * newest: passes on the sub-buffers of the last moments.
 */
#include "record/flight/newest.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "ring/record_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define COMMIT_SIZE 0x07ffffffu /* of a sub-buffer's commit word (format.md 4.1) */

static int judge(struct newest *n, int cpu, const uint8_t *p, uint32_t used, struct err *e)
{
	uint32_t data = bytes_u32(p + (BIG_ENDIAN_HERE ? n->page_head - 4 : 8), BIG_ENDIAN_HERE) &
			COMMIT_SIZE;
	uint64_t first, last, own = 0;
	unsigned events;
	int rc;

	memcpy(&first, p, sizeof(first));
	last = first;
	if (data > n->page_size - n->page_head)
		data = n->page_size - n->page_head;
	events = records_count_of(p + n->page_head, data, BIG_ENDIAN_HERE, &last,
				  (uint32_t)getpid(), &own);
	if (last < n->since) {
		n->older += events;
		return 0;
	}
	if (first < n->first)
		n->first = first;
	n->events += events;
	n->own += own;
	rc = n->to->ops->page(n->to, cpu, p, used, n->page_size, e);
	n->base.bytes = n->to->bytes;
	return rc;
}

static int newest_page(struct output *o, int cpu, const uint8_t *p, uint32_t used,
		       uint32_t page_size, struct err *e)
{
	return judge((struct newest *)o, cpu, p, used, e);
}

static int newest_splice(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct newest *n = (struct newest *)o;

	for (; len >= n->page_size; len -= n->page_size) {
		for (size_t have = 0; have < n->page_size;) {
			ssize_t got = read(pipe, n->page + have, n->page_size - have);

			if (got < 0 && errno == EINTR)
				continue;
			if (got <= 0)
				return err_sys(e, ERR_NO_OFF, "cannot read from the pipe");
			have += (size_t)got;
		}
		TRY(judge(n, cpu, n->page, n->page_size, e));
	}
	return 0;
}

void newest_init(struct newest *n, struct output *to, const struct session *s, uint64_t since)
{
	static const struct output_ops ops = { .splice = newest_splice, .page = newest_page };

	*n = (struct newest){ .base = { .ops = &ops, .stop = to->stop, .notes = to->notes },
			      .to = to,
			      .page_size = session_page_size(s),
			      .page_head = session_page_head(s),
			      .since = since,
			      .first = UINT64_MAX };
	n->page = mem_alloc(n->page_size);
}

void newest_fini(struct newest *n)
{
	free(n->page);
	*n = (struct newest){ .page = NULL };
}
