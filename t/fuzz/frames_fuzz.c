// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * frames_fuzz: a zed stream, saved (first byte even) or from a pipe (odd), opened, read and printed
 * as the programs do.  The rest of the input is a stream without its head.
 */
#include "t/fuzz/fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>

/* Give DATA by a pipe that holds it all; what does not fit is left out. */
static void by_pipe(const uint8_t *data, size_t size, struct drive *d)
{
	char path[64];
	int p[2];

	if (pipe(p) < 0)
		return;
	fcntl(p[1], F_SETPIPE_SZ, 1 << 20);
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	if (write(p[1], data, size) >= 0) {
		close(p[1]);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", p[0]);
		drive_run(path, DRIVE_MACHINE, d);
	} else {
		close(p[1]);
	}
	close(p[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t head[16] = { 0x89, 'Z', 'E', 'D', '\r', '\n', 0x1a, '\n',
					  1,	0,   0,	  0,   0,    0,	   0x80, 0 };
	static char path[64];
	static int fd = -1;
	struct drive d;
	uint8_t *all;

	if (!size)
		return 0;
	if (fd < 0) {
		fd = memfd_create("fuzz", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	all = malloc(sizeof(head) + size);
	memcpy(all, head, sizeof(head));
	memcpy(all + sizeof(head), data + 1, size - 1);
	size += sizeof(head) - 1;
	if (data[0] & 1)
		by_pipe(all, size, &d);
	else if (ftruncate(fd, 0) == 0 && pwrite(fd, all, size, 0) == (ssize_t)size)
		drive_run(path, DRIVE_TEXT | DRIVE_MACHINE, &d);
	free(all);
	return 0;
}
