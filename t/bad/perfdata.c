// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perfdata: damaged perf.data.  Cut to any length, or with any byte changed, one is read to its end
 * soon and in bounded memory, and nothing is touched out of bounds (the sanitizers watch).  Without
 * it a half-copied recording ends a program, or gives half the numbers and exit 0.
 *
 * of: reader/perf
 * runs: make check; a small pass in make test
 */
#include "t/lib/c/damage.h"

static const struct {
	const char *name, *args;
	uint64_t events;
	bool open_end; /* nothing in it says where it ends: that may be behind any record */
} made[] = {
	{ "little.data", "cpus 2", 18, false },
	{ "big.data", "big 1 long 4", 18, false },
	{ "pipe.data", "pipe 1", 18, true },
	{ "packed.data", "zstd 1", 18, false },
	{ "unfinished.data", "unfinished 1", 18, false },
};

#define NPERF (sizeof(made) / sizeof(made[0]))

static uint8_t *make(unsigned i, char *path, size_t size, size_t *len)
{
	char cmd[1400];

	snprintf(path, size, "%s/%s", damage_dir, made[i].name);
	snprintf(cmd, sizeof(cmd),
		 "perl -It/lib -MWrite::Perf -e 'Write::Perf::example(@ARGV)' %s %s", path,
		 made[i].args);
	if (system(cmd) != 0)
		bail("cannot make %s", made[i].name);
	return damage_load(path, len);
}

static bool try_file(const char *path, unsigned flags, struct drive *d)
{
	drive_limit(10);
	drive_run(path, flags, d);
	/* What is lost may be told in an event of its own. */
	return damage_ended_well(d, 4096, 40);
}

#define PIPE_HEAD 16
#define RECORD_HEAD 8
#define RECORD_FORMATS 66 /* behind it stand as many bytes as its first word says */

/* Does a record of the pipe BYTES, little endian, end at N? */
static bool ends_at(const uint8_t *bytes, size_t len, size_t n)
{
	size_t at = PIPE_HEAD;

	while (at < n && len - at >= RECORD_HEAD + 4) {
		size_t size = bytes[at + 6] | bytes[at + 7] << 8;

		if (bytes[at] == RECORD_FORMATS)
			size += bytes[at + 8] | bytes[at + 9] << 8 | (size_t)bytes[at + 10] << 16;
		at += size;
	}
	return at == n;
}

static void every_length(unsigned i, const char *path, uint8_t *bytes, size_t len)
{
	unsigned bad = 0, silent = 0;
	size_t step = tap_small(23, 1);
	struct drive d;

	for (size_t n = len; n-- > 0 && bad < 5;) {
		if (n % step)
			continue;
		snprintf(drive_what, sizeof(drive_what), "%s cut to %zu bytes", made[i].name, n);
		if (truncate(path, n) < 0)
			bail("cannot cut %s: %s", path, strerror(errno));
		if (!try_file(path, DRIVE_MACHINE | (n % 8 ? 0 : DRIVE_TEXT), &d))
			bad++;
		if (made[i].open_end && ends_at(bytes, len, n))
			continue;
		if (d.opened && d.events < made[i].events && !d.damage && silent++ < 5)
			diag("%s: %" PRIu64 " events without a word", drive_what, d.events);
	}
	ok(!bad, "%s cut to one in %zu of the lengths up to %zu", made[i].name, step, len - 1);
	ok(!silent, "%s: what a cut costs is said", made[i].name);
	damage_store(path, bytes, len);
}

static void every_byte(unsigned i, const char *path, uint8_t *bytes, size_t len)
{
	size_t step = damage_step();
	unsigned bad = 0;
	struct drive d;

	for (size_t at = 0; at < len && bad < 5; at += step) {
		uint8_t was = bytes[at], tries[] = { ~was, was ^ 1 << at % 8, 0, 0xff };

		for (unsigned k = 0; k < sizeof(tries); k++) {
			if (tries[k] == was)
				continue;
			snprintf(drive_what, sizeof(drive_what), "%s with 0x%02x at 0x%zx",
				 made[i].name, tries[k], at);
			damage_byte(path, at, tries[k]);
			if (!try_file(path, DRIVE_MACHINE | DRIVE_TEXT, &d))
				bad++;
		}
		damage_byte(path, at, was);
	}
	ok(!bad, "%s with one in %zu of its %zu bytes changed", made[i].name, step, len);
}

int main(void)
{
	char path[700];

	damage_begin();
	for (unsigned i = 0; i < NPERF; i++) {
		size_t len;
		uint8_t *bytes = make(i, path, sizeof(path), &len);
		struct drive d;

		drive_run(path, DRIVE_TEXT | DRIVE_MACHINE, &d);
		if (!ok(d.opened && d.events == made[i].events, "%s is sound as it is",
			made[i].name))
			diag("%" PRIu64 " events, %s", d.events, d.first);
		every_length(i, path, bytes, len);
		every_byte(i, path, bytes, len);
		unlink(path);
		free(bytes);
	}
	damage_end();
	return tap_done();
}
