// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * places: opens what a trace names, but only regular files below a folder.
 */
#include "symbols/places.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor of PATH for its kind only: opening a device for reading may do something. */
static int find(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

int place_open(const char *root, const char *path, uint64_t most)
{
	int from = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), at, fd = -1;
	struct stat st;
	char again[40];

	if (from < 0)
		return -1;
	at = find(from, path);
	close(from);
	if (at < 0)
		return -1;
	if (fstat(at, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= most) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", at);
		fd = open(again, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	}
	close(at);
	return fd;
}

bool place_is_ours(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (!st.st_uid || st.st_uid == geteuid());
}

const char *place_of_id(const uint8_t *id, size_t len, char buf[PLACE_ID_SIZE])
{
	int n = snprintf(buf, PLACE_ID_SIZE, ".build-id/%02x/", len ? id[0] : 0);

	for (size_t i = 1; i < len && n + 3 <= PLACE_ID_SIZE; i++)
		n += snprintf(buf + n, PLACE_ID_SIZE - n, "%02x", id[i]);
	return buf;
}
