// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_maps: what processes have mapped, against a model that keeps a number for each address.
 * Without it an address would be found in the wrong file where maps lie over others, where a list
 * has many blocks, or where a child changes what it shares with its parent.
 *
 * of: reader/perf/maps.c
 */
#include "reader/perf/maps.h"
#include "t/lib/c/tap.h"

#include <time.h>

#define NPROCESSES 5
#define NADDRESSES 6000

/* Of each address: the number of the map that lies there, 0: none, and its offset in the file. */
static struct {
	unsigned map;
	uint64_t off;
} model[NPROCESSES][NADDRESSES];

static bool agrees(const struct perf_maps *m, int32_t pid, unsigned address)
{
	const struct perf_map *x = maps_find(m, pid, address);
	char name[16];

	if (!x || !model[pid][address].map)
		return !x && !model[pid][address].map;
	snprintf(name, sizeof(name), "%u", model[pid][address].map);
	return !strcmp(x->name, name) && x->off + (address - x->start) == model[pid][address].off;
}

static unsigned map_some(struct perf_maps *m, unsigned number, int32_t pid, unsigned start,
			 unsigned len)
{
	char name[16];
	int n = snprintf(name, sizeof(name), "%u", number);
	struct perf_map x = { .start = start, .end = start + len, .off = 7 * number, .name = name };

	for (unsigned i = 0; i < len; i++) {
		model[pid][start + i].map = number;
		model[pid][start + i].off = x.off + i;
	}
	return maps_add(m, pid, &x, (size_t)n);
}

static bool has_maps(int32_t pid)
{
	for (unsigned i = 0; i < NADDRESSES; i++)
		if (model[pid][i].map)
			return true;
	return false;
}

/* Another process with maps has the number of PID's, which has some. */
static bool is_shared(const struct perf_maps *m, int32_t pid)
{
	for (int32_t other = 0; other < NPROCESSES; other++)
		if (other != pid && has_maps(other) && has_maps(pid) &&
		    maps_generation(m, other) == maps_generation(m, pid))
			return true;
	return false;
}

/* LONGEST: how many addresses a map has at most. */
static void test_model(unsigned seed, unsigned longest, unsigned steps)
{
	struct perf_maps m = { 0 };
	unsigned wrong = 0, refused = 0, kept = 0;

	srand(seed);
	memset(model, 0, sizeof(model));
	for (unsigned step = 1; step <= steps; step++) {
		int32_t pid = rand() % NPROCESSES, other = rand() % NPROCESSES;
		unsigned what = (unsigned)rand() % 1000;
		uint64_t before = maps_generation(&m, pid);
		bool any = has_maps(pid);

		if (what < 5 && pid != other) {
			maps_fork(&m, pid, other, step);
			memcpy(model[pid], model[other], sizeof(model[pid]));
		} else if (what < 6) {
			maps_forget(&m, pid);
			memset(model[pid], 0, sizeof(model[pid]));
		} else if (what < 8) {
			unsigned len = 1 + (unsigned)rand() % longest;
			unsigned start = (unsigned)rand() % (NADDRESSES - len);

			maps_remove(&m, pid, start, start + len);
			memset(&model[pid][start], 0, len * sizeof(model[pid][0]));
		} else {
			/* Now and then one that lies over many. */
			unsigned most = what < 12 ? NADDRESSES / 4 : longest;
			unsigned len = 1 + (unsigned)rand() % most;
			unsigned start = (unsigned)rand() % (NADDRESSES - len);

			refused += !map_some(&m, step, pid, start, len);
		}
		any |= has_maps(pid);
		kept += any && (what >= 5 || pid != other) && maps_generation(&m, pid) == before;
		kept += is_shared(&m, pid);
		for (unsigned i = 0; i < 40; i++)
			wrong += !agrees(&m, rand() % NPROCESSES, (unsigned)rand() % NADDRESSES);
	}
	for (int32_t pid = 0; pid < NPROCESSES; pid++)
		for (unsigned i = 0; i < NADDRESSES; i++)
			wrong += !agrees(&m, pid, i);
	ok(!kept, "%u changes: %u that the generation of maps does not show", steps, kept);
	ok(!wrong && !refused, "%u changes, maps up to %u long: %u addresses wrong, %u refused",
	   steps, longest, wrong, refused);
	for (int32_t pid = 0; pid < NPROCESSES; pid++)
		maps_forget(&m, pid);
	ok(!m.nmaps && !m.by_pid.n, "... and none are left behind (%u)", m.nmaps);
	maps_fini(&m);
}

/* The last file of compiled code that a process had mapped, or its parent. */
static void test_jitdump(void)
{
	static const char *const names[] = { "/tmp/jit-7.dump",	 "/tmp/jit-.dump",
					     "/tmp/jit-7x.dump", "jit-7.dump",
					     "/tmp/jit-8.dump",	 "/tmp/xjit-8.dump" };
	struct perf_maps m = { 0 };
	uint64_t until;
	const char *is;

	ok(!maps_jitdump(&m, 1, &until), "jitdump: none of a process without maps");
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct perf_map x = { .start = 16 * i, .end = 16 * i + 16, .name = names[i] };

		maps_add(&m, 1, &x, strlen(names[i]));
		is = maps_jitdump(&m, 1, &until);
		ok(is && !strcmp(is, names[i < 4 ? 0 : 4]), "jitdump: after %s", names[i]);
	}
	maps_fork(&m, 2, 1, 77);
	is = maps_jitdump(&m, 2, &until);
	ok(is && !strcmp(is, names[4]) && until == 77,
	   "jitdump: a child has its parent's up to then (else: no names, or of code it has not)");
	maps_forget(&m, 2);
	ok(!maps_jitdump(&m, 2, &until), "jitdump: another program has none");
	maps_fini(&m);
}

/* CPU seconds of N maps, each before all others, and of as many forks whose child maps one more. */
static double seconds_of(unsigned n)
{
	struct perf_maps m = { 0 };
	clock_t from = clock();

	for (unsigned i = n; i; i--) {
		struct perf_map x = { .start = 16 * i, .end = 16 * i + 8, .name = "a" };

		maps_add(&m, 1, &x, 1);
	}
	for (unsigned i = 0; i < n / 16; i++) {
		struct perf_map x = { .start = 16 * i, .end = 16 * i + 9, .name = "b" };

		maps_fork(&m, 2, 1, i);
		maps_add(&m, 2, &x, 1);
	}
	maps_fini(&m);
	return (double)(clock() - from) / CLOCKS_PER_SEC;
}

int main(void)
{
	double seconds;

	for (unsigned seed = 1; seed <= 4; seed++)
		test_model(seed, seed % 2 ? 3 : 200, (unsigned)tap_small(3000, 20000));
	test_jitdump();
	/* 250,000 in one array: 12 s. */
	seconds = seconds_of(MAPS_MAX / 2 - 2);
	ok(seconds < 5, "maps from the highest address down, and forks: %.2f s", seconds);
	return tap_done();
}
