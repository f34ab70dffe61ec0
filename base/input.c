// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * input: opens what the user named - a file, a directory, a pipe - and reads it by position.
 */
#include "base/input.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/mono.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_room(const char *dir, struct err *e)
{
	return err_sys(e, ERR_NO_OFF,
		       "cannot keep a copy of the pipe in %s (set TMPDIR to a directory with room)",
		       dir);
}

/* The length of the last line once the N bytes at P follow LEN bytes of it. */
static size_t line_behind(size_t len, const char *p, size_t n)
{
	const char *nl = memrchr(p, '\n', n);

	return nl ? (size_t)(p + n - nl - 1) : len + n;
}

/*
 * Copy IN's head and the rest of its pipe to OUT; DIR is its directory.  Copying stops at a line of
 * more than LONGEST bytes, of which the part already read is copied.
 */
static int copy_pipe(const struct input *in, int out, const char *dir, size_t longest,
		     struct err *e)
{
	size_t size = 1 << 18, len = line_behind(0, (const char *)in->head, in->head_len);
	char *buf;
	ssize_t n;

	if (!io_write(out, in->head, in->head_len))
		return no_room(dir, e);
	buf = mem_alloc(size);
	do {
		do
			n = read(in->fd, buf, size);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			err_sys(e, ERR_NO_OFF, "cannot read the pipe");
		else if (!io_write(out, buf, n))
			n = no_room(dir, e);
		else
			len = line_behind(len, buf, n);
	} while (n > 0 && len <= longest);
	free(buf);
	return n < 0 ? -1 : len > longest;
}

int input_spool_lines(struct input *in, size_t longest, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	char name[512];
	struct stat st;
	int out, rc;

	if (!in->piped)
		return 0;
	if (!dir || !*dir)
		dir = "/tmp";
	snprintf(name, sizeof(name), "%s/zedperl.XXXXXX", dir);
	out = mkostemp(name, O_CLOEXEC);
	if (out < 0) {
		no_room(dir, e);
		return err_path(e, in->path);
	}
	unlink(name);
	rc = copy_pipe(in, out, dir, longest, e);
	if (rc < 0)
		goto fail;
	if (fstat(out, &st) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot stat the copy of the pipe");
		goto fail;
	}
	close(in->fd);
	in->fd = out;
	in->size = st.st_size;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	in->piped = false;
	return rc;
fail:
	close(out);
	return err_path(e, in->path);
}

int input_spool(struct input *in, struct err *e)
{
	return input_spool_lines(in, SIZE_MAX, e);
}

/* The first bytes of a pipe, by which its kind is recognised. */
static int read_head(struct input *in, struct err *e)
{
	while (in->head_len < INPUT_HEAD) {
		ssize_t n = read(in->fd, in->head + in->head_len, INPUT_HEAD - in->head_len);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = in->fd, .events = POLLIN };

			poll(&p, 1, -1);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, in->head_len, "cannot read the pipe");
		if (n == 0)
			break;
		in->head_len += n;
	}
	in->size = in->head_len;
	return 0;
}

