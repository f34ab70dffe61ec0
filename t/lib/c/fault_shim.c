// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fault_shim: loaded before the C library, makes one call of a kind fail, once.
 *
 *	ZED_FAULT=CALL:N:HOW	the N-th call (from 1) of CALL fails with the error HOW (a number),
 *				or moves one byte only (0)
 *	ZED_FAULT_COUNT=FILE	at the end "CALL NUMBER" lines: how many calls there were
 *	ZED_FAULT_BY=FILE	"asked NAME" for the malloc that failed; "ended NAME" for exit()
 *				and each signal that ends the process: the program or library
 *				that called it or was running, itself or in the C library
 *
 * CALL: read write open mmap malloc, each with its kin; or file: what else can fail at one (close,
 * lseek, ftruncate, rename, fsync).  Not with a sanitizer, which has a malloc of its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

enum call { READ, WRITE, OPEN, MMAP, MALLOC, FILES, NCALLS };

static const char *const names[] = { "read", "write", "open", "mmap", "malloc", "file" };
static unsigned long calls[NCALLS], wanted_n;
static int wanted = -1, wanted_errno; /* errno 0: a short one */
static int by = -1;		      /* where ZED_FAULT_BY is written to */

/* Is this, or the C library or its loader, what NAME is the path of? */
static bool is_beneath(const char *path)
{
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) ||
	       !strncmp(name, "ld-", 3) || strstr(name, "fault_shim");
}

/* Write WHAT and the innermost of our callers that is neither the C library nor this file. */
static void tell(const char *what)
{
	int saved = errno;
	void *frames[64];
	char line[300];
	Dl_info info;
	int n, len;

	if (by < 0)
		return;
	n = backtrace(frames, 64);
	for (int i = 0; i < n; i++) {
		const char *name;

		if (!dladdr(frames[i], &info) || !info.dli_fname || is_beneath(info.dli_fname))
			continue;
		name = strrchr(info.dli_fname, '/');
		len = snprintf(line, sizeof(line), "%s %.200s\n", what,
			       name ? name + 1 : info.dli_fname);
		if (syscall(SYS_write, by, line, len) != len)
			by = -1;
		break;
	}
	errno = saved;
}

/* Once: the default action follows. */
static void ends(int sig)
{
	tell("ended");
	raise(sig);
}

static void watch_ends(const char *path)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU };
	struct sigaction a = { .sa_handler = ends,
			       .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK };
	static char room[1 << 16]; /* for a stack that is full */
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	void *first[1];

	by = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	sigaltstack(&stack, NULL);
	backtrace(first, 1); /* loads what it needs */
	for (unsigned i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &a, NULL);
}

__attribute__((constructor)) static void begin(void)
{
	const char *s = getenv("ZED_FAULT"), *colon;

	if (getenv("ZED_FAULT_BY"))
		watch_ends(getenv("ZED_FAULT_BY"));
	memset(calls, 0, sizeof(calls));
	colon = s ? strchr(s, ':') : NULL;
	if (!colon)
		return;
	for (int i = 0; i < NCALLS; i++)
		if (strlen(names[i]) == (size_t)(colon - s) && !strncmp(s, names[i], colon - s))
			wanted = i;
	wanted_n = strtoul(colon + 1, NULL, 10);
	colon = strchr(colon + 1, ':');
	wanted_errno = colon ? atoi(colon + 1) : 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("ZED_FAULT_COUNT");
	char text[256];
	int fd, len = 0;

	if (!path)
		return;
	for (int i = 0; i < NCALLS; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s %lu\n", names[i], calls[i]);
	fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd >= 0 && syscall(SYS_write, fd, text, len) == len)
		syscall(SYS_close, fd);
}

/* Is this the call that fails? */
static bool now(enum call c)
{
	return ++calls[c] == wanted_n && (int)c == wanted;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* LEN as it is moved; -1: it fails, errno is set. */
static ssize_t allow(enum call c, size_t len)
{
	if (!now(c))
		return len;
	if (!wanted_errno)
		return len > 1 ? 1 : (ssize_t)len;
	errno = wanted_errno;
	return -1;
}

static bool fails(enum call c)
{
	if (!now(c))
		return false;
	errno = wanted_errno;
	return true;
}

ssize_t read(int fd, void *buf, size_t len)
{
	ssize_t n = allow(READ, len);

	return n < 0 ? n : REAL(read)(fd, buf, n);
}

ssize_t pread(int fd, void *buf, size_t len, off_t off)
{
	ssize_t n = allow(READ, len);

	return n < 0 ? n : REAL(pread)(fd, buf, n, off);
}

ssize_t pread64(int fd, void *buf, size_t len, off64_t off)
{
	ssize_t n = allow(READ, len);

	return n < 0 ? n : REAL(pread64)(fd, buf, n, off);
}

ssize_t write(int fd, const void *buf, size_t len)
{
	ssize_t n = fd == STDERR_FILENO ? (ssize_t)len : allow(WRITE, len);

	return n < 0 ? n : REAL(write)(fd, buf, n);
}

ssize_t pwrite(int fd, const void *buf, size_t len, off_t off)
{
	ssize_t n = allow(WRITE, len);

	return n < 0 ? n : REAL(pwrite)(fd, buf, n, off);
}

ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t off)
{
	ssize_t n = allow(WRITE, len);

	return n < 0 ? n : REAL(pwrite64)(fd, buf, n, off);
}

