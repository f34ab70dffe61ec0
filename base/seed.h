/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_SEED_H
#define ZED_BASE_SEED_H

#include <stdint.h>

/*
 * An unpredictable number, for hash tables whose keys come from a file: no file can be made whose
 * keys all collide.  Never waits and never fails: early in a boot, before there is randomness, it
 * is the time.
 */
uint64_t seed_new(void);

/*
 * The hash of a number of 32 bits, such as that of a task: any of its bits can be used.  FACTOR is
 * seed_new() | 1: any two numbers collide for few factors only.
 */
static inline uint32_t seed_hash(uint64_t factor, uint32_t n)
{
	uint64_t h = factor * n;

	/* Without this, consecutive numbers would collide for a small factor. */
	h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

#endif
