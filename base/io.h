/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_BASE_IO_H
#define ZED_BASE_IO_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* read(2) and write(2) of the full length: continued after a signal or a short count. */

/* Write the LEN bytes at P to FD.  False: errno says why; some may have been written. */
bool io_write(int fd, const void *p, size_t len);

/*
 * Read the bytes of FD from OFF on into P, LEN at most.  Returns how many there were up to the
 * file's end; -1: errno says why.
 */
ssize_t io_pread(int fd, void *p, size_t len, uint64_t off);

/*
 * The bytes of FD up to its end, *LEN of them, and a NUL, to be freed; FD is closed.  For files
 * that do not report their size.  NULL: errno says why (EFBIG: more than MOST), that of a failed
 * open() if FD is -1.
 */
char *io_text(int fd, size_t most, size_t *len);

/*
 * Does the kernel allow this process MODE (R_OK, W_OK, X_OK) of PATH?  By its effective user and
 * its capabilities, as open() and execve() decide; access() asks for the user who started it, whose
 * capabilities do not count.  False: errno says why.
 */
bool io_may(const char *path, int mode);

/*
 * The folder NAME in the folder AT (".": that itself), to be read and closed by closedir(); FLAGS
 * are added to those of open().  NULL: errno says why.
 */
DIR *io_folder(int at, const char *name, int flags);

#endif
