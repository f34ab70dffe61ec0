// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index_wild: indexes whose hashes are right and whose numbers are not: every question is answered
 * somehow, and a run that jumps by them ends.  Without it a cache file that somebody else made
 * reads, or writes, where it likes.
 *
 * of: index
 * runs: make check; a small pass in make test
 */
#include "t/lib/c/indextry.h"
#include "t/lib/c/tap.h"

static uint64_t state;

static uint64_t chance(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 33;
}

int main(void)
{
	struct trace_index_opts o = { .stop = NULL };
	struct pump_opts po = { .strict = false };
	unsigned turns = (unsigned)tap_small(200, 1000), opened = 0, ended = 0;
	int fd = memfd_create("index", 0);
	struct checked_file *good = NULL;
	const char *seed = getenv("SEED");
	struct pump p;
	struct err e;

	state = seed ? strtoull(seed, NULL, 10) : 32;
	pump_init(&p, &po);
	if (pump_open(&p, PATH, &e) == 0 && trace_index_write(PATH, fd, &o, &e) == 0)
		good = checked_open(fd, &e);
	if (!ok(good != NULL, "an index of " PATH))
		return tap_done();
	for (unsigned i = 0; i < turns; i++) {
		struct trace_index *x = trace_index_open(spoilt(good), p.sources[0], &e);

		if (!x)
			continue;
		opened++;
		ask_all(x);
		ended += run_part(x);
		trace_index_close(x);
	}
	ok(opened > turns / 8, "%u of %u spoilt ones are opened, and answer", opened, turns);
	ok(ended == opened, "runs that jump by them end: %u of %u", ended, opened);
	checked_close(good);
	pump_fini(&p);
	return tap_done();
}
