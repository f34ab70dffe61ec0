// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stablefile: damaged files of stable events, each byte of a small one in turn: reading them ends
 * soon and loses only what is damaged.  And exports in either byte order give the same trace.
 * Without it a bad sector costs a whole archive.
 *
 * of: reader/stablefile sink
 * runs: make check; a small pass in make test
 */
#include "sink/stable_file/stable.h"
#include "run/drain.h"
#include "t/lib/c/damage.h"

#include <fcntl.h>

#define EVENTS 8

/* A file of the independent writer, and where each of its events ends. */
static uint8_t *make(const char *order, char *path, size_t path_size, size_t *len, size_t *ends)
{
	char cmd[1400], name[640];
	FILE *f;

	snprintf(path, path_size, "%s/%s.zs", damage_dir, order);
	snprintf(cmd, sizeof(cmd),
		 "perl -It/lib -MWrite::StableFile -e "
		 "'Write::StableFile::sample($ARGV[0], order => $ARGV[1])' %s %s",
		 path, order);
	if (system(cmd) != 0)
		bail("cannot make a file in %s", order);
	snprintf(name, sizeof(name), "%s.ends", path);
	f = fopen(name, "r");
	for (int i = 0; f && i < EVENTS; i++)
		if (fscanf(f, "%zu", &ends[i]) != 1)
			bail("%s has not %d lines", name, EVENTS);
	if (!f)
		bail("cannot read %s", name);
	fclose(f);
	unlink(name);
	return damage_load(path, len);
}

static void cut(const char *order, const char *path, const uint8_t *bytes, size_t len,
		const size_t *ends)
{
	unsigned bad = 0;
	size_t step = tap_small(13, 1);

	for (size_t n = 0; n < len && bad < 5; n += step) {
		unsigned whole = 0;
		struct drive d;

		while (whole < EVENTS && ends[whole] <= n)
			whole++;
		damage_store(path, bytes, n);
		snprintf(drive_what, sizeof(drive_what), "%s cut to %zu", order, n);
		drive_limit(10);
		drive_run(path, DRIVE_MACHINE | DRIVE_TEXT, &d);
		if (d.events != whole || (d.opened && (d.damage != 1 || d.said != 1)) ||
		    !d.first[0]) {
			diag("%s: %" PRIu64 " events, %u are whole; %" PRIu64 " damages, %u said: "
			     "%s",
			     drive_what, d.events, whole, d.damage, d.said, d.first);
			bad++;
		}
	}
	ok(!bad,
	   "%s: cut to every length it gives what is whole, and says once that it is cut "
	   "(else: a broken archive passes for a short one)",
	   order);
}

static void flip(const char *order, const char *path, const uint8_t *bytes, size_t len)
{
	unsigned bad = 0;
	size_t step = tap_small(13, 1);

	damage_store(path, bytes, len);
	for (size_t at = 0; at < len && bad < 5; at += step) {
		uint8_t tries[] = { ~bytes[at], bytes[at] ^ 1 << at % 8, 0, 0xff, bytes[at] + 1 };

		for (unsigned k = 0; k < sizeof(tries); k++) {
			struct drive d;

			damage_byte(path, at, tries[k]);
			snprintf(drive_what, sizeof(drive_what), "%s with 0x%02x at 0x%zx", order,
				 tries[k], at);
			drive_limit(10);
			drive_run(path, DRIVE_MACHINE | DRIVE_TEXT, &d);
			bad += !damage_ended_well(&d, len, 5);
		}
		damage_byte(path, at, bytes[at]);
	}
	ok(!bad, "%s: any byte wrong ends well (else: a crafted archive harms its reader)", order);
}

/* ---- exports ---- */

/* Export PATH to TO; false if that fails. */
static bool export(const char *path, const char *to, bool big_endian, uint64_t *records)
{
	struct drive d = { .opened = false };
	struct notes notes = { .say = drive_hear, .arg = &d };
	struct pump_opts po = { .source.notes = &notes };
	struct stable *stable = stable_new();
	struct stableout_opts o = {
		.stable = stable, .notes = &notes, .path = to, .big_endian = big_endian
	};
	struct stableout *out;
	struct pump pump;
	struct err e;
	bool good;

	pump_init(&pump, &po);
	o.fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	out = stableout_new(&o);
	good = o.fd >= 0 && pump_open(&pump, path, &e) == 0 &&
	       run_into(&pump, &pump.stage, stableout_sink(out), &e) == RUN_DONE && !notes.damage;
	*records = stableout_records(out);
	stableout_free(out);
	pump_fini(&pump);
	stable_free(stable);
	close(o.fd);
	return good;
}

static void both_orders(const char *path)
{
	char little[600], big[600];
	uint64_t n[2] = { 0 };
	struct drive d[2];
	uint8_t *bytes;
	size_t len;

	snprintf(little, sizeof(little), "%s/little.zs", damage_dir);
	snprintf(big, sizeof(big), "%s/big.zs", damage_dir);
	drive_limit(60);
	ok(export(path, little, false, &n[0]) && export(path, big, true, &n[1]),
	   "%s is exported in both byte orders", path);
	/* The names of the paths are of one length, as far as notices go; the sum is of records. */
	drive_run(little, DRIVE_MACHINE, &d[0]);
	drive_run(big, DRIVE_MACHINE, &d[1]);
	ok(n[0] && d[0].events == n[0] && d[1].events == n[1] && n[0] == n[1],
	   "%s: %" PRIu64 " records, and as many events", path, n[0]);
	ok(d[0].sum == d[1].sum && d[0].lost == d[1].lost && !d[0].said && !d[1].said,
	   "%s: every field is the same (else: big endian archives lie): %s", path, d[1].first);
	bytes = damage_load(big, &len);
	ok(len > 60 && !memcmp(bytes + 24, "byte_order: big\n", 16), "... and one is big endian");
	free(bytes);
	bytes = damage_load(little, &len);
	/* A real one, damaged at a few thousand places. */
	for (uint64_t seed = 84, k = 0; k < tap_small(100, 1500); k++) {
		size_t at = damage_random(&seed) % len;
		uint8_t v = damage_random(&seed);
		struct drive x;

		damage_byte(little, at, v);
		snprintf(drive_what, sizeof(drive_what), "%s with 0x%02x at 0x%zx", path, v, at);
		drive_limit(10);
		drive_run(little, DRIVE_MACHINE, &x);
		if (!(k % 4))
			damage_store(little, bytes, len);
		if ((!x.opened && !x.first[0]) || x.events > 4 * n[0])
			bail("%s: %" PRIu64 " events: %s", drive_what, x.events, x.first);
	}
	ok(true, "%s: damaged at random places it ends well", path);
	free(bytes);
	unlink(little);
	unlink(big);
}

int main(void)
{
	static const char *const ORDERS[] = { "little", "big" };

	damage_begin();
	for (unsigned i = 0; i < 2; i++) {
		size_t len, ends[EVENTS];
		char path[600];
		uint8_t *bytes = make(ORDERS[i], path, sizeof(path), &len, ends);
		struct drive d;

		drive_run(path, DRIVE_MACHINE | DRIVE_TEXT, &d);
		ok(d.opened && d.events == EVENTS && !d.said && ends[EVENTS - 1] < len,
		   "%s: sound as it is: %s", ORDERS[i], d.first);
		cut(ORDERS[i], path, bytes, len, ends);
		flip(ORDERS[i], path, bytes, len);
		unlink(path);
		free(bytes);
	}
	both_orders("t/data/small_v6.dat");
	both_orders("t/data/small_be_none.dat");
	both_orders("t/data/block.dat");
	damage_end();
	return tap_done();
}
