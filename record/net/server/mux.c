// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mux: the streams of several clients on one descriptor, piece by piece as they come.
 */
#include "record/net/server/mux.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/mono.h"
#include "reader/zedstream/format.h"
#include "base/tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define GULP (256u << 10)      /* bytes of a stream taken at a time */
#define PIPE_SIZE (256u << 10) /* bytes that may wait in the pipe of a client */
#define SLICE 4096	       /* bytes that a pipe takes without blocking when poll() says so */
#define HOLD (GULP + 4096)
#define WAIT_MS 50

struct mux_lane {
	int fd; /* -1: none */
	uint32_t number;
	char from[64];
};

struct mux {
	int out;
	bool broken; /* it accepts no more ... */
	int why;     /* ... for this reason (errno); 0: its reader has gone */
	size_t most; /* bytes to be written when poll() says so; 0: ask the kernel */
	struct mux_lane lanes[MUX_LANES];
	unsigned turn;	 /* the lane that is looked at first: each in its turn */
	uint32_t number; /* of streams so far */
	uint8_t *buf;	 /* HOLD bytes: [at, len) is to be written */
	size_t at, len;
};

/* The head of a frame whose payload begins with NUMBER; LEN bytes follow it. */
static void put_head(struct mux *m, uint32_t kind, uint32_t number, uint32_t len)
{
	uint8_t *p = m->buf + m->len;

	bytes_put(p, kind, 4, false);
	bytes_put(p + 4, 4 + len, 4, false);
	bytes_put(p + 8, number, 4, false);
	m->len += FRAMES_FRAME_LEN + 4;
}

/* What time of day it is on the clock with which clients compare theirs. */
static void put_wall(struct mux *m)
{
	uint8_t *p = m->buf + m->len;
	uint64_t wrong;

	bytes_put(p, FRAME_WALL, 4, false);
	bytes_put(p + 4, 16, 4, false);
	bytes_put(p + 8, (uint64_t)clock_ahead(CLOCK_REALTIME, CLOCK_MONOTONIC, &wrong), 8, false);
	bytes_put(p + 16, wrong, 8, false);
	m->len += FRAMES_FRAME_LEN + 16;
}

static bool has_room(const struct mux *m, size_t len)
{
	return HOLD - m->len >= len;
}

struct mux *mux_new(int out, struct err *e)
{
	static const uint8_t head[FRAMES_HEAD_LEN] = FRAMES_MAGIC;
	struct mux *m = mem_zalloc(sizeof(*m));
	struct stat st;

	if (fstat(out, &st) < 0) {
		free(m);
		err_sys(e, ERR_NO_OFF, "cannot use this output for the stream");
		return NULL;
	}
	m->out = out;
	m->most = S_ISFIFO(st.st_mode) ? 0 : S_ISREG(st.st_mode) ? HOLD : SLICE;
	m->buf = mem_alloc(HOLD);
	memcpy(m->buf, head, sizeof(head));
	m->buf[8] = FRAMES_VERSION;
	bytes_put(m->buf + 12, FRAMES_MAX, 4, false);
	m->len = sizeof(head);
	put_head(m, FRAME_CARRIER, 0, 0);
	put_wall(m);
	for (unsigned i = 0; i < MUX_LANES; i++)
		m->lanes[i].fd = -1;
	return m;
}

static void close_lanes(struct mux *m)
{
	for (unsigned i = 0; i < MUX_LANES; i++)
		if (m->lanes[i].fd >= 0) {
			close(m->lanes[i].fd);
			m->lanes[i].fd = -1;
		}
}

void mux_child(struct mux *m)
{
	close_lanes(m);
}

void mux_free(struct mux *m)
{
	if (!m)
		return;
	mux_child(m);
	free(m->buf);
	free(m);
}

/* The name of a stream in messages: further ones of the same address have a number. */
static size_t name_of(const struct mux *m, const char *from, char *buf, size_t size)
{
	unsigned same = 1;

	for (unsigned i = 0; i < MUX_LANES; i++)
		same += m->lanes[i].fd >= 0 && !strcmp(m->lanes[i].from, from);
	if (same == 1)
		return (size_t)snprintf(buf, size, "%s", from);
	return (size_t)snprintf(buf, size, "%s-%u", from, same);
}

