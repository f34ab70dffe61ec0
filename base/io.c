// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io: complete reads and writes.
 */
#include "base/io.h"

#include <errno.h>
#include <unistd.h>

bool io_write(int fd, const void *p, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, (const char *)p + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : ENOSPC;
			return false;
		}
		done += (size_t)n;
	}
	return true;
}

ssize_t io_pread(int fd, void *p, size_t len, uint64_t off)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)p + done, len - done, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}
