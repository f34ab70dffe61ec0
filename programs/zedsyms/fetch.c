// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fetch: asks debuginfod's servers for a file, only if the user has asked for that.  The library
 * is loaded here, as few need it.
 */
#include "programs/zedsyms/fetch.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libdebuginfod.so.1"

/* Of elfutils/debuginfod.h; a length of 0 means that the id is in digits. */
typedef void *begin_fn(void);
typedef int find_fn(void *client, const unsigned char *id, int len, char **path);

int fetch_open(const char *kind, const char *id, const char **why)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);
	begin_fn *begin = library ? (begin_fn *)dlsym(library, "debuginfod_begin") : NULL;
	const char *name = !strcmp(kind, "executable") ? "debuginfod_find_executable" :
							 "debuginfod_find_debuginfo";
	find_fn *find = library ? (find_fn *)dlsym(library, name) : NULL;
	void *client = begin && find ? begin() : NULL;
	int fd;

	*why = "cannot load " LIBRARY " (Debian: libdebuginfod1)";
	if (!client)
		return -1;
	fd = find(client, (const unsigned char *)id, 0, NULL);
	*why = fd < 0 ? strerror(-fd) : NULL;
	return fd < 0 ? -1 : fd;
}
