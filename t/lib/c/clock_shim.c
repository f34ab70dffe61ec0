// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * clock_shim: loaded before the C library, lets a test set the clock of a program and of all that
 * it starts.
 *
 *	ZED_CLOCK=PATH	a file of 8 bytes: how many ns (int64_t, as this machine stores it)
 *			CLOCK_MONOTONIC is ahead
 *
 * The file is mapped: what the test writes there is true at the next look.  The test only ever
 * moves it forward.
 *	clock_gettime(CLOCK_MONOTONIC)	the kernel's, and that much
 *	poll, ppoll	with a timeout: end when that clock says so, at most 10 ms late
 *	nanosleep	likewise
 * All other clocks and waits are the kernel's.  Without ZED_CLOCK, or a file that can be mapped,
 * nothing changes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 10000000ll
#define SECOND 1000000000ll

static const volatile int64_t *ahead;
static int (*next_gettime)(clockid_t, struct timespec *);
static int (*next_ppoll)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static int (*next_nanosleep)(const struct timespec *, struct timespec *);

/* Called before main(), and by what is called before that. */
__attribute__((constructor)) static void setup(void)
{
	static bool ready;
	const char *path = getenv("ZED_CLOCK");
	int fd;
	void *p;

	if (ready)
		return;
	ready = true;
	*(void **)&next_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	*(void **)&next_ppoll = dlsym(RTLD_NEXT, "ppoll");
	*(void **)&next_nanosleep = dlsym(RTLD_NEXT, "nanosleep");
	fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	p = mmap(NULL, sizeof(*ahead), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (p != MAP_FAILED)
		ahead = p;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int64_t ns;

	setup();
	if (next_gettime(id, t) < 0)
		return -1;
	if (id != CLOCK_MONOTONIC || !ahead)
		return 0;
	ns = t->tv_nsec + *ahead % SECOND;
	t->tv_sec += *ahead / SECOND + ns / SECOND;
	t->tv_nsec = ns % SECOND;
	return 0;
}

static int64_t now(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static struct timespec span(int64_t ns)
{
	if (ns < 0)
		ns = 0;
	return (struct timespec){ .tv_sec = ns / SECOND, .tv_nsec = ns % SECOND };
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	int64_t end, left;

	setup();
	if (!timeout || !ahead)
		return next_ppoll(fds, n, timeout, mask);
	end = now() + (int64_t)timeout->tv_sec * SECOND + timeout->tv_nsec;
	for (;;) {
		struct timespec t;
		int rc;

		left = end - now();
		t = span(left < LOOK_NS ? left : LOOK_NS);
		rc = next_ppoll(fds, n, &t, mask);
		if (rc != 0 || left <= LOOK_NS)
			return rc;
	}
}

int poll(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec t = span(ms * 1000000ll);

	return ppoll(fds, n, ms < 0 ? NULL : &t, NULL);
}

/* What poll() and ppoll() become where the C library checks the room. */
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size);
int __poll_chk(struct pollfd *fds, nfds_t n, int ms, size_t size)
{
	if (n > size / sizeof(*fds))
		abort();
	return poll(fds, n, ms);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask,
		size_t size)
{
	if (n > size / sizeof(*fds))
		abort();
	return ppoll(fds, n, timeout, mask);
}

int nanosleep(const struct timespec *asked, struct timespec *rest)
{
	int64_t end, left;

	setup();
	if (!ahead || asked->tv_sec < 0 || asked->tv_nsec < 0 || asked->tv_nsec >= SECOND)
		return next_nanosleep(asked, rest);
	end = now() + (int64_t)asked->tv_sec * SECOND + asked->tv_nsec;
	while ((left = end - now()) > 0) {
		struct timespec t = span(left < LOOK_NS ? left : LOOK_NS);

		if (next_nanosleep(&t, NULL) < 0) {
			if (rest)
				*rest = span(end - now());
			return -1;
		}
	}
	return 0;
}
