/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_CONVERT_H
#define ZED_RECORD_FILE_CONVERT_H

#include "record/file/spool.h"

/*
 * Convert a zed stream, saved or from a pipe, to a trace.dat: PATH "-" is standard input.  A
 * truncated stream gives what is complete, and a notice of damage.
 */
int convert_stream(const char *path, const struct spool_opts *o, struct err *e);

#endif
