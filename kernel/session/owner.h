/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_KERNEL_SESSION_OWNER_H
#define ZED_KERNEL_SESSION_OWNER_H

#include <stdbool.h>

/*
 * Is the owner of an instance alive?  It holds a lock (flock(2)) on the instance's directory, which
 * the kernel drops with the process, however it ends.  All mounts of tracefs are the same file
 * system, so the lock counts across containers, PID namespaces and users, where process numbers do
 * not.  It is shared by forked children, as are the open files of the instance.
 */

/*
 * Own DIR, an instance made just now: its lock into *LOCK, to be closed after the instance was
 * removed; -1: this file system has none.  False: a cleaner took DIR for a dead one before it was
 * locked, and has removed it.
 */
bool owner_begin(const char *dir, int *lock);

/*
 * Keep DIR, any instance, from being taken for a dead one while it is read.  The lock, to be
 * closed, or -1: its owner lives, or it cannot be locked.
 */
int owner_share(const char *dir);

/*
 * The lock of DIR, to be closed, if it has no owner; until then it gets none.  -1 with errno:
 * EWOULDBLOCK: it has an owner; ENOENT: it is no longer there; else it cannot be known.
 */
int owner_none(const char *dir);

#endif
