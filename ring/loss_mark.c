// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loss_mark: reads and sets how many events were lost before a sub-buffer of this kernel.
 */
#include "ring/loss_mark.h"

#include "base/bytes.h"
#include "ring/ring_priv.h"

#define BIG_ENDIAN_HERE (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Of the commit word, a long of HEAD - 8 bytes, this half has the length and the flags. */
static uint32_t commit_at(uint32_t head)
{
	return BIG_ENDIAN_HERE && head == 16 ? 12 : 8;
}

uint64_t loss_of_page(const uint8_t *p, uint32_t len, uint32_t head)
{
	uint32_t word, used;
	uint64_t n;

	if (len < head)
		return 0;
	word = bytes_u32(p + commit_at(head), BIG_ENDIAN_HERE);
	used = head + (word & COMMIT_SIZE);
	if (!(word & COMMIT_LOST))
		return 0;
	if (!(word & COMMIT_STORED) || used > len || len - used < head - 8)
		return LOSS_UNKNOWN;
	n = head == 16 ? bytes_u64(p + used, BIG_ENDIAN_HERE) :
			 bytes_u32(p + used, BIG_ENDIAN_HERE);
	return n < LOSS_UNKNOWN ? n : LOSS_UNKNOWN;
}

void loss_mark_page(uint8_t *p, uint32_t page_size, uint32_t head, uint64_t n)
{
	uint32_t word = bytes_u32(p + commit_at(head), BIG_ENDIAN_HERE);
	uint32_t used = head + (word & COMMIT_SIZE), size = head - 8;

	if (used > page_size)
		return;
	n += loss_of_page(p, page_size, head);
	word = (word | COMMIT_LOST) & ~COMMIT_STORED;
	if (n < LOSS_UNKNOWN && page_size - used >= size) {
		word |= COMMIT_STORED;
		bytes_put(p + used, n, size, BIG_ENDIAN_HERE);
	}
	bytes_put(p + commit_at(head), word, 4, BIG_ENDIAN_HERE);
}
