/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_ZEDSTREAM_H
#define ZED_READER_ZEDSTREAM_ZEDSTREAM_H

#include "trace/source.h"
#include "reader/zedstream/format.h"

/* The source kind of zed streams, saved or from a pipe that is still being written. */
extern const struct source_ops zedstream_source;

#endif
