// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io_shim: loaded before the C library, makes opens, reads and writes fail the way ZED_SHIM says
 * (words with commas between):
 *
 *	short		no call moves more than 7 bytes
 *	eintr		every second call is interrupted
 *	eio=OFF+LEN	positioned reads of these bytes of a file fail with EIO
 *	shrink=OFF	after the first positioned read the file ends at OFF
 *	enospc=N	standard output is full after N bytes
 *	wshort		no write moves more than 3 bytes
 *	nosplice	nothing can be spliced to standard output (EPERM)
 *	deny=TEXT	no file whose path ends in TEXT can be opened for reading (EACCES)
 *	swap=TEXT:PATH	a program that opens such a file for reading gets PATH
 *	wait=TEXT:PATH	a program that opens such a file for reading waits until PATH is there
 *	late=TEXT:MS	a program that opens such a file for writing gets it so much later
 *	unlink=MS	each name that is removed from a directory takes so much longer
 *	badtext=N:TEXT	of a file whose path ends in TEXT, no read but the first N succeeds (EIO)
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static bool ready, cut_reads, cut_writes, interrupt, no_splice;
static unsigned long long bad_off, bad_len, shrink = ~0ull, room = ~0ull;
static unsigned calls, reads;
static char deny[64], swap[64], swapped[512], bad_text[64], held[64], until[512], late[64];
static unsigned late_ms, unlink_ms;
static unsigned long good_reads;

static void copy_word(char *to, size_t size, const char *from, const char *end)
{
	size_t len = strcspn(from, end);

	if (len < size)
		memcpy(to, from, len);
}

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
		else if (!strncmp(p, "nosplice", 8))
			no_splice = true;
		else if (!strncmp(p, "eintr", 5))
			interrupt = true;
		else if (!strncmp(p, "shrink=", 7))
			shrink = strtoull(p + 7, NULL, 0);
		else if (!strncmp(p, "enospc=", 7))
			room = strtoull(p + 7, NULL, 0);
		else if (!strncmp(p, "badtext=", 8)) {
			good_reads = strtoul(p + 8, &end, 0);
			copy_word(bad_text, sizeof(bad_text), end + 1, ",");
		} else if (!strncmp(p, "deny=", 5))
			copy_word(deny, sizeof(deny), p + 5, ",");
		else if (!strncmp(p, "swap=", 5)) {
			copy_word(swap, sizeof(swap), p + 5, ":,");
			copy_word(swapped, sizeof(swapped), p + 5 + strcspn(p + 5, ":,") + 1, ",");
		} else if (!strncmp(p, "wait=", 5)) {
			copy_word(held, sizeof(held), p + 5, ":,");
			copy_word(until, sizeof(until), p + 5 + strcspn(p + 5, ":,") + 1, ",");
		} else if (!strncmp(p, "late=", 5)) {
			copy_word(late, sizeof(late), p + 5, ":,");
			late_ms = strtoul(p + 5 + strcspn(p + 5, ":,") + 1, NULL, 0);
		} else if (!strncmp(p, "unlink=", 7)) {
			unlink_ms = strtoul(p + 7, NULL, 0);
		} else if (!strncmp(p, "eio=", 4)) {
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

static bool ends_in(const char *path, const char *end)
{
	size_t len = strlen(path), n = strlen(end);

	return n && len >= n && !strcmp(path + len - n, end);
}

/* Reads from where the file is: of texts. */
ssize_t read(int fd, void *buf, size_t len)
{
	char link[32], path[512];
	ssize_t n;

	setup();
	if (*bad_text) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		if (ends_in(path, bad_text) && !good_reads--) {
			good_reads = 0;
			errno = EIO;
			return -1;
		}
	}
	return REAL(read)(fd, buf, len);
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

ssize_t splice(int in, off64_t *in_off, int out, off64_t *out_off, size_t len, unsigned flags)
{
	ssize_t (*real)(int, off64_t *, int, off64_t *, size_t, unsigned) = dlsym(RTLD_NEXT,
										  "splice");

	setup();
	if (no_splice && out == STDOUT_FILENO) {
		errno = EPERM;
		return -1;
	}
	return real(in, in_off, out, out_off, len, flags);
}

static int open_as(int (*real)(const char *, int, ...), const char *path, int flags, mode_t mode)
{
	setup();
	if ((flags & O_ACCMODE) == O_RDONLY && ends_in(path, deny)) {
		errno = EACCES;
		return -1;
	}
	if ((flags & O_ACCMODE) == O_RDONLY && ends_in(path, swap))
		path = swapped;
	if ((flags & O_ACCMODE) == O_WRONLY && ends_in(path, late))
		usleep(late_ms * 1000);
	while ((flags & O_ACCMODE) == O_RDONLY && ends_in(path, held) && access(until, F_OK) < 0)
		usleep(5000);
	return real(path, flags, mode);
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_as(REAL(open), path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode;
	va_list ap;

	va_start(ap, flags);
	mode = mode_of(flags, ap);
	va_end(ap);
	return open_as(REAL(open64), path, flags, mode);
}

int unlinkat(int fd, const char *name, int flags)
{
	int (*real)(int, const char *, int) = REAL(unlinkat);
	struct timespec t;

	setup();
	t = (struct timespec){ unlink_ms / 1000, unlink_ms % 1000 * 1000000l };
	/* As a slow disk: no signal ends it. */
	while (unlink_ms && nanosleep(&t, &t) < 0 && errno == EINTR)
		;
	return real(fd, name, flags);
}
