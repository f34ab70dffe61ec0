/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_FOLDER_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make a folder of our own (mode 0700) in TMP.  While *LOCK is open the folder is in use, and a
 * killed process has nothing open: folders that killed runs of this user and host have left there
 * are removed first.  Returns its path, to be freed, or NULL with errno.
 */
char *folder_make(const char *tmp, int *lock);

/* Remove everything that folder_make()'s run has put there, then the folder; LOCK is closed. */
void folder_remove(const char *path, int lock);

/*
 * Remove what killed processes began to write in PATH: "NAME.state.XXXXXX", if IS_OURS is true for
 * NAME, which has LEN letters.
 */
void folder_drop_begun(const char *path, bool (*is_ours)(void *arg, const char *name, size_t len),
		       void *arg);

#endif
