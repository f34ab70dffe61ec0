/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answer_key: parts of keys of aggregations as scripts write them.
 */
#include "interp/common/answer_key.h"

#include "base/cpulist.h"

#include <string.h>

bool answer_key_set(struct key *k, const char *s, size_t len)
{
	uint64_t bits[CPULIST_MAX / 64];
	uint8_t bytes[CPULIST_MAX / 8];
	size_t bad, i;

	memset(bits, 0, sizeof(bits));
	if (len && cpulist_parse(s, len, bits, &bad) < 0)
		return false;
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(bits[i / 8] >> 8 * (i % 8));
	key_bits(k, bytes, sizeof(bytes) < KEY_TEXT_MAX ? sizeof(bytes) : KEY_TEXT_MAX, 1, false);
	return true;
}
