// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The gaps in the lanes of zedperl explore: at most as many as are promised, and the rest counted.
 * Without it a trace with many CPUs makes an answer of gigabytes.
 *
 * of: programs/zedperl/explore/lane_losses.c
 */
#include "programs/zedperl/explore/lane_losses.h"
#include "t/lib/c/tap.h"

#define CPUS 64
#define LOSSES 1000

static size_t rows(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '[';
	return n - 1;
}

static void put(bool anywhere, size_t want, uint64_t left)
{
	struct lane_losses l = { .to = UINT64_MAX };
	struct timeline_lane lanes[CPUS];
	struct timeline_answer a = { .lanes = lanes, .ncpus = CPUS };
	struct origin from = { .source = 0 };
	struct outbuf o = { 0 };

	memset(lanes, 0, sizeof(lanes));
	for (int i = 0; i < CPUS; i++)
		lanes[i].cpu = i;
	for (uint64_t i = 0; i < LOSSES; i++) {
		struct event ev = {
			.from = &from, .ts = 10 * i + 5, .lost_since = 10 * i, .lost = 1
		};

		ev.lost_anywhere = anywhere;
		lane_losses_see(&l, &ev);
	}
	lane_losses_put(&l, &o, &a, 0, 0);
	ok(rows(out_end(&o)) == want, "%zu gaps (else: each on each CPU)", want);
	ok(l.left == left, "and %" PRIu64 " are left out", left);
	outbuf_fini(&o);
	lane_losses_fini(&l);
}

int main(void)
{
	put(false, LOSSES, 0);
	put(true, LANE_LOSSES_MOST, (uint64_t)LOSSES * CPUS - LANE_LOSSES_MOST);
	return tap_done();
}
