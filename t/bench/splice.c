// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * splice: the least that recording to a file can cost: moves the pages of a tracing instance's CPUs
 * into files by splice() and does nothing else: splice INSTANCE DIR.  SIGTERM ends it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define MAX_CPUS 256
#define CHUNK (1 << 20)

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
	stop = 1;
}

/* DIR/cpuN and what follows. */
static int open_at(const char *dir, int cpu, const char *rest, int flags)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/cpu%d%s", dir, cpu, rest);
	return open(path, flags, 0644);
}

/* Everything that CPU has to give.  False: an error. */
static int move(int from, int to, const int *mid)
{
	for (;;) {
		ssize_t n = splice(from, NULL, mid[1], NULL, CHUNK, SPLICE_F_NONBLOCK);

		if (n <= 0)
			return n == 0 || errno == EAGAIN || errno == EINTR;
		while (n > 0) {
			ssize_t k = splice(mid[0], NULL, to, NULL, (size_t)n, SPLICE_F_MOVE);

			if (k <= 0)
				return 0;
			n -= k;
		}
	}
}

int main(int argc, char **argv)
{
	char from[500];
	struct sigaction sa = { .sa_handler = on_term };
	struct pollfd fds[MAX_CPUS];
	int to[MAX_CPUS], mid[2];
	int n = 0;

	if (argc < 3) {
		fprintf(stderr, "usage: splice INSTANCE DIR\n");
		return 2;
	}
	sigaction(SIGTERM, &sa, NULL);
	snprintf(from, sizeof(from), "%s/per_cpu", argv[1]);
	for (; n < MAX_CPUS; n++) {
		fds[n].fd = open_at(from, n, "/trace_pipe_raw", O_RDONLY | O_NONBLOCK);
		fds[n].events = POLLIN;
		if (fds[n].fd < 0)
			break;
		to[n] = open_at(argv[2], n, "", O_WRONLY | O_CREAT | O_TRUNC);
		if (to[n] < 0) {
			perror(argv[2]);
			return 1;
		}
	}
	if (!n || pipe(mid) < 0 || fcntl(mid[1], F_SETPIPE_SZ, CHUNK) < 0) {
		perror(argv[1]);
		return 1;
	}
	while (!stop) {
		poll(fds, (nfds_t)n, 250);
		for (int i = 0; i < n; i++) {
			if (!move(fds[i].fd, to[i], mid)) {
				perror("splice");
				return 1;
			}
		}
	}
	return 0;
}
