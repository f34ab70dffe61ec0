// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * byte_out: writes bytes to a file, pipe or socket; waits for its reader, and reacts to signals
 * meanwhile.
 *
 * Pages go to files without a copy, but to a pipe or a socket by one.  A spliced page stays the
 * kernel's own until it is read, and is given back to its instance: if that was removed meanwhile,
 * because we ended before our reader, the kernel writes into freed memory (6.18: an oops in
 * ring_buffer_free_read_page() when the reader closed its pipe).
 */
#include "record/file/byte_out.h"

#include "base/mem.h"
#include "base/mono.h"
#include "base/plain.h"
#include "kernel/procs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define SLICE 4096	       /* bytes that a pipe takes without blocking when poll() says so */
#define LOOK_MS 200	       /* how often a wait looks at `stop` */
#define PATIENCE 5000000000ull /* ns: how long the reader may take nothing, once we are to end */
#define STALLED 1000000000ull  /* ns: ... before that is reported */
#define MAX_READERS 8	       /* that are named */

static int write_failed(struct byte_out *b, struct err *e)
{
	b->broken = true;
	if (errno == EPIPE || errno == ECONNRESET)
		return OUTPUT_GONE;
	return err_sys(e, ERR_NO_OFF, "cannot write the stream");
}

static int no_room(struct byte_out *b, struct err *e)
{
	b->broken = true;
	return err_set(
		e, ERR_SYS, ERR_NO_OFF,
		"the stream's reader has read nothing for 5 s: the last events are missing in the "
		"stream");
}

/*
 * Who can read the pipe behind FD: " (zedperl 12, sleep 34)" into BUF, as much as has room; "" if
 * it is not a pipe, or /proc shows no other process that has it open.  Looks at the descriptors of
 * all processes: some milliseconds.
 */
static const char *name_readers(int fd, char *buf, size_t size)
{
	pid_t pids[MAX_READERS];
	unsigned n = procs_pipe_readers(fd, pids, MAX_READERS);
	size_t len = 0;

	*buf = '\0';
	for (unsigned i = 0; i < n; i++) {
		char comm[16], name[64], one[96];

		if (!procs_comm(pids[i], comm))
			continue;
		snprintf(one, sizeof(one), "%s%s %d", len ? ", " : " (",
			 plain_text(name, sizeof(name), comm), (int)pids[i]);
		if (len + strlen(one) + 2 > size)
			break;
		len += (size_t)snprintf(buf + len, size - len, "%s", one);
	}
	if (len)
		snprintf(buf + len, size - len, ")");
	return buf;
}

/* Nothing has been taken since WAITING (ns): reported once, with the processes that could read. */
static void say_stalled(struct byte_out *b, uint64_t waiting)
{
	char who[300];

	if (b->stall_said || mono_ns() - waiting < STALLED)
		return;
	b->stall_said = true;
	note_say(b->notes, NOTE_WARN,
		 "the stream's reader%s has stopped reading: once the kernel's buffers are full, "
		 "events are dropped",
		 name_readers(b->fd, who, sizeof(who)));
}

static void say_last_wait(struct byte_out *b)
{
	char who[300];

	b->stop_seen = true;
	b->moved = mono_ns();
	note_say(b->notes, NOTE_WARN,
		 "waiting up to 5 s for the stream's reader%s to read the rest (Ctrl-C again to "
		 "stop at once)",
		 name_readers(b->fd, who, sizeof(who)));
}

/* A reader with a time limit has taken nothing for that long. */
static int no_patience(struct byte_out *b, struct err *e)
{
	b->broken = true;
	return err_set(e, ERR_SYS, ERR_NO_OFF, "nothing was read for %u seconds",
		       (unsigned)(b->patience / 1000000000));
}

