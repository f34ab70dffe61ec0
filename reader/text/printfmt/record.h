/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_TEXT_PRINTFMT_RECORD_H
#define ZED_READER_TEXT_PRINTFMT_RECORD_H

#include "reader/text/printfmt/tree.h"

/*
 * Can this record be printed?  Divisors are evaluated, arrays and dynamic fields have to lie inside
 * of the record.  EV->data is followed by at least 128 KiB of readable zeroes.
 */
bool printfmt_record_ok(const struct printfmt *pf, const struct event *ev);

/* How long the text of a record of SIZE bytes may be, with the strings that go into it. */
#define PF_TEXT_FIXED 1024
#define PF_TEXT_PER_BYTE 32

static inline uint64_t pf_text_max(uint32_t size)
{
	return PF_TEXT_FIXED + (uint64_t)PF_TEXT_PER_BYTE * size;
}

#endif
