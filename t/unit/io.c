// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * io: a descriptor is read to its end, up to a limit, and closed.  Without it a text could be cut
 * silently, or descriptors run out.
 *
 * of: base/io.c
 */
#include "base/io.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#define SIZE 200000

/* A pipe gives a text in pieces, as files of tracefs do; its writer is a child. */
static int pipe_of(const char *text, size_t len)
{
	int fds[2];

	if (pipe(fds) < 0)
		abort();
	if (!fork())
		_exit(!io_write(fds[1], text, len));
	close(fds[1]);
	return fds[0];
}

int main(void)
{
	char *made = malloc(SIZE), *text;
	size_t len;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	for (unsigned i = 0; i < SIZE; i++)
		made[i] = "0123456789abc\n"[i % 14];
	fd = pipe_of(made, SIZE);
	text = io_text(fd, SIZE, &len);
	ok(text && len == SIZE && !memcmp(text, made, SIZE) && !text[SIZE],
	   "all pieces come, and a NUL (else: a listing is cut)");
	ok(close(fd) < 0 && errno == EBADF, "the descriptor is closed (else: they run out)");
	free(text);

	fd = pipe_of(made, SIZE);
	text = io_text(fd, SIZE - 1, &len);
	ok(!text && errno == EFBIG,
	   "more than the limit is refused (else: a file takes all memory)");
	ok(close(fd) < 0 && errno == EBADF, "and that descriptor is closed as well");

	text = io_text(open("/dev/null", O_RDONLY), SIZE, &len);
	ok(text && !len && !*text, "an empty file is an empty text, not an error");
	free(text);
	text = io_text(open("/nosuch", O_RDONLY), SIZE, &len);
	ok(!text && errno == ENOENT, "the reason of a failed open() stays");
	text = io_text(open("/", O_RDONLY), SIZE, &len);
	ok(!text && errno == EISDIR, "as does that of a read()");
	free(made);
	return tap_done();
}
