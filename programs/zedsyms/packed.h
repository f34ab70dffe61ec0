/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDSYMS_PACKED_H
#define ZED_PROGRAMS_ZEDSYMS_PACKED_H

#define PACKED_MOST (512u << 20) /* bytes of a file that is unpacked */

/*
 * The file FD, or, if zstd has packed it, as modules of the kernel may be, what it holds: unpacked
 * in memory, and FD is closed.  (libdw unpacks the others itself, and few builds of it zstd.)  -1:
 * *WHY says why.
 */
int packed_open(int fd, const char **why);

#endif
