// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vdso: the code that the kernel maps into each process, here as a file: its functions have names
 * like any library's.
 */
#include "symbols/vdso.h"

#include "base/io.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPS_MOST (16u << 20) /* of /proc/self/maps */
#define VDSO_MOST (1u << 20)  /* it has 8 to 16 KiB */

/* How long the mapping is that begins at START; 0: not known. */
static size_t length_of(uint64_t start)
{
	uint64_t from, to, found = 0;
	size_t len;
	char *text = io_text(open("/proc/self/maps", O_RDONLY | O_CLOEXEC), MAPS_MOST, &len);

	for (char *line = text; line && *line && !found; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && from == start)
			found = to - from;
	}
	free(text);
	return found <= VDSO_MOST ? found : 0;
}

int vdso_open(void)
{
	uintptr_t start = getauxval(AT_SYSINFO_EHDR);
	size_t len = start ? length_of(start) : 0;
	int fd = len ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0 || io_write(fd, (const void *)start, len))
		return fd;
	close(fd);
	return -1;
}
