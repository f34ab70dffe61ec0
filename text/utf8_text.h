/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_UTF8_TEXT_H
#define ZED_TEXT_UTF8_TEXT_H

#include "base/outbuf.h"

/*
 * Bytes of a trace for formats that only allow UTF-8, so that they can be recovered: those that are
 * not UTF-8 become private use characters, U+EF80 for 0x80 to U+EFFF for 0xff.
 */

/* Append LEN bytes. */
void utf8_text(struct outbuf *o, const void *bytes, size_t len);

/* Append them as the inside of a JSON string, whose text is plain (base/plain.h). */
void utf8_json(struct outbuf *o, const void *bytes, size_t len);

#endif
