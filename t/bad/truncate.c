// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * truncate: files that end too early.  Whatever is cut off, reading them ends soon, in bounded
 * memory, and the loss is reported: without that a half-copied recording gives half the numbers and
 * exit 0.
 *
 * of: reader/dat ring trace
 * runs: make check; a small pass in make test
 */
#include "t/lib/c/damage.h"

/* Read PATH cut to LEN of its bytes; FULL is what the whole has.  False: something is wrong. */
static bool try_cut(const char *path, const char *name, size_t len, const struct drive *full,
		    unsigned flags, uint64_t *before)
{
	struct drive d;

	snprintf(drive_what, sizeof(drive_what), "%s cut to %zu bytes", name, len);
	if (truncate(path, len) < 0)
		bail("cannot cut %s: %s", path, strerror(errno));
	drive_limit(10);
	drive_run(path, flags, &d);
	if (!damage_ended_well(&d, full->events, 20))
		return false;
	if (d.opened && d.events < full->events && !d.damage) {
		diag("%s: %" PRIu64 " events of %" PRIu64 " without a word", drive_what, d.events,
		     full->events);
		return false;
	}
	if (d.opened && d.damage && !strstr(d.first, name)) {
		diag("%s: the first notice names no path: %s", drive_what, d.first);
		return false;
	}
	/* What a shorter file gave, a longer one of the same bytes gives too. */
	if (d.opened && d.events < *before) {
		diag("%s: %" PRIu64 " events, and a shorter one has %" PRIu64, drive_what, d.events,
		     *before);
		return false;
	}
	if (d.opened)
		*before = d.events;
	return true;
}

static void every_length(unsigned i)
{
	size_t step = tap_small(23, 1);
	uint64_t before = 0;
	unsigned bad = 0;
	struct drive full;
	struct damaged f;

	damaged_make(&f, i);
	ok(f.size <= 8192, "%s has at most 8 KiB (%zu)", f.name, f.size);
	drive_run(f.path, DRIVE_TEXT | DRIVE_MACHINE, &full);
	if (!ok(full.opened && full.events == 28 && !full.damage, "%s is sound as it is", f.name))
		diag("%" PRIu64 " events, %s", full.events, full.first);
	for (size_t len = 0; len < f.size && bad < 5; len += step) {
		damage_store(f.path, f.bytes, f.size);
		if (!try_cut(f.path, f.name, len, &full, DRIVE_MACHINE | (len % 8 ? 0 : DRIVE_TEXT),
			     &before))
			bad++;
	}
	ok(!bad, "%s cut to one in %zu of the lengths from 0 to %zu", f.name, step, f.size - 1);
	damaged_remove(&f);
}

static void seeded_lengths(unsigned i)
{
	uint64_t seed = 41 + i;
	unsigned bad = 0, n = (unsigned)tap_small(40, 1000);
	struct drive full;
	struct damaged f;

	if (!damaged_copy(&f, i))
		return;
	drive_run(f.path, 0, &full);
	ok(full.opened && full.events && !full.damage, "%s is sound as it is", f.from);
	for (unsigned k = 0; k < n && bad < 5; k++) {
		uint64_t before = 0;

		damage_store(f.path, f.bytes, f.size);
		if (!try_cut(f.path, f.name, damage_random(&seed) % f.size, &full, 0, &before))
			bad++;
	}
	ok(!bad, "%s cut to %u lengths", f.from, n);
	damaged_remove(&f);
}

int main(void)
{
	damage_begin();
	for (unsigned i = 0; i < NMADE; i++)
		every_length(i);
	for (unsigned i = 0; i < NREAL; i++)
		seeded_lengths(i);
	damage_end();
	return tap_done();
}
