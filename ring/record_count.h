/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_RECORD_COUNT_H
#define ZED_RING_RECORD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many records a sub-buffer has, for those who pass it on or keep it and read none of them.
 */

/*
 * The records in LEN bytes of a sub-buffer's data (format.md 4.2, 4.3), as far as they make sense;
 * *TS, the sub-buffer's time, is moved on to that of the last.
 */
unsigned records_count(const uint8_t *p, uint32_t len, bool big_endian, uint64_t *ts);

/*
 * The same; *OWN grows by the number of those of the task PID (common_pid, at offset 4).  NULL: not
 * asked.
 */
unsigned records_count_of(const uint8_t *p, uint32_t len, bool big_endian, uint64_t *ts,
			  uint32_t pid, uint64_t *own);

/*
 * The records in the LEN bytes of a sub-buffer of this kernel, whose data begin at HEAD (struct
 * meta); 0 for zeros.
 */
unsigned records_in_page(const uint8_t *p, uint32_t len, uint32_t head);

/* The same; *OWN grows by the number of those that our own process caused.  NULL: not asked. */
unsigned records_own_in_page(const uint8_t *p, uint32_t len, uint32_t head, uint64_t *own);

#endif
