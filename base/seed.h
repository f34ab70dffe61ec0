/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_SEED_H
#define ZED_BASE_SEED_H

#include <stdint.h>

/*
 * A number that nobody can foresee, for hash tables of keys that come from a file: no file can be
 * made whose keys all meet in one slot.  Never waits and never fails: early in a boot, while there
 * is no randomness, it is the time.
 */
uint64_t seed_new(void);

#endif
