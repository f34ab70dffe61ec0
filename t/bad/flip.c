// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * flip: files with one wrong byte.  Whichever it is, reading them ends soon, in bounded memory,
 * touching nothing that is not theirs (the sanitizers watch); a wrong byte may cost what it belongs
 * to, no more.
 */
#include "t/lib/damage.h"

/* Read PATH, in which byte AT is V.  False: something is wrong. */
static bool try_flip(const char *path, const char *name, size_t at, uint8_t v, unsigned flags,
		     uint64_t most)
{
	struct drive d;

	snprintf(drive_what, sizeof(drive_what), "%s with 0x%02x at 0x%zx", name, v, at);
	drive_limit(10);
	drive_run(path, flags, &d);
	if (!d.opened && !d.first[0]) {
		diag("%s: it does not open, and no word why", drive_what);
		return false;
	}
	if (d.events > most) {
		diag("%s: %" PRIu64 " events, where %" PRIu64 " fit", drive_what, d.events, most);
		return false;
	}
	if (d.said > 40) {
		diag("%s: %u notices, first: %s", drive_what, d.said, d.first);
		return false;
	}
	if (strpbrk(d.first, "\n\033")) {
		diag("%s: a control byte in: %s", drive_what, d.first);
		return false;
	}
	return true;
}

static void every_byte(unsigned i)
{
	const char *name = damage_made[i].name;
	unsigned bad = 0, runs = 0;
	char path[600];
	uint8_t *bytes;
	size_t size;

	bytes = damage_make(name, damage_made[i].args, path, sizeof(path), &size);
	for (size_t at = 0; at < size && bad < 5; at++) {
		uint8_t tries[] = { ~bytes[at], bytes[at] ^ 1 << at % 8, 0, 0xff };

		/* The byte that is there already is no damage. */
		for (unsigned k = 0; k < sizeof(tries); k++) {
			unsigned flags = DRIVE_SCHEMA | DRIVE_TEXT;

			if (tries[k] == bytes[at])
				continue;
			if (runs % 256 == 0)
				flags |= DRIVE_PLUGINS;
			damage_byte(path, at, tries[k]);
			runs++;
			if (!try_flip(path, name, at, tries[k], flags, size * 16))
				bad++;
		}
		damage_byte(path, at, bytes[at]);
	}
	ok(!bad, "%s with each of its %zu bytes changed (%u files)", name, size, runs);
	unlink(path);
	free(bytes);
}

/* The offsets that matter most are few among a real file's bytes: half of the places are in its
 * ends. */
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
	char real[600], path[600];
	uint64_t seed = 42 + i;
	unsigned bad = 0;
	struct drive full;
	uint8_t *bytes;
	size_t size;

	if (!damage_find(i, real, sizeof(real))) {
		ok(true, "a real one (%s) # SKIP neither %s nor the shared recordings are here",
		   damage_real[i].what, damage_real[i].own);
		return;
	}
	bytes = damage_load(real, &size);
	snprintf(path, sizeof(path), "%s/real.dat", damage_dir);
	damage_store(path, bytes, size);
	drive_run(path, 0, &full);
	for (unsigned k = 0; k < 1000 && bad < 5; k++) {
		size_t at = place(&seed, size);
		uint8_t v = bytes[at] ^ (1 + damage_random(&seed) % 255);

		damage_byte(path, at, v);
		if (!try_flip(path, "real.dat", at, v, k % 10 ? 0 : DRIVE_TEXT | DRIVE_SCHEMA,
			      full.events * 4 + 100000))
			bad++;
		damage_byte(path, at, bytes[at]);
	}
	ok(!bad, "%s with one of a thousand bytes changed", real);
	unlink(path);
	free(bytes);
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
