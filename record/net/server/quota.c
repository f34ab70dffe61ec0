// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * quota: what is left for one client of the server, of its own limit and of that for all.  It is
 * allocated from the ledger in larger pieces, and used page by page.
 */
#include "record/net/server/quota.h"

#include <inttypes.h>
#include <stdio.h>

#define GRANT (1u << 20) /* bytes of the total that are asked for at a time */

const char *quota_text(uint64_t bytes, char buf[32])
{
	static const char *const units[] = { "KiB", "MiB", "GiB" };
	unsigned unit = 0;

	for (bytes >>= 10; unit < 2 && bytes && !(bytes & 1023); unit++)
		bytes >>= 10;
	snprintf(buf, 32, "%" PRIu64 " %s", bytes, units[unit]);
	return buf;
}

int quota_no_total(const struct ledger *l, struct err *e)
{
	char size[32];

	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "the recordings fill the limit of %s for all of them (--max-total)",
		       quota_text(l->max_total, size));
}

int quota_begin(struct quota *q, uint64_t meta, unsigned ncpus, struct err *e)
{
	/* Besides the pages: tables, strings and one sub-buffer of padding per CPU. */
	uint64_t rest = meta + (ncpus + 2ull) * (q->page_size + 64ull) + 8192;
	char size[32];

	q->left = UINT64_MAX;
	if (!ledger_take(q->ledger, q->place, rest))
		return quota_no_total(q->ledger, e);
	if (!q->max_size)
		return 0;
	if (q->max_size < rest + q->page_size)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "its metadata and %u CPU%s alone almost reach the limit of %s: "
			       "start the server with a larger --max-size",
			       ncpus, plural(ncpus), quota_text(q->max_size, size));
	q->left = q->max_size - rest;
	return 0;
}

/* Take more bytes from its own limit and from that for all; 0: none are left. */
static uint64_t grant_more(struct quota *q)
{
	uint64_t want = q->page_size > GRANT ? q->page_size : GRANT;

	if (want > q->left)
		want = q->left;
	if (want < q->page_size)
		return 0;
	if (!ledger_take(q->ledger, q->place, want)) {
		want = q->page_size; /* the last of it */
		q->no_total = !ledger_take(q->ledger, q->place, want);
		if (q->no_total)
			return 0;
	}
	if (q->left != UINT64_MAX)
		q->left -= want;
	return want;
}

bool quota_take(struct quota *q, uint64_t n)
{
	while (q->granted < n) {
		uint64_t more = grant_more(q);

		if (!more) {
			q->limited = true;
			return false;
		}
		q->granted += more;
	}
	q->granted -= n;
	return true;
}
