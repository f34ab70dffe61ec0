/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_FRAMES_WRITE_H
#define ZED_FRAMES_WRITE_H

#include "output.h"

/* A zed stream (reader/frames.h, docs/zed-stream.pod) to FD, borrowed: a pipe, a file, a socket. */
struct output *frames_write_new(int fd, struct err *e);

#endif
