/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_STABLE_PACK_H
#define ZED_STABLE_PACK_H

#include "stable/layout.h"

/* Converts records between the two forms of a description (layout.h); single bit fields. */

/*
 * SIZE (1 to 64) bits at bit BIT of P, numbered as layout.h says; the caller has checked that they
 * are within P.
 */
uint64_t bits_get(const uint8_t *p, uint64_t bit, unsigned size, bool big_endian);
void bits_put(uint8_t *p, uint64_t bit, unsigned size, bool big_endian, uint64_t v);

/*
 * Pack the open record OPEN of LEN bytes (as stable_map_event() or descpack_open() made it) into
 * OUT, which has room for SIZE bytes.  Items are read where D->fields say: a caller whose records
 * have another open layout sets its own fields there (FIELD_NONE: no value for the item).  Fields
 * after the end of OPEN are 0, a dynamic one that points outside it is empty, and unused bits are
 * 0.  Returns the bytes; 0 if OUT is too small (never with descpack_room() bytes), if an item's
 * data would begin after byte 65535 or be longer, which no locator can express, and for a
 * description without a bit, whose records are empty.
 */
size_t descpack_pack(const struct desc *d, bool big_endian, const uint8_t *open, uint32_t len,
		     uint8_t *out, size_t size);

/* Enough bytes for any record of D whose open form has LEN bytes. */
size_t descpack_room(const struct desc *d, uint32_t len);

/*
 * Open the packed record P of LEN bytes into *OUT, a buffer of *CAP bytes that grows as needed
 * (the caller's, free()).  P may be longer than its items need.  Every locator is checked against
 * LEN and the fixed part; items that share data each get their own copy, within 128 KiB for all.
 * *OPEN_LEN gets the length.  -1 with E (ERR_FORMAT; no offset, no path).
 */
int descpack_open(const struct desc *d, bool big_endian, const uint8_t *p, size_t len,
		  uint8_t **out, size_t *cap, uint32_t *open_len, struct err *e);

#endif
