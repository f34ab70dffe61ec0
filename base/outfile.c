// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outfile: output files: creates temporary ones, and writes at an offset, continuing short and
 * interrupted writes.
 */
#include "base/outfile.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int write_at(int fd, const void *p, size_t len, uint64_t off, struct err *e)
{
	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, off, "cannot write");
		p = (const char *)p + n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

int outfile_beside(const char *path, char **name, struct err *e)
{
	static const char pattern[] = ".XXXXXX"; /* what mkostemp() fills in */
	size_t size = strlen(path) + sizeof(pattern);
	int fd;

	*name = mem_alloc(size);
	snprintf(*name, size, "%s%s", path, pattern);
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd >= 0)
		return fd;
	err_sys(e, ERR_NO_OFF, "cannot create a file there");
	free(*name);
	*name = NULL;
	return -1;
}
