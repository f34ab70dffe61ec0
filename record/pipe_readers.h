/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_PIPE_READERS_H
#define ZED_RECORD_PIPE_READERS_H

#include <stddef.h>

/*
 * Who can read the pipe behind FD, for messages: " (zedperl 12, sleep 34)" into BUF, as much as has
 * room; "" if it is not a pipe, or /proc shows no other process that has it open.  Looks at the
 * descriptors of all processes: some milliseconds.
 */
const char *pipe_readers(int fd, char *buf, size_t size);

#endif
