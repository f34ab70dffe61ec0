/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_STABLEFILE_STABLEFILE_H
#define ZED_READER_STABLEFILE_STABLEFILE_H

#include "trace/source.h"
#include "stable/file.h"

/* The source kind of files written by zedperl --export (docs/zed-stable.pod). */
extern const struct source_ops stablefile_source;

#endif
