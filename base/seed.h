/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_SEED_H
#define ZED_BASE_SEED_H

#include <stdint.h>

/*
 * A number that cannot be foreseen, for hash tables of keys that come from a file: no file can be
 * made whose keys all meet in one slot.  Never waits and never fails: early in a boot, while there
 * is not randomness, it is the time.
 */
uint64_t seed_new(void);

/*
 * The hash of a number of 32 bits, such as that of a task: any of its bits may be taken.  FACTOR is
 * seed_new() | 1: for two numbers, whatever they are, few factors give the same.
 */
static inline uint32_t seed_hash(uint64_t factor, uint32_t n)
{
	uint64_t h = factor * n;

	/* Or numbers one after the other would meet where the factor is small. */
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

#endif
