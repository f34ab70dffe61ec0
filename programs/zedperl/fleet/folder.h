/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PROGRAMS_ZEDPERL_FLEET_FOLDER_H
#define ZED_PROGRAMS_ZEDPERL_FLEET_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make a folder of our own (mode 0700) in TMP.  While *LOCK is open somebody is at work in it, and
 * a killed process has nothing open: folders of this user and host that killed runs have left
 * there are removed first.  Returns its path, to be freed, or NULL with errno.
 */
char *folder_make(const char *tmp, int *lock);

/* Remove all that folder_make()'s run has put there, then it itself; LOCK is closed. */
void folder_remove(const char *path, int lock);

/*
 * Remove what killed processes began to write in PATH: "NAME.state.XXXXXX", where IS_OURS says so
 * of NAME, which has LEN letters.
 */
void folder_drop_begun(const char *path, bool (*is_ours)(void *arg, const char *name, size_t len),
		       void *arg);

#endif
