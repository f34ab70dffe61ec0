/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RING_LOSS_MARK_H
#define ZED_RING_LOSS_MARK_H

#include <stdint.h>

/*
 * The mark of lost events in a sub-buffer of this kernel, whose data begin at HEAD (struct meta):
 * how many were lost before its first record (format.md 4.1), for code that forwards it.
 */
#define LOSS_UNKNOWN (UINT64_C(1) << 31) /* some; so are numbers from here on, and sums of them */

/* The number in LEN bytes at P; 0: no mark. */
uint64_t loss_of_page(const uint8_t *p, uint32_t len, uint32_t head);

/* Add N to it.  Where the number does not fit after the data, it is unknown, as in the kernel. */
void loss_mark_page(uint8_t *p, uint32_t page_size, uint32_t head, uint64_t n);

#endif
