/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_STREAM_META_H
#define ZED_READER_ZEDSTREAM_STREAM_META_H

#include "reader/dat/dat.h"
#include "reader/zedstream/frames.h"

/*
 * The metadata of a zed stream, up to its READY: kept in memory as the beginning of a trace.dat,
 * and opened as one without data.  *PAGE_SIZE gets the bytes of a sub-buffer, *CLOCK the clock's
 * name (to be freed, also on failure), *WATCHED whether names will come with times.  Blocks until
 * READY has been read.  NULL with E.
 */
struct dat *framemeta_open(struct frame_reader *r, struct catalog *c, const struct source_opts *o,
			   uint32_t *page_size, char **clock, bool *watched, struct err *e);

#endif