/* FLAGS: O_NONBLOCK, so that a FIFO does not wait for its writer, or 0. */
static int open_read(const char *path, int flags)
{
	int fd;

	do
		fd = open(path, O_RDONLY | O_CLOEXEC | flags);
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

/*
 * Open PATH, PATH.dat, or the trace.dat in directory PATH.  *NAME is the path that was opened, to
 * be freed.
 */
static int open_named(const char *path, int flags, char **name, struct err *e)
{
	struct stat st;
	char *other;
	int fd, dat;
	size_t len;

	if (!strcmp(path, "-")) {
		*name = mem_strdup(path);
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	fd = open_read(path, flags);
	len = strlen(path);
	if (fd < 0 && errno == ENOENT && (len < 4 || strcmp(path + len - 4, ".dat") != 0)) {
		other = joined(path, ".dat");
		fd = open_read(other, flags);
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
			       errno == EACCES ?
				       " (ask its owner for read permission, or use sudo)" :
				       "");
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		other = joined(path, "/trace.dat");
		dat = open_read(other, flags);
		if (dat >= 0) {
			close(fd);
			*name = other;
			return dat;
		}
		free(other);
		/* Some kind of source may recognise the directory itself. */
		if (errno != ENOENT) {
			close(fd);
			return err_sys(e, ERR_NO_OFF,
				       "is a directory, and its trace.dat cannot be opened");
		}
	}
	*name = mem_strdup(path);
	return fd;
}

#define WRITER_STEP 20 /* ms between two looks for a writer */

/*
 * Does a process have the FIFO FD open for writing, or is data left in it?  TO: a pipe to probe
 * with.
 */
static bool has_writer(int fd, int to)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, WRITER_STEP) > 0)
		return true;
	/* This consumes nothing.  An empty FIFO is at its end unless it has a writer. */
	return tee(fd, to, 1, SPLICE_F_NONBLOCK) < 0 && errno == EAGAIN;
}

