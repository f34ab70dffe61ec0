// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * write_at: writes at a position, to the last byte: short and interrupted writes are continued.
 */
#include "base/write_at.h"

#include <errno.h>
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
