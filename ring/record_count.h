/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_RECORD_COUNT_H
#define ZED_RING_RECORD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The number of records of a sub-buffer, for code that forwards or stores it without reading them.
 */

/*
 * The records in LEN bytes of a sub-buffer's data (format.md 4.2, 4.3), up to the first invalid
 * one; advances *TS, the sub-buffer's time, to that of the last.
 */
unsigned records_count(const uint8_t *p, uint32_t len, bool big_endian, uint64_t *ts);

/*
 * The same; adds the number of records of the task PID (common_pid, at offset 4) to *OWN.  NULL: do
 * not count them.
 */
unsigned records_count_of(const uint8_t *p, uint32_t len, bool big_endian, uint64_t *ts,
			  uint32_t pid, uint64_t *own);

/*
 * The records in the LEN bytes of a sub-buffer of this kernel, whose data begin at HEAD (struct
 * meta); 0 for zeros.
 */
unsigned records_in_page(const uint8_t *p, uint32_t len, uint32_t head);

/*
 * The same; adds the number of records of the task PID to *OWN.  NULL, or PID 0: do not count them.
 */
unsigned records_own_in_page(const uint8_t *p, uint32_t len, uint32_t head, int32_t pid,
			     uint64_t *own);

/*
 * SEE is called with the type of each record (common_type) of such a page: how often each occurs
 * shows which event fills it.
 */
void records_types_in_page(const uint8_t *p, uint32_t len, uint32_t head,
			   void (*see)(void *arg, unsigned type), void *arg);

#endif
