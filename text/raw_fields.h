/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TEXT_RAW_FIELDS_H
#define ZED_TEXT_RAW_FIELDS_H

#include "base/outbuf.h"
#include "trace/event.h"

/*
 * A record as " name=value name=value": the form that libtraceevent gives records whose print
 * format it cannot parse.  BINARY has a byte per field of the type; once a field has held something
 * unprintable the library never shows it as text again, and BINARY records that.  Ends with the
 * field that makes it longer than MAX.
 */
void rawtext_fields(struct outbuf *o, const struct event *ev, uint8_t *binary, size_t max);

/*
 * The same for a type without a format file (LTT, stable events): every field by its kind, texts on
 * one line.  MAX as above.
 */
void rawtext_plain(struct outbuf *o, const struct event *ev, size_t max);

#endif
