// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * confine: limits that the kernel puts on a client's process: memory, file size, CPU time and
 * time.
 */
#include "record/net/server/confine.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* A sanitizer takes address space by the terabyte, and time. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 10
#else
#define SLOW 1
#endif

/* The soft limit, which can be raised again; RLIM_INFINITY: as far as it goes. */
static void set_limit(int what, rlim_t n)
{
	struct rlimit l;

	if (getrlimit(what, &l) < 0)
		return;
	l.rlim_cur = l.rlim_max == RLIM_INFINITY || n < l.rlim_max ? n : l.rlim_max;
	setrlimit(what, &l);
}

static rlim_t cpu_used(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (rlim_t)t.tv_sec + 1;
}

void confine_begin(void)
{
	signal(SIGXFSZ, SIG_IGN); /* a write that fails is an error like others */
	signal(SIGXCPU, SIG_DFL);
	signal(SIGALRM, SIG_DFL);
	set_limit(RLIMIT_CORE, 0);
	if (SLOW == 1)
		set_limit(RLIMIT_AS, CONFINE_MEMORY);
	set_limit(RLIMIT_FSIZE, CONFINE_FILE);
	set_limit(RLIMIT_CPU, cpu_used() + CONFINE_CPU * SLOW);
	alarm(CONFINE_TIME);
}

void confine_run(void)
{
	alarm(0);
	set_limit(RLIMIT_FSIZE, RLIM_INFINITY);
	set_limit(RLIMIT_CPU, RLIM_INFINITY);
}

void confine_end(uint64_t bytes)
{
	set_limit(RLIMIT_CPU, cpu_used() + (CONFINE_END_CPU + (bytes >> 20)) * SLOW);
}
