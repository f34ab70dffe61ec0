// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * file_fuzz: a whole file, opened, read and printed as the programs do.
 */
#include "t/fuzz/fuzz.h"

#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	struct drive d;

	if (fd < 0) {
		fd = memfd_create("fuzz", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) < 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	drive_run(path, DRIVE_TEXT | DRIVE_MACHINE, &d);
	return 0;
}
