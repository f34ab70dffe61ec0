/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_MAPS_TEXT_H
#define ZED_RECORD_MAPS_TEXT_H

#include "trace/maps/map_log.h"

/*
 * What processes have mapped, as the options PROCMAPS that trace-cmd knows: a text for each process
 * (format.md 1.5), by the last look at it.  There a file has one range, from its first mapping on,
 * and neither an offset nor a build id; paths with blanks are left out, as trace-cmd drops a whole
 * text with one.
 */
#define MAPS_TEXT_MAX (1u << 20)  /* bytes of all texts: processes after that have none ... */
#define MAPS_TEXT_SEEN (1u << 22) /* ... or after so many mappings that were looked at */

/* Call GIVE with the text of each process of the log P, LEN bytes with its NUL. */
void maps_text_each(const uint8_t *p, size_t len,
		    void (*give)(void *arg, const char *text, size_t len), void *arg);

#endif
