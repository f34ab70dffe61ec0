// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io: complete reads and writes.
 */
#include "base/io.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

#define PIECE 65536

/* Append all of FD to *TEXT, as io_text(). */
static bool read_text(int fd, char **text, size_t *len, size_t most)
{
	size_t cap = 0;

	while (*len <= most) {
		ssize_t n;

		*text = mem_grow(*text, &cap, *len + PIECE + 1, 1);
		n = read(fd, *text + *len, cap - *len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (!n)
			return true;
		*len += (size_t)n;
	}
	errno = EFBIG;
	return false;
}

char *io_text(int fd, size_t most, size_t *len)
{
	char *text = NULL;
	int why = 0;

	*len = 0;
	if (fd < 0)
		return NULL;
	if (read_text(fd, &text, len, most)) {
		text[*len] = '\0';
	} else {
		why = errno;
		free(text);
		text = NULL;
	}
	close(fd);
	errno = why;
	return text;
}

bool io_may(const char *path, int mode)
{
	return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0;
}

DIR *io_folder(int at, const char *name, int flags)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;

	if (!d && fd >= 0)
		close(fd);
	return d;
}
