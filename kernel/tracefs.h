/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_TRACEFS_H
#define ZED_KERNEL_TRACEFS_H

#include "base/err.h"

/*
 * The files of tracefs: where they are, and their texts.  All errors say what is missing and the
 * command that fixes it ("mount -t tracefs nodev /sys/kernel/tracing", "run it as root: sudo ...").
 * Paths are those of the running system.
 */

struct page_layout;

#define TRACEFS_MAX_TEXT (64u << 20) /* bytes of one file that are read */

/*
 * The root of tracefs: the mount that /proc/mounts lists (tracefs first, then debugfs's tracing),
 * or ZED_TRACEFS of the environment.  Into ROOT of SIZE bytes.
 */
int tracefs_find(char *root, size_t size, struct err *e);

/*
 * The whole of DIR/NAME, with a NUL after it, to be freed; *LEN bytes (may be NULL).  NULL with E.
 * At most TRACEFS_MAX_TEXT.
 */
char *tracefs_text(const char *dir, const char *name, size_t *len, struct err *e);

/* Parse DIR's events/header_page into L, whose big_endian is set.  -1 with E. */
int tracefs_layout(const char *dir, struct page_layout *l, struct err *e);

/* Write TEXT to DIR/NAME in one write, as these files need it.  -1 with E (sys: the errno). */
int tracefs_write(const char *dir, const char *name, const char *text, struct err *e);

#endif
