/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_ZEDSTREAM_CARRIER_H
#define ZED_READER_ZEDSTREAM_CARRIER_H

#include "trace/source.h"

/*
 * The source kind of carriers (docs/zed-stream.pod): several zed streams in one, each a separate
 * source (source_ops.more).  Some begin long after others.
 */
extern const struct source_ops carrier_source;

#endif
