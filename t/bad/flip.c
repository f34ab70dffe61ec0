// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flip: files with one wrong byte.  Whichever it is, reading them ends soon, in bounded memory, and
 * touches nothing out of bounds (the sanitizers watch); a wrong byte costs at most what it is part
 * of.
 *
 * of: reader/dat ring trace text
 * runs: make check; a small pass in make test
 */
#include "t/lib/c/damage.h"

/* Read PATH, in which byte AT is V.  False: something is wrong. */
static bool try_flip(const char *path, const char *name, size_t at, uint8_t v, unsigned flags,
		     uint64_t most)
{
	struct drive d;

	snprintf(drive_what, sizeof(drive_what), "%s with 0x%02x at 0x%zx", name, v, at);
	drive_limit(10);
	drive_run(path, flags, &d);
	return damage_ended_well(&d, most, 40);
}

static void every_byte(unsigned i)
{
	size_t step = damage_step();
	unsigned bad = 0, runs = 0;
	struct damaged f;

	damaged_make(&f, i);
	for (size_t at = 0; at < f.size && bad < 5; at += step) {
		uint8_t was = f.bytes[at];
		uint8_t tries[] = { ~was, was ^ 1 << at % 8, 0, 0xff };

		/* The byte that is there already is no damage. */
		for (unsigned k = 0; k < sizeof(tries); k++) {
			if (tries[k] == was)
				continue;
			damage_byte(f.path, at, tries[k]);
			runs++;
			if (!try_flip(f.path, f.name, at, tries[k], DRIVE_MACHINE | DRIVE_TEXT,
				      f.size * 16))
				bad++;
		}
		damage_byte(f.path, at, was);
	}
	ok(!bad, "%s with one in %zu of its %zu bytes changed (%u files)", f.name, step, f.size,
	   runs);
	damaged_remove(&f);
}

/*
 * The offsets that matter most are few among a real file's bytes: half of the places are near its
 * ends.
 */
static size_t place(uint64_t *seed, size_t size)
{
	uint64_t r = damage_random(seed);

	switch (r & 3) {
	case 0:
		return (r >> 2) % (size < 4096 ? size : 4096);
	case 1:
		return size - 1 - (r >> 2) % (size < 4096 ? size : 4096);
	default:
		return (r >> 2) % size;
	}
}

static void seeded_bytes(unsigned i)
{
	uint64_t seed = 42 + i;
	unsigned bad = 0, n = (unsigned)tap_small(40, 1000);
	struct drive full;
	struct damaged f;

	if (!damaged_copy(&f, i))
		return;
	drive_run(f.path, 0, &full);
	for (unsigned k = 0; k < n && bad < 5; k++) {
		size_t at = place(&seed, f.size);
		uint8_t v = f.bytes[at] ^ (1 + damage_random(&seed) % 255);

		damage_byte(f.path, at, v);
		if (!try_flip(f.path, f.name, at, v, k % 10 ? 0 : DRIVE_TEXT | DRIVE_MACHINE,
			      full.events * 4 + 100000))
			bad++;
		damage_byte(f.path, at, f.bytes[at]);
	}
	ok(!bad, "%s with one of %u bytes changed", f.from, n);
	damaged_remove(&f);
}

int main(void)
{
	damage_begin();
	for (unsigned i = 0; i < NMADE; i++)
		every_byte(i);
	for (unsigned i = 0; i < NREAL; i++)
		seeded_bytes(i);
	damage_end();
	return tap_done();
}
