// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * storm: a load of system calls at a chosen rate: storm CALLS_PER_SECOND SECONDS [CPU].  Each call
 * makes two events of raw_syscalls.  Prints how many calls were made in how many seconds.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SLICE_NS 1000000ull /* the calls of a millisecond are made in one go */

static unsigned long long now_ns(void)
{
	struct timespec t;

	/* Answered without a system call. */
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

int main(int argc, char **argv)
{
	unsigned long long rate, calls = 0, begin, end, now;
	cpu_set_t set;

	if (argc < 3) {
		fprintf(stderr, "usage: storm CALLS_PER_SECOND SECONDS [CPU]\n");
		return 2;
	}
	rate = strtoull(argv[1], NULL, 10);
	if (argc > 3) {
		CPU_ZERO(&set);
		CPU_SET(atoi(argv[3]), &set);
		if (sched_setaffinity(0, sizeof(set), &set) < 0) {
			perror("sched_setaffinity");
			return 2;
		}
	}
	begin = now_ns();
	end = begin + (unsigned long long)(strtod(argv[2], NULL) * 1e9);
	for (now = begin; now < end; now = now_ns()) {
		unsigned long long due =
			(unsigned long long)((double)(now - begin) * 1e-9 * (double)rate);
		unsigned long long most = rate / (1000000000ull / SLICE_NS) * 8 + 8;
		struct timespec t = { 0, SLICE_NS };

		/*
		 * Calls that were missed while others had the CPU are not all made up for at once.
		 */
		for (unsigned long long i = 0; calls < due && i < most; i++, calls++)
			syscall(SYS_getppid);
		if (calls >= due) {
			clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
			calls++;
		}
	}
	printf("%llu %.6f\n", calls, (double)(now - begin) / 1e9);
	return 0;
}
