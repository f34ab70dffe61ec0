// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io_shim: loaded before the C library, turns reads and writes into ones that fail the way ZED_SHIM
 *says (words with commas between):
 *
 *	short		no call moves more than 7 bytes
 *	eintr		every second call is interrupted
 *	eio=OFF+LEN	positioned reads of these bytes of a file fail with EIO
 *	shrink=OFF	after the first positioned read the file ends at OFF
 *	enospc=N	standard output is full after N bytes
 *	wshort		no write moves more than 3 bytes
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static bool ready, cut_reads, cut_writes, interrupt;
static unsigned long long bad_off, bad_len, shrink = ~0ull, room = ~0ull;
static unsigned calls, reads;

static void setup(void)
{
	const char *s = getenv("ZED_SHIM"), *p;

	if (ready)
		return;
	ready = true;
	if (!s)
		return;
	for (p = s; p; p = strchr(p, ',')) {
		char *end;

		p += *p == ',';
		if (!strncmp(p, "short", 5))
			cut_reads = true;
		else if (!strncmp(p, "wshort", 6))
			cut_writes = true;
		else if (!strncmp(p, "eintr", 5))
			interrupt = true;
		else if (!strncmp(p, "shrink=", 7))
			shrink = strtoull(p + 7, NULL, 0);
		else if (!strncmp(p, "enospc=", 7))
			room = strtoull(p + 7, NULL, 0);
		else if (!strncmp(p, "eio=", 4)) {
			bad_off = strtoull(p + 4, &end, 0);
			bad_len = *end == '+' ? strtoull(end + 1, NULL, 0) : 1;
		}
	}
}

static bool interrupted(void)
{
	if (!interrupt || calls++ % 2)
		return false;
	errno = EINTR;
	return true;
}

/* How much of LEN bytes at OFF may be read; -1: none, errno is set. */
static ssize_t allowed(size_t len, unsigned long long off)
{
	if (cut_reads && len > 7)
		len = 7;
	if (bad_len && off + len > bad_off && off < bad_off + bad_len) {
		if (off >= bad_off) {
			errno = EIO;
			return -1;
		}
		len = bad_off - off;
	}
	if (reads++ && off + len > shrink)
		len = off < shrink ? shrink - off : 0;
	return len;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static ssize_t positioned(ssize_t (*real)(int, void *, size_t, off_t), int fd, void *buf,
			  size_t len, off_t off)
{
	ssize_t n;

	setup();
	if (interrupted())
		return -1;
	n = allowed(len, off);
	return n > 0 ? real(fd, buf, n, off) : n;
}

ssize_t pread(int fd, void *buf, size_t len, off_t off)
{
	return positioned(REAL(pread), fd, buf, len, off);
}

ssize_t pread64(int fd, void *buf, size_t len, off64_t off)
{
	return positioned((ssize_t(*)(int, void *, size_t, off_t))REAL(pread64), fd, buf, len, off);
}

/* What may be written to FD; -1: nothing, errno is set. */
static ssize_t writable(int fd, size_t len)
{
	if (interrupted())
		return -1;
	if (cut_writes && len > 3)
		len = 3;
	if (fd != STDOUT_FILENO || room == ~0ull)
		return len;
	if (!room && len) {
		errno = ENOSPC;
		return -1;
	}
	if (len > room)
		len = room;
	room -= len;
	return len;
}

ssize_t write(int fd, const void *buf, size_t len)
{
	ssize_t n;

	setup();
	n = writable(fd, len);
	return n > 0 ? REAL(write)(fd, buf, n) : n;
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	setup();
	/* One piece at a time is what a short write may be. */
	for (int i = 0; i < n; i++)
		if (v[i].iov_len)
			return write(fd, v[i].iov_base, v[i].iov_len);
	return 0;
}
