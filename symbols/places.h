/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_SYMBOLS_PLACES_H
#define ZED_SYMBOLS_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Opening files whose names come from a trace: regular files below a folder that the user allowed.
 * A symbolic link leads to what it would lead to if that folder were the root, as in a container
 * whose root it is; never out of it.  FIFOs, devices and folders are not even opened.
 */

/*
 * The file PATH below ROOT ("/": the root), to be read; -1: there is none, or it is not a regular
 * file, or has more than MOST bytes.
 */
int place_open(const char *root, const char *path, uint64_t most);

/*
 * Does the file FD belong to root or this user?  As for perf: names that another user has written
 * (anyone can write to /tmp) would put words into this one's mouth.
 */
bool place_is_ours(int fd);

/* The path of the build id ID below a folder of debug files, into BUF: ".build-id/ab/cdef...". */
#define PLACE_ID_SIZE 160 /* of a build id of 64 bytes */
const char *place_of_id(const uint8_t *id, size_t len, char buf[PLACE_ID_SIZE]);

#endif