/* Wait until the consumer can take something. */
static int wait_room(struct byte_out *b, struct err *e)
{
	struct pollfd p = { .fd = b->fd, .events = POLLOUT };
	uint64_t waiting = 0;

	if (b->file)
		return 0;
	for (;;) {
		int n = poll(&p, 1, LOOK_MS);

		if (n < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot wait for the stream's reader");
		if (n > 0 && p.revents & (POLLERR | POLLHUP | POLLNVAL)) {
			b->broken = true;
			return OUTPUT_GONE;
		}
		if (n > 0)
			return 0;
		waiting = waiting ? waiting : mono_ns() - LOOK_MS * 1000000ull;
		if (b->patience && mono_ns() - waiting > b->patience)
			return no_patience(b, e);
		if (!b->stop || !*b->stop) {
			say_stalled(b, waiting);
			continue;
		}
		if (!b->stop_seen)
			say_last_wait(b);
		if (mono_ns() - b->moved > PATIENCE)
			return no_room(b, e);
	}
}

static void has_moved(struct byte_out *b)
{
	if (b->stop_seen)
		b->moved = mono_ns();
}

/* How many bytes can be written now without blocking, going by poll(). */
static size_t most_now(const struct byte_out *b)
{
	int waiting, room = 0;

	if (b->file)
		return SIZE_MAX;
	/* An empty pipe takes what it can hold; its reader may change that at any time. */
	if (b->pipe && ioctl(b->fd, FIONREAD, &waiting) == 0 && !waiting)
		room = fcntl(b->fd, F_GETPIPE_SZ);
	return room > SLICE ? (size_t)room : SLICE;
}

/* DONE bytes of V have been written. */
static void used_up(struct byte_out *b, struct iovec *v, int n, ssize_t done)
{
	has_moved(b);
	b->written += (uint64_t)done;
	for (int i = 0; i < n && done > 0; i++) {
		size_t part = (size_t)done < v[i].iov_len ? (size_t)done : v[i].iov_len;

		v[i].iov_base = (char *)v[i].iov_base + part;
		v[i].iov_len -= part;
		done -= part;
	}
}

/*
 * Write as much of V as there is room for.  -1 with EAGAIN: none; EOPNOTSUPP: not supported here.
 */
static ssize_t write_some(struct byte_out *b, const struct iovec *v, int n)
{
	ssize_t done = pwritev2(b->fd, v, n < 4 ? n : 4, -1, RWF_NOWAIT);

	/* Kernels before 5.10 support it for files only. */
	if (done < 0 && (errno == ENOSYS || errno == EINVAL || errno == ESPIPE))
		errno = EOPNOTSUPP;
	return done;
}

/* Write all of V, which is modified. */
static int put_all(struct byte_out *b, struct iovec *v, int n, struct err *e)
{
	for (;;) {
		struct iovec some[4];
		size_t len = 0, most;
		ssize_t done;
		int k = 0, rc;

		while (n && !v->iov_len) {
			v++;
			n--;
		}
		if (!n)
			return 0;
		if (b->nowait) {
			done = write_some(b, v, n);
			if (done >= 0) {
				used_up(b, v, n, done);
				continue;
			}
			if (errno == EINTR)
				continue;
			if (errno == EOPNOTSUPP)
				b->nowait = false;
			else if (errno != EAGAIN)
				return write_failed(b, e);
		}
		most = most_now(b);
		for (; k < n && k < 4 && len < most; k++) {
			some[k] = v[k];
			if (some[k].iov_len > most - len)
				some[k].iov_len = most - len;
			len += some[k].iov_len;
		}
		rc = wait_room(b, e);
		if (rc)
			return rc;
		done = writev(b->fd, some, k);
		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (done < 0)
			return write_failed(b, e);
		used_up(b, v, k, done);
	}
}


bool byteout_has_room(const struct byte_out *b, size_t len)
{
	return len <= BYTEOUT_HOLD - b->held_len;
}

void byteout_hold(struct byte_out *b, const void *p, size_t len)
{
	if (len)
		memcpy(b->held + b->held_len, p, len);
	b->held_len += len;
	b->queued += len;
}

int byteout_put(struct byte_out *b, const struct iovec *v, int n, struct err *e)
{
	struct iovec all[4] = { { b->held, b->held_len } };

	for (int i = 0; i < n; i++) {
		all[i + 1] = v[i];
		b->queued += v[i].iov_len;
	}
	b->held_len = 0;
	return put_all(b, all, n + 1, e);
}

int byteout_flush(struct byte_out *b, struct err *e)
{
	return byteout_put(b, NULL, 0, e);
}

size_t byteout_splice(struct byte_out *b, int pipe, size_t len, int *rc, struct err *e)
{
	while (!b->no_splice) {
		ssize_t n;

		*rc = wait_room(b, e);
		if (*rc)
			return 0;
		n = splice(pipe, NULL, b->fd, NULL, len, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n > 0) {
			has_moved(b);
			b->queued += (uint64_t)n;
			b->written += (uint64_t)n;
			return (size_t)n;
		}
		if (n < 0 && errno == EINVAL) {
			b->no_splice = true; /* some file systems cannot splice */
		} else if (n == 0) {
			*rc = err_set(e, ERR_SYS, ERR_NO_OFF,
				      "the pipe has fewer pages than expected");
			return 0;
		} else if (errno != EINTR && errno != EAGAIN) {
			*rc = write_failed(b, e);
			return 0;
		}
	}
	*rc = 0;
	return 0;
}

uint64_t byteout_read(const struct byte_out *b)
{
	int waiting = 0;

	if (b->reached)
		return *b->reached;
	if (b->pipe)
		ioctl(b->fd, FIONREAD, &waiting);
	else if (b->tcp)
		ioctl(b->fd, SIOCOUTQ, &waiting);
	return b->written - (waiting > 0 ? (uint64_t)waiting : 0);
}

int byteout_init(struct byte_out *b, int fd, struct err *e)
{
	int flags = fcntl(fd, F_GETFL), protocol = 0;
	socklen_t len = sizeof(protocol);
	struct stat st;

	*b = (struct byte_out){ .fd = fd };
	if (flags < 0 || fstat(fd, &st) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot use this output for the stream");
	b->file = S_ISREG(st.st_mode);
	b->pipe = b->nowait = S_ISFIFO(st.st_mode);
	b->tcp = getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) == 0 &&
		 protocol == IPPROTO_TCP;
	b->nowait |= b->tcp;
	b->socket = S_ISSOCK(st.st_mode) && !b->tcp;
	b->no_splice = !b->file || (flags & O_APPEND);
	/* More than the default; what is allowed is enough. */
	if (b->pipe)
		fcntl(fd, F_SETPIPE_SZ, BYTEOUT_PIPE);
	b->held = mem_alloc(BYTEOUT_HOLD);
	return 0;
}

void byteout_fini(struct byte_out *b)
{
	free(b->held);
	b->held = NULL;
}
