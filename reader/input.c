// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * input: turns what the user named - a file, a directory, a pipe - into bytes that can be read by
 * position.
 */
#include "input.h"
#include "mem.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copy FD to its end into an unlinked temporary file; returns that file's descriptor. */
static int spool(int fd, const char *path, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char name[512];
	char *buf;
	int out;

	if (!dir || !*dir)
		dir = "/tmp";
	snprintf(name, sizeof(name), "%s/zedperl.XXXXXX", dir);
	out = mkostemp(name, O_CLOEXEC);
	if (out < 0) {
		err_sys(e, ERR_NO_OFF, "cannot keep a copy of the pipe in %s (set TMPDIR to a "
			"directory with room)", dir);
		return err_path(e, path);
	}
	unlink(name);
	buf = mem_alloc(1 << 18);
	for (;;) {
		ssize_t n = read(fd, buf, 1 << 18);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err_sys(e, ERR_NO_OFF, "cannot read the pipe");
		for (ssize_t done = 0; n > 0 && done < n; ) {
			ssize_t w = write(out, buf + done, n - done);

			if (w < 0 && errno == EINTR)
				continue;
			if (w <= 0) {
				err_sys(e, ERR_NO_OFF, "cannot keep a copy of the pipe in %s "
					"(set TMPDIR to a directory with room)", dir);
				n = -1;
				break;
			}
			done += w;
		}
		if (n > 0)
			continue;
		free(buf);
		if (n == 0)
			return out;
		close(out);
		return err_path(e, path);
	}
}

static int open_read(const char *path)
{
	int fd;

	do
		fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	return fd;
}

static char *joined(const char *a, const char *b)
{
	size_t n = strlen(a) + strlen(b) + 1;
	char *s = mem_alloc(n);

	snprintf(s, n, "%s%s", a, b);
	return s;
}

/* Open PATH, or what it stands for.  *NAME is the path that was opened, to be freed. */
static int open_named(const char *path, char **name, struct err *e)
{
	struct stat st;
	char *other;
	int fd;

	if (!strcmp(path, "-")) {
		*name = mem_strdup(path);
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	fd = open_read(path);
	if (fd < 0 && errno == ENOENT) {
		other = joined(path, ".dat");
		fd = open_read(other);
		if (fd < 0) {
			free(other);
			errno = ENOENT;
			return err_sys(e, ERR_NO_OFF, "cannot open it (nor %s.dat)", path);
		}
		*name = other;
		return fd;
	}
	if (fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open it%s",
			       errno == EACCES ? " (ask its owner for read permission, or use sudo)"
					       : "");
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(fd);
		other = joined(path, "/trace.dat");
		fd = open_read(other);
		if (fd < 0) {
			free(other);
			return err_sys(e, ERR_NO_OFF,
				       "is a directory, and its trace.dat cannot be opened");
		}
		*name = other;
		return fd;
	}
	*name = mem_strdup(path);
	return fd;
}

int input_open(struct input *in, const char *path, struct err *e)
{
	struct stat st;
	char *name = NULL;
	int fd = open_named(path, &name, e);

	if (fd < 0) {
		if (name) {
			free(name);
			err_sys(e, ERR_NO_OFF, "cannot open it");
		}
		return err_path(e, path);
	}
	if (fstat(fd, &st) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot look at it");
		goto fail;
	}
	/* Standard input may be a regular file, but one whose start somebody has read already. */
	if (!S_ISREG(st.st_mode) || (!strcmp(path, "-") && lseek(fd, 0, SEEK_CUR) != 0)) {
		int copy = spool(fd, name, e);

		if (copy < 0)
			goto fail;
		close(fd);
		fd = copy;
		if (fstat(fd, &st) < 0) {
			err_sys(e, ERR_NO_OFF, "cannot look at it");
			goto fail;
		}
	}
	in->path = name;
	in->fd = fd;
	in->size = st.st_size;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	return 0;
fail:
	close(fd);
	err_path(e, name);
	free(name);
	return -1;
}

void input_close(struct input *in)
{
	if (!in->path)
		return;
	close(in->fd);
	free(in->path);
	in->path = NULL;
	in->fd = -1;
}

ssize_t input_read_some(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e)
{
	size_t done = 0;

	if (off > INT64_MAX)
		return 0;
	while (done < len) {
		ssize_t n = pread(in->fd, (char *)buf + done, len - done, off + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, off + done, "cannot read");
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

int input_read(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e)
{
	ssize_t n = input_read_some(in, buf, len, off, e);

	if (n < 0)
		return -1;
	if ((size_t)n == len)
		return 0;
	if (off + len <= in->size)
		return err_set(e, ERR_FORMAT, off + n,
			       "the file has shrunk while it was read (it had %" PRIu64 " bytes)",
			       in->size);
	return err_set(e, ERR_FORMAT, off + n, "the file ends here, and %zu more bytes are needed",
		       len - (size_t)n);
}