int mux_open(struct mux *m, const char *from, struct err *e)
{
	struct mux_lane *l = m->lanes;
	char name[96];
	size_t len = name_of(m, from, name, sizeof(name)) + 1;
	int ends[2];

	while (l < m->lanes + MUX_LANES && l->fd >= 0)
		l++;
	if (l == m->lanes + MUX_LANES || !has_room(m, FRAMES_FRAME_LEN + 4 + len))
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "the reader of the stream has stopped reading");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, ERR_NO_OFF, "cannot create a pipe");
	/* Only the read end: the writer at the other end may block. */
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETPIPE_SZ, PIPE_SIZE);
	*l = (struct mux_lane){ .fd = ends[0], .number = ++m->number };
	snprintf(l->from, sizeof(l->from), "%s", from);
	put_head(m, FRAME_SOURCE, l->number, len);
	memcpy(m->buf + m->len, name, len);
	m->len += len;
	return ends[1];
}

unsigned mux_polls(const struct mux *m, struct pollfd *p)
{
	unsigned n = 0;

	/* With no events asked for, poll() still reports a pipe whose reader has ended. */
	p[n++] = (struct pollfd){ .fd = m->out, .events = m->at < m->len ? POLLOUT : 0 };
	for (unsigned i = 0; i < MUX_LANES && m->at == m->len; i++)
		if (m->lanes[i].fd >= 0)
			p[n++] = (struct pollfd){ .fd = m->lanes[i].fd, .events = POLLIN };
	return n;
}

/* The writers of the lanes shall notice that, and not wait for room. */
static void break_off(struct mux *m, int why)
{
	m->broken = true;
	m->why = why == EPIPE ? 0 : why;
	close_lanes(m);
}

/* Write what is held as far as there is room. */
static void write_out(struct mux *m)
{
	while (m->at < m->len) {
		struct pollfd p = { .fd = m->out, .events = POLLOUT };
		struct iovec v = { m->buf + m->at, m->len - m->at };
		ssize_t n;

		if (!m->most) {
			n = pwritev2(m->out, &v, 1, -1, RWF_NOWAIT);
			if (n < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL ||
				      errno == ESPIPE)) {
				m->most = SLICE;
				continue;
			}
		} else {
			if (poll(&p, 1, 0) <= 0)
				return;
			if (v.iov_len > m->most)
				v.iov_len = m->most;
			n = writev(m->out, &v, 1);
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			break_off(m, n < 0 ? errno : EIO);
			return;
		}
		m->at += (size_t)n;
	}
	m->at = m->len = 0;
}

/* What has arrived in L becomes a frame. */
static void take(struct mux *m, struct mux_lane *l)
{
	size_t head = FRAMES_FRAME_LEN + 4, at = m->len;
	ssize_t n;

	n = read(l->fd, m->buf + m->len + head, GULP);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	put_head(m, n > 0 ? FRAME_PIECE : FRAME_GONE, l->number, n > 0 ? (uint32_t)n : 0);
	m->len = at + head + (n > 0 ? (size_t)n : 0);
	if (n > 0)
		return;
	close(l->fd);
	l->fd = -1;
}

bool mux_move(struct mux *m)
{
	write_out(m);
	for (unsigned i = 0; i < MUX_LANES && !m->broken; i++) {
		struct mux_lane *l = &m->lanes[(m->turn + i) % MUX_LANES];

		if (l->fd < 0)
			continue;
		if (m->len && !has_room(m, FRAMES_FRAME_LEN + 4 + GULP)) {
			m->turn = (m->turn + i) % MUX_LANES;
			break;
		}
		take(m, l);
		write_out(m);
	}
	m->turn = (m->turn + 1) % MUX_LANES;
	return !m->broken;
}

bool mux_busy(const struct mux *m)
{
	for (unsigned i = 0; i < MUX_LANES; i++)
		if (m->lanes[i].fd >= 0)
			return true;
	return m->at < m->len;
}

int mux_error(const struct mux *m)
{
	return m->why;
}

bool mux_end(struct mux *m, unsigned ms)
{
	uint64_t end = tcp_now() + ms;
	bool ended = false;

	while (!m->broken && tcp_now() < end) {
		struct pollfd p[MUX_LANES + 1];

		mux_move(m);
		if (!mux_busy(m) && ended)
			return true;
		if (!mux_busy(m)) {
			memset(m->buf, 0, FRAMES_FRAME_LEN + 16);
			bytes_put(m->buf, FRAME_END, 4, false);
			bytes_put(m->buf + 4, 16, 4, false);
			m->len = FRAMES_FRAME_LEN + 16;
			ended = true;
			continue;
		}
		poll(p, mux_polls(m, p), WAIT_MS);
	}
	return m->broken;
}
