// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seed: hashes of tasks' numbers.  Without it a file whose pids all meet in one slot would make
 * each name that it tells cost a walk over all others.
 *
 * of: base/seed.c
 */
#include "base/seed.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

#define SLOTS 4096
#define MANY 4096

/* How many of the N numbers V meet in the fullest slot. */
static unsigned fullest(uint64_t factor, const uint32_t *v, unsigned n)
{
	static unsigned met[SLOTS];
	unsigned most = 0;

	memset(met, 0, sizeof(met));
	for (unsigned i = 0; i < n; i++) {
		unsigned *m = &met[seed_hash(factor, v[i]) % SLOTS];

		most = ++*m > most ? *m : most;
	}
	return most;
}

int main(void)
{
	uint64_t known = seed_new() | 1, factor;
	static uint32_t v[MANY];
	unsigned n = 0, worst = 0;

	/* What somebody who knew the factor of a run would write into a file. */
	for (uint32_t pid = 1; n < MANY; pid++)
		if (!(seed_hash(known, pid) % SLOTS))
			v[n++] = pid;
	is_u64(fullest(known, v, n), MANY, "numbers that all meet in one slot can be found");
	for (unsigned i = 0; i < 20; i++) {
		unsigned most;

		factor = seed_new() | 1;
		most = fullest(factor, v, n);
		worst = most > worst ? most : worst;
	}
	ok(worst <= MANY / 8, "in another run they do not (else: a file can choose them): %u",
	   worst);
	for (unsigned i = 0; i < MANY; i++)
		v[i] = i;
	worst = 0;
	for (unsigned i = 0; i < 20; i++) {
		unsigned most = fullest(seed_new() | 1, v, n);

		worst = most > worst ? most : worst;
	}
	ok(worst <= 64, "those of a usual machine are spread: %u in one slot at most", worst);
	return tap_done();
}
