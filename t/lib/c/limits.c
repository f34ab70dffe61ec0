// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * limits [v=KIB] [t=SECONDS] [f=BYTES] [n=FILES] PROGRAM ARG...: becomes PROGRAM within limits
 * of address space, CPU time, file size and open files, soft and hard (n=64s: the soft one alone).
 * A shell's ulimit would be a larger program, started once more for each run of a test.
 * Exit status 125: a limit cannot be set; 127: PROGRAM cannot be run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const struct {
	char letter;
	int resource;
	rlim_t unit; /* bytes, seconds or files of one of the limit's number */
} limits[] = {
	{ 'v', RLIMIT_AS, 1024 },
	{ 't', RLIMIT_CPU, 1 },
	{ 'f', RLIMIT_FSIZE, 1 },
	{ 'n', RLIMIT_NOFILE, 1 },
};

/* Sets the limit that WORD names; false if it names none. */
static int set(const char *word)
{
	struct rlimit r;
	char *end;
	rlim_t n;

	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (word[0] != limits[i].letter)
			continue;
		n = strtoull(word + 2, &end, 10) * limits[i].unit;
		if (end == word + 2 || (*end && strcmp(end, "s")) ||
		    getrlimit(limits[i].resource, &r) < 0)
			return 0;
		r.rlim_cur = n;
		if (!*end)
			r.rlim_max = n;
		return setrlimit(limits[i].resource, &r) == 0;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int i = 1;

	for (; i < argc && argv[i][0] && argv[i][1] == '='; i++) {
		if (!set(argv[i])) {
			fprintf(stderr, "limits: %s: not a limit that can be set\n", argv[i]);
			return 125;
		}
	}
	if (i == argc) {
		fprintf(stderr, "usage: limits [v=KIB] [t=SECONDS] [f=BYTES] [n=FILES] "
				"PROGRAM ARG...\n");
		return 125;
	}
	execvp(argv[i], argv + i);
	perror(argv[i]);
	return 127;
}