ssize_t writev(int fd, const struct iovec *v, int n)
{
	if (fd != STDERR_FILENO && now(WRITE)) {
		if (!wanted_errno && n)
			return REAL(write)(fd, v[0].iov_base, v[0].iov_len ? 1 : 0);
		errno = wanted_errno;
		return -1;
	}
	return REAL(writev)(fd, v, n);
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define OPEN_CALL(name) \
	int name(const char *path, int flags, ...) \
	{ \
		va_list ap; \
		mode_t mode; \
\
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		return fails(OPEN) ? -1 : REAL(name)(path, flags, mode); \
	}
#define OPENAT_CALL(name) \
	int name(int dir, const char *path, int flags, ...) \
	{ \
		va_list ap; \
		mode_t mode; \
\
		va_start(ap, flags); \
		mode = mode_of(flags, ap); \
		va_end(ap); \
		return fails(OPEN) ? -1 : REAL(name)(dir, path, flags, mode); \
	}
OPEN_CALL(open)
OPEN_CALL(open64)
OPENAT_CALL(openat)
OPENAT_CALL(openat64)

FILE *fopen(const char *path, const char *mode)
{
	return fails(OPEN) ? NULL : REAL(fopen)(path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
	return fails(OPEN) ? NULL : REAL(fopen64)(path, mode);
}

/* Both names: of 64-bit offsets, programs ask for the second, though the numbers are the same. */
#define MMAP_CALL(name, type) \
	void *name(void *at, size_t len, int prot, int flags, int fd, type off) \
	{ \
		return fails(MMAP) ? MAP_FAILED : \
				     (void *)syscall(SYS_mmap, at, len, prot, flags, fd, off); \
	}
MMAP_CALL(mmap, off_t)
MMAP_CALL(mmap64, off64_t)

static bool refused(void)
{
	if (!fails(MALLOC))
		return false;
	tell("asked");
	return true;
}

void *malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return refused() ? NULL : __libc_realloc(p, size);
}

/*
 * A call that fails here has taken effect all the same, as on a disk that reports only later that
 * it is full.
 */
int close(int fd)
{
	int rc = syscall(SYS_close, fd);

	return fails(FILES) ? -1 : rc;
}

off_t lseek(int fd, off_t off, int whence)
{
	return fails(FILES) ? -1 : REAL(lseek)(fd, off, whence);
}

off64_t lseek64(int fd, off64_t off, int whence)
{
	return fails(FILES) ? -1 : REAL(lseek64)(fd, off, whence);
}

int ftruncate(int fd, off_t len)
{
	return fails(FILES) ? -1 : REAL(ftruncate)(fd, len);
}

int ftruncate64(int fd, off64_t len)
{
	return fails(FILES) ? -1 : REAL(ftruncate64)(fd, len);
}

int rename(const char *from, const char *to)
{
	return fails(FILES) ? -1 : REAL(rename)(from, to);
}

int renameat(int a, const char *from, int b, const char *to)
{
	return fails(FILES) ? -1 : REAL(renameat)(a, from, b, to);
}

int fsync(int fd)
{
	return fails(FILES) ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
	return fails(FILES) ? -1 : REAL(fdatasync)(fd);
}

ssize_t copy_file_range(int in, off64_t *in_off, int out, off64_t *out_off, size_t len,
			unsigned flags)
{
	return fails(FILES) ? -1 : REAL(copy_file_range)(in, in_off, out, out_off, len, flags);
}

/* What main() returns to is no caller of these. */
void exit(int status)
{
	tell("ended");
	REAL(exit)(status);
	__builtin_unreachable();
}

void _exit(int status)
{
	tell("ended");
	syscall(SYS_exit_group, status);
	__builtin_unreachable();
}
