/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_RECORD_FILE_ZEDSTREAM_WRITE_H
#define ZED_RECORD_FILE_ZEDSTREAM_WRITE_H

#include "record/output.h"

/* A zed stream (docs/zed-stream.pod) to FD, borrowed: a pipe, a file, a socket. */
struct output *zedstream_write_new(int fd, struct err *e);

#endif