/* FD was opened with O_NONBLOCK: wait up to MS for a writer, as a blocking open() would. */
static int wait_writer(int fd, const struct stat *st, unsigned ms, struct err *e)
{
	int flags = fcntl(fd, F_GETFL), try[2];
	uint64_t end = mono_ns() + ms * 1000000ull;
	bool found;

	if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open it");
	if (!S_ISFIFO(st->st_mode))
		return 0;
	if (pipe2(try, O_CLOEXEC) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make a pipe");
	do
		found = has_writer(fd, try[1]);
	while (!found && mono_ns() < end);
	close(try[0]);
	close(try[1]);
	return found ? 0 :
		       err_set(e, ERR_UNKNOWN, ERR_NO_OFF,
			       "no process opened this FIFO for writing within %u s", ms / 1000);
}

int input_open(struct input *in, const char *path, struct err *e)
{
	return input_open_within(in, path, 0, e);
}

int input_open_within(struct input *in, const char *path, unsigned ms, struct err *e)
{
	struct stat st;
	char *name = NULL;
	/* Standard input is already open, and shared. */
	bool soon = ms && strcmp(path, "-") != 0;
	int fd = open_named(path, soon ? O_NONBLOCK : 0, &name, e);

	if (fd < 0) {
		if (name) {
			free(name);
			err_sys(e, ERR_NO_OFF, "cannot open it");
		}
		return err_path(e, path);
	}
	if (fstat(fd, &st) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot stat it");
		goto fail;
	}
	if (soon && wait_writer(fd, &st, ms, e) < 0)
		goto fail;
	memset(in, 0, sizeof(*in));
	in->path = name;
	in->fd = fd;
	in->size = st.st_size;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
	in->is_dir = S_ISDIR(st.st_mode);
	in->failed = mem_zalloc(sizeof(*in->failed));
	/* Standard input may be a regular file whose start has been read already. */
	in->piped = (!S_ISREG(st.st_mode) && !in->is_dir) ||
		    (!strcmp(path, "-") && lseek(fd, 0, SEEK_CUR) != 0);
	if (in->piped && read_head(in, e) < 0) {
		in->path = NULL;
		free(in->failed);
		goto fail;
	}
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
	if (in->held)
		in->held->close(in->held);
	else if (!in->fed)
		close(in->fd);
	free(in->path);
	free(in->failed);
	in->path = NULL;
	in->failed = NULL;
	in->held = NULL;
	in->fd = -1;
}

ssize_t input_read_some(const struct input *in, void *buf, size_t len, uint64_t off, struct err *e)
{
	size_t done = 0;

	if (in->piped) {
		if (off >= in->head_len)
			return 0;
		if (len > in->head_len - off)
			len = in->head_len - off;
		memcpy(buf, in->head + off, len);
		return len;
	}
	if (off > INT64_MAX || in->is_dir)
		return 0;
	if (in->held)
		return (ssize_t)in->held->read(in->held, buf, len, off);
	while (done < len) {
		ssize_t n = pread(in->fd, (char *)buf + done, len - done, off + done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_sys(e, off + done, "cannot read");
			if (in->failed && !in->failed->kind)
				*in->failed = *e;
			return -1;
		}
		if (n == 0)
			break;
		done += n;
	}
	return done;
}

/* As input_next(), for bytes that another reader supplies. */
static ssize_t next_fed(struct input_fed *q, void *buf, size_t len)
{
	while (q->at == q->have && !q->ended)
		if (!q->refill(q))
			return INPUT_WAIT;
	if (len > q->have - q->at)
		len = q->have - q->at;
	memcpy(buf, q->p + q->at, len);
	q->at += len;
	*q->waiting -= len;
	return (ssize_t)len;
}

/* A pipe is polled first: O_NONBLOCK would affect all processes that have it open. */
ssize_t input_next(const struct input *in, void *buf, size_t len, uint64_t off, bool wait,
		   struct err *e)
{
	if (!in->piped || off < in->head_len)
		return input_read_some(in, buf, len, off, e);
	if (in->fed)
		return next_fed(in->fed, buf, len);
	for (;;) {
		struct pollfd p = { .fd = in->fd, .events = POLLIN };
		int ready = poll(&p, 1, wait ? -1 : 0);
		ssize_t n;

		if (ready == 0)
			return INPUT_WAIT;
		if (ready < 0 && errno != EINTR)
			return err_sys(e, off, "cannot wait for the pipe");
		if (ready < 0)
			continue;
		n = read(in->fd, buf, len);
		if (n >= 0)
			return n;
		if (errno == EAGAIN && !wait)
			return INPUT_WAIT;
		if (errno != EINTR && errno != EAGAIN)
			return err_sys(e, off, "cannot read the pipe");
	}
}

uint64_t input_behind_hole(const struct input *in, uint64_t off)
{
	off_t was = lseek(in->fd, 0, SEEK_CUR), at;

	if (was < 0 || off > INT64_MAX)
		return off;
	at = lseek(in->fd, off, SEEK_DATA);
	if (at < 0)
		return errno == ENXIO && off < in->size ? in->size : off;
	/* Standard input's offset is shared. */
	lseek(in->fd, was, SEEK_SET);
	return at;
}

void input_say_failed(const struct input *in, struct notes *n, uint64_t damage)
{
	struct err e;

	if (!in->failed || !in->failed->kind || !n || n->damage != damage)
		return;
	e = *in->failed;
	err_path(&e, in->path);
	note_err(n, NOTE_DAMAGE, &e);
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
			       "the file shrank while it was read (it had %" PRIu64 " byte%s)",
			       in->size, plural(in->size));
	return err_set(e, ERR_FORMAT, off + n, "the file ends here, and %zu more byte%s needed",
		       len - (size_t)n, len - (size_t)n == 1 ? " is" : "s are");
}

char *input_below(const char *dir, const char *name)
{
	size_t n = strlen(dir) + strlen(name) + 2;
	char *s = mem_alloc(n);

	snprintf(s, n, "%s%s%s", dir, *dir && dir[strlen(dir) - 1] != '/' ? "/" : "", name);
	return s;
}

int input_open_below(struct input *in, int at, const char *dir, const char *name, struct err *e)
{
	struct stat st;
	int fd;

	do
		fd = openat(at, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0 && errno == ENOENT)
		return 1;
	memset(in, 0, sizeof(*in));
	in->path = input_below(dir, name);
	in->fd = fd;
	if (fd < 0 && errno == ELOOP) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "is a symbolic link, which is not followed");
	} else if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(e, ERR_NO_OFF, "cannot open it");
	} else if (!S_ISREG(st.st_mode)) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "is not a regular file");
	} else {
		in->size = st.st_size;
		in->dev = st.st_dev;
		in->ino = st.st_ino;
		return 0;
	}
	err_path(e, in->path);
	if (fd >= 0)
		close(fd);
	free(in->path);
	return -1;
}
