// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seed: random factors that make hash tables differ from run to run.
 */
#include "base/seed.h"

#include <sys/random.h>
#include <time.h>

uint64_t seed_new(void)
{
	struct timespec now;
	uint64_t n;

	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) == sizeof(n))
		return n;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec) * 0x9e3779b97f4a7c15;
}
