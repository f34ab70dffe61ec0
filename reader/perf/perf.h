/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_READER_PERF_PERF_H
#define ZED_READER_PERF_PERF_H

#include "trace/source.h"

/*
 * The source kind of perf.data (format.md 12): files, directories of `perf record --threads`, and
 * the output of `perf record -o -` to a pipe, which is streamed.
 */
extern const struct source_ops perf_source;

/* The first bytes of a perf.data, in the byte order of the machine that recorded it. */
#define PERF_MAGIC "PERFILE2"
#define PERF_MAGIC_SWAPPED "2ELIFREP"
#define PERF_MAGIC_OLD "PERFFILE"
#define PERF_MAGIC_LEN 8

#endif
