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

/*
 * The record at P, of whose sub-buffer LEN bytes are left: its bytes, 0 if it is invalid; *DATA
 * gets where its event begins, 0 if it is none but a time.  Advances *TS.
 */
static inline uint32_t record_at(const uint8_t *p, uint32_t len, bool big, uint64_t *ts,
				 uint32_t *data)
{
	const uint64_t low59 = (UINT64_C(1) << 59) - 1;
	uint32_t word = bytes_u32(p, big), type = big ? word >> 27 : word & 31;
	uint32_t delta = big ? word & 0x7ffffff : word >> 5, size;
	uint64_t delta_ts;

	*data = 0;
	if (type && type <= 28) {
		size = 4 + 4 * type;
		*data = 4;
	} else if (type >= 30) {
		if (len < 8)
			return 0;
		delta_ts = ((uint64_t)bytes_u32(p + 4, big) << 27) + delta;
		if (type == 31)
			*ts = (delta_ts & low59) | (*ts & ~low59);
		else
			*ts += delta_ts;
		return 8;
	} else {
		if (len < 8 || (type == 29 && !delta))
			return 0;
		size = bytes_u32(p + 4, big);
		if (size < 4 || size > len - 4)
			return 0;
		size = 4 + ((size + 3) & ~3u);
		if (type == 0)
			*data = 8;
	}
	if (size > len)
		return 0;
	if (type <= 28)
		*ts += delta;
	return size;
}

unsigned records_count_of(const uint8_t *p, uint32_t len, bool big, uint64_t *ts, uint32_t pid,
			  uint64_t *own)
{
	unsigned n = 0;

	for (uint32_t at = 0, size, data; len - at >= 4; at += size) {
		size = record_at(p + at, len - at, big, ts, &data);
		if (!size)
			break;
		if (!data)
			continue;
		n++;
		if (own)
			*own += size >= data + 8 && bytes_u32(p + at + data + 4, big) == pid;
	}
	return n;
}

/* Bytes of data in the sub-buffer P, by the low half of its commit word, which is a long. */
static uint32_t data_in_page(const uint8_t *p, uint32_t len, uint32_t head)
{
	uint32_t used;

	if (head < 12 || len < head)
		return 0;
	used = bytes_u32(p + (BIG_ENDIAN_HERE ? head - 4 : 8), BIG_ENDIAN_HERE) & COMMIT_SIZE;
	return used < len - head ? used : len - head;
}

unsigned records_in_page(const uint8_t *p, uint32_t len, uint32_t head)
{
	return records_own_in_page(p, len, head, 0, NULL);
}

unsigned records_own_in_page(const uint8_t *p, uint32_t len, uint32_t head, int32_t pid,
			     uint64_t *own)
{
	uint64_t ts = 0;

	return records_count_of(p + head, data_in_page(p, len, head), BIG_ENDIAN_HERE, &ts,
				(uint32_t)pid, pid ? own : NULL);
}

void records_types_in_page(const uint8_t *p, uint32_t len, uint32_t head,
			   void (*see)(void *arg, unsigned type), void *arg)
{
	uint32_t used = data_in_page(p, len, head);
	uint64_t ts = 0;

	for (uint32_t at = 0, size, data; used - at >= 4; at += size) {
		size = record_at(p + head + at, used - at, BIG_ENDIAN_HERE, &ts, &data);
		if (!size)
			break;
		if (data && size >= data + 2)
			see(arg, bytes_u16(p + head + at + data, BIG_ENDIAN_HERE));
	}
}
