// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record_count: counts the records of a sub-buffer, and those of one task, without looking at their
 * types.
 */
#include "ring/record_count.h"

#include "base/bytes.h"
#include "ring/ring_priv.h"

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

unsigned records_count(const uint8_t *p, uint32_t len, bool big, uint64_t *ts)
{
	return records_count_of(p, len, big, ts, 0, NULL);
}

unsigned records_count_of(const uint8_t *p, uint32_t len, bool big, uint64_t *ts, uint32_t pid,
			  uint64_t *own)
{
	const uint64_t low59 = (UINT64_C(1) << 59) - 1;
	unsigned n = 0;
	uint32_t at = 0;

	while (len - at >= 4) {
		uint32_t word = bytes_u32(p + at, big), type = big ? word >> 27 : word & 31;
		uint32_t delta = big ? word & 0x7ffffff : word >> 5, size;
		uint64_t delta_ts;

		if (type && type <= 28) {
			size = 4 + 4 * type;
		} else if (type >= 30) {
			if (len - at < 8)
				break;
			size = 8;
			delta_ts = ((uint64_t)bytes_u32(p + at + 4, big) << 27) + delta;
			if (type == 31)
				*ts = (delta_ts & low59) | (*ts & ~low59);
			else
				*ts += delta_ts;
		} else {
			if (len - at < 8 || (type == 29 && !delta))
				break;
			size = bytes_u32(p + at + 4, big);
			if (size < 4 || size > len - at - 4)
				break;
			size = 4 + ((size + 3) & ~3u);
		}
		if (size > len - at)
			break;
		if (own && type <= 28) {
			uint32_t data = type ? 4 : 8;

			*own += size >= data + 8 && bytes_u32(p + at + data + 4, big) == pid;
		}
		at += size;
		if (type <= 28) {
			*ts += delta;
			n++;
		}
	}
	return n;
}

unsigned records_in_page(const uint8_t *p, uint32_t len, uint32_t head)
{
	return records_own_in_page(p, len, head, 0, NULL);
}

unsigned records_own_in_page(const uint8_t *p, uint32_t len, uint32_t head, int32_t pid,
			     uint64_t *own)
{
	uint32_t used;
	uint64_t ts = 0;

	if (head < 12 || len < head)
		return 0;
	/* The low half of the commit word, which is a long. */
	used = bytes_u32(p + (BIG_ENDIAN_HERE ? head - 4 : 8), BIG_ENDIAN_HERE) & COMMIT_SIZE;
	return records_count_of(p + head, used < len - head ? used : len - head, BIG_ENDIAN_HERE,
				&ts, (uint32_t)pid, pid ? own : NULL);
}
