/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_PERF_MAP_FILE_H
#define ZED_SYMBOLS_PERF_MAP_FILE_H

#include "symbols/code_table.h"

/*
 * The functions that a process compiled at run time, as its engine (java, node, python -X perf)
 * writes them to /tmp/perf-PID.map: lines "START SIZE NAME" with hexadecimal numbers.  The file FD
 * is closed; T's addresses are those of the process.  False: it cannot be read, or belongs to
 * another user than root or this one (anyone can write to /tmp).  *BAD: invalid lines.
 */
bool perf_map_read(struct code_table *t, int fd, unsigned *bad);

/* Is FILE, as a recording names it, memory that no file is mapped in? */
bool perf_map_is_for(const char *file);

#define PERF_MAP_MOST (256u << 20) /* bytes of such a file */

#endif
