/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_TRACE_CGROUPS_CGROUP_PATH_H
#define ZED_TRACE_CGROUPS_CGROUP_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A tree of cgroups, by the path of its root, as users write it. */

/* The length of PATH without slashes at its end: 0 for "/", the root of all. */
static inline size_t cgroup_path_len(const char *path)
{
	size_t len = strlen(path);

	while (len && path[len - 1] == '/')
		len--;
	return len;
}

/* Is PATH the cgroup ROOT, LEN bytes as above, or below it? */
static inline bool cgroup_path_is_in(const char *path, const char *root, size_t len)
{
	return *path == '/' && !strncmp(path, root, len) && (!path[len] || path[len] == '/');
}

#endif
