// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zedstream_write: the output that writes a zed stream to a descriptor.  Small frames are held
 * until a round ends: each write wakes the consumer, which shows in the trace.
 *
 * Pages go to files and sockets without a copy, but to a pipe by one.  A spliced page stays the
 * kernel's own until it is read, and is given back to its instance: if that was removed meanwhile,
 * because we ended before our reader, the kernel writes into freed memory (6.18: an oops in
 * ring_buffer_free_read_page() when the reader closed its pipe).
 */
#include "record/file/zedstream_write.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/comms/log.h"
#include "reader/zedstream/format.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PIECE (1u << 20)       /* bytes of metadata, names, pages in one frame */
#define SLICE 4096	       /* bytes that a pipe takes without blocking when poll() says so */
#define COPY (64u << 10)       /* bytes of pages copied at a time: they stay in a cache */
#define LOOK_MS 200	       /* how often a wait looks at `stop` */
#define HOLD (64u << 10)       /* bytes of small frames */
#define PATIENCE 5000000000ull /* ns: how long nothing may be taken, once we are to end */
#define FLUSH_NS 30000000      /* partly filled pages: soon, but each time wakes the consumer */

struct writer {
	struct output base; /* must be first */
	int fd;
	bool file; /* a regular file: never makes us wait */
	bool pipe;
	uint8_t *held;	 /* HOLD bytes, of which ... */
	size_t held_len; /* ... so many wait to be written */
	bool no_splice;
	bool nowait;	/* a write takes what there is room for, and does not block */
	uint64_t moved; /* CLOCK_MONOTONIC ns: when something was taken, or stop was seen */
	bool stop_seen;
	uint8_t *copy; /* COPY bytes for pages that are not spliced */
	bool watched;  /* names come with their times */
};

/* ---- bytes ---- */

static int write_failed(struct err *e)
{
	if (errno == EPIPE || errno == ECONNRESET)
		return OUTPUT_GONE;
	return err_sys(e, ERR_NO_OFF, "cannot write the stream");
}

/* Until the consumer can take something. */
static int wait_room(struct writer *w, struct err *e)
{
	struct pollfd p = { .fd = w->fd, .events = POLLOUT };

	if (w->file)
		return 0;
	for (;;) {
		int n = poll(&p, 1, LOOK_MS);

		if (n < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot wait for the stream's reader");
		if (n > 0 && p.revents & (POLLERR | POLLHUP | POLLNVAL))
			return OUTPUT_GONE;
		if (n > 0)
			return 0;
		if (!w->base.stop || !*w->base.stop)
			continue;
		if (!w->stop_seen) {
			w->stop_seen = true;
			w->moved = mono_ns();
		}
		if (mono_ns() - w->moved > PATIENCE)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "the stream's reader has taken nothing for 5 s: what was "
				       "recorded last is not in it");
	}
}

static void has_moved(struct writer *w)
{
	if (w->stop_seen)
		w->moved = mono_ns();
}

/* How many bytes can be written now without blocking, as far as poll() has told. */
static size_t most_now(const struct writer *w)
{
	int waiting, room = 0;

	if (w->file)
		return PIECE;
	/* An empty pipe takes what it can hold; its reader may change that at any time. */
	if (w->pipe && ioctl(w->fd, FIONREAD, &waiting) == 0 && !waiting)
		room = fcntl(w->fd, F_GETPIPE_SZ);
	return room > SLICE ? (size_t)room : SLICE;
}

/* DONE bytes of V have been written. */
static void used_up(struct writer *w, struct iovec *v, int n, ssize_t done)
{
	has_moved(w);
	for (int i = 0; i < n && done > 0; i++) {
		size_t part = (size_t)done < v[i].iov_len ? (size_t)done : v[i].iov_len;

		v[i].iov_base = (char *)v[i].iov_base + part;
		v[i].iov_len -= part;
		done -= part;
	}
}

/* As much of V as there is room for.  -1 with EAGAIN: none; EOPNOTSUPP: this cannot be asked. */
static ssize_t write_some(struct writer *w, const struct iovec *v, int n)
{
	ssize_t done = pwritev2(w->fd, v, n < 4 ? n : 4, -1, RWF_NOWAIT);

	/* Kernels before 5.10 know it for files alone. */
	if (done < 0 && (errno == ENOSYS || errno == EINVAL || errno == ESPIPE))
		errno = EOPNOTSUPP;
	return done;
}

/* All of V, which is used up. */
static int put_all(struct writer *w, struct iovec *v, int n, struct err *e)
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
		if (w->nowait) {
			done = write_some(w, v, n);
			if (done >= 0) {
				used_up(w, v, n, done);
				continue;
			}
			if (errno == EINTR)
				continue;
			if (errno == EOPNOTSUPP)
				w->nowait = false;
			else if (errno != EAGAIN)
				return write_failed(e);
		}
		most = most_now(w);
		for (; k < n && k < 4 && len < most; k++) {
			some[k] = v[k];
			if (some[k].iov_len > most - len)
				some[k].iov_len = most - len;
			len += some[k].iov_len;
		}
		rc = wait_room(w, e);
		if (rc)
			return rc;
		done = writev(w->fd, some, k);
		if (done < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (done < 0)
			return write_failed(e);
		used_up(w, v, k, done);
	}
}

static void le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = v >> 8 * i;
}

static void le64(uint8_t *p, uint64_t v)
{
	le32(p, v);
	le32(p + 4, v >> 32);
}

/* Write what is held. */
static int let_go(struct writer *w, struct err *e)
{
	struct iovec v = { w->held, w->held_len };

	w->held_len = 0;
	return v.iov_len ? put_all(w, &v, 1, e) : 0;
}

static void hold(struct writer *w, const void *p, size_t len)
{
	if (len)
		memcpy(w->held + w->held_len, p, len);
	w->held_len += len;
}

/* A frame whose payload is HEAD, then BODY; held, if there is room. */
static int put_frame(struct writer *w, uint32_t kind, const void *head, size_t head_len,
		     const void *body, size_t body_len, struct err *e)
{
	uint8_t h[FRAMES_FRAME_LEN];
	struct iovec v[] = {
		{ h, sizeof(h) },
		{ (void *)head, head_len },
		{ (void *)body, body_len },
	};

	if (head_len + body_len > FRAMES_MAX)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%zu bytes do not fit into a frame of the stream",
			       head_len + body_len);
	le32(h, kind);
	le32(h + 4, head_len + body_len);
	if (sizeof(h) + head_len + body_len > HOLD - w->held_len) {
		int rc = let_go(w, e);

		if (rc)
			return rc;
	}
	if (sizeof(h) + head_len + body_len > HOLD)
		return put_all(w, v, 3, e);
	for (int i = 0; i < 3; i++)
		hold(w, v[i].iov_base, v[i].iov_len);
	return 0;
}

/* ---- pages ---- */

/* LEN bytes of PIPE by hand, behind what is held. */
static int copy_pipe(struct writer *w, int pipe, size_t len, struct err *e)
{
	if (!w->copy)
		w->copy = mem_alloc(COPY);
	while (len) {
		ssize_t n = read(pipe, w->copy, len < COPY ? len : COPY);
		struct iovec v[] = { { w->held, w->held_len }, { w->copy, n } };
		int rc;

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, ERR_NO_OFF, "cannot read pages out of the pipe");
		w->held_len = 0;
		rc = put_all(w, v, 2, e);
		if (rc)
			return rc;
		len -= n;
	}
	return 0;
}

static int move_pipe(struct writer *w, int pipe, size_t len, struct err *e)
{
	while (len && !w->no_splice) {
		ssize_t n;
		int rc = wait_room(w, e);

		if (rc)
			return rc;
		n = splice(pipe, NULL, w->fd, NULL, len, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0 && errno == EINVAL) {
			w->no_splice = true; /* O_APPEND, a terminal, some devices */
			break;
		}
		if (n < 0)
			return write_failed(e);
		if (n == 0)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "the pipe has fewer pages than told");
		has_moved(w);
		len -= n;
	}
	return len ? copy_pipe(w, pipe, len, e) : 0;
}

static int put_pipe(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct writer *w = (struct writer *)o;
	uint8_t h[FRAMES_FRAME_LEN + 4];
	int rc = 0;

	/* What a pipe holds is less than a frame may. */
	if (len > FRAMES_MAX - 4)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%zu bytes of pages do not fit into a frame of the stream", len);
	le32(h, FRAME_PAGES);
	le32(h + 4, 4 + len);
	le32(h + 8, cpu);
	if (sizeof(h) > HOLD - w->held_len)
		rc = let_go(w, e);
	if (rc == 0) {
		hold(w, h, sizeof(h));
		/* What is spliced goes past what is held. */
		if (!w->no_splice)
			rc = let_go(w, e);
	}
	if (rc == 0)
		rc = move_pipe(w, pipe, len, e);
	if (rc == 0)
		o->bytes += len;
	return rc;
}

static int put_page(struct output *o, int cpu, const uint8_t *p, uint32_t used, uint32_t page_size,
		    struct err *e)
{
	uint8_t head[4];
	int rc;

	le32(head, cpu);
	rc = put_frame((struct writer *)o, FRAME_PAGES, head, sizeof(head), p, used, e);
	if (rc == 0)
		o->bytes += used;
	return rc;
}

/* ---- the rest ---- */

static int put_head(struct output *o, const struct meta *m, struct err *e)
{
	struct writer *w = (struct writer *)o;
	uint8_t head[FRAMES_HEAD_LEN] = FRAMES_MAGIC, ready[12];
	int rc = 0;

	if (m->len > FRAMES_MAX_META || m->page_size > FRAMES_MAX - 4)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "%zu bytes of metadata, sub-buffers of %u bytes: a stream cannot "
			       "hold that",
			       m->len, m->page_size);
	head[8] = FRAMES_VERSION;
	le32(head + 12, FRAMES_MAX);
	hold(w, head, sizeof(head));
	for (size_t at = 0; !rc && at < m->len; at += PIECE)
		rc = put_frame(w, FRAME_META, NULL, 0, m->p + at,
			       m->len - at < PIECE ? m->len - at : PIECE, e);
	if (rc == 0 && m->watched)
		rc = put_frame(w, FRAME_NAMES, NULL, 0, NULL, 0, e);
	w->watched = m->watched;
	le64(ready, m->len);
	le32(ready + 8, m->page_size);
	if (rc == 0)
		rc = put_frame(w, FRAME_READY, ready, sizeof(ready), m->clock, strlen(m->clock) + 1,
			       e);
	return rc ? rc : let_go(w, e);
}

static int put_round(struct output *o, uint64_t watermark, const int *busy, unsigned n,
		     struct err *e)
{
	uint8_t *p = mem_alloc(12 + 4 * (size_t)n);
	int rc;

	le64(p, watermark);
	le32(p + 8, n);
	for (unsigned i = 0; i < n; i++)
		le32(p + 12 + 4 * (size_t)i, busy[i]);
	rc = put_frame((struct writer *)o, FRAME_ROUND, p, 12 + 4 * (size_t)n, NULL, 0, e);
	free(p);
	return rc ? rc : let_go((struct writer *)o, e);
}

/* Whole lines, in frames of about PIECE bytes. */
static int put_comms(struct output *o, const char *text, size_t len, struct err *e)
{
	int rc = 0;

	while (len && !rc) {
		size_t n = len;

		if (n > PIECE) {
			const char *nl = memrchr(text, '\n', PIECE);

			n = nl ? (size_t)(nl + 1 - text) : PIECE;
		}
		rc = put_frame((struct writer *)o, FRAME_COMM, NULL, 0, text, n, e);
		text += n;
		len -= n;
	}
	return rc;
}

/* Whole records, in frames of about PIECE bytes. */
static int put_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct comm_record r;
	size_t at = 0, from = 0;
	int rc = 0;

	while (!rc && commlog_next(p, len, &at, &r))
		if (at - from > PIECE - COMMLOG_HEAD - COMMLOG_MAX_NAME || at == len) {
			rc = put_frame((struct writer *)o, FRAME_NAMES, NULL, 0, p + from,
				       at - from, e);
			from = at;
		}
	return rc;
}

static int put_format(struct output *o, const char *system, const char *text, size_t len,
		      struct err *e)
{
	return put_frame((struct writer *)o, FRAME_FORMAT, system, strlen(system) + 1, text, len,
			 e);
}

static int put_end(struct output *o, const struct output_end *end, struct err *e)
{
	struct writer *w = (struct writer *)o;
	uint8_t b[16];
	/* Some may have been learnt too late to be told in time: better late than never. */
	int rc = w->watched ? 0 : put_comms(o, end->comms, end->comms_len, e);

	for (unsigned i = 0; i < end->ncpus && !rc; i++) {
		if (!end->stats || !end->stats[i])
			continue;
		le32(b, end->cpus[i]);
		rc = put_frame(w, FRAME_STATS, b, 4, end->stats[i], strnlen(end->stats[i], SLICE),
			       e);
	}
	le64(b, end->events);
	le64(b + 8, end->dropped);
	if (rc == 0)
		rc = put_frame(w, FRAME_END, b, sizeof(b), NULL, 0, e);
	return rc ? rc : let_go(w, e);
}

static void close_writer(struct output *o)
{
	struct writer *w = (struct writer *)o;

	free(w->copy);
	free(w->held);
	free(w);
}

static const struct output_ops writer_ops = {
	.begin = put_head,
	.splice = put_pipe,
	.page = put_page,
	.round = put_round,
	.comms = put_comms,
	.names = put_names,
	.format = put_format,
	.end = put_end,
	.close = close_writer,
};

struct output *zedstream_write_new(int fd, struct err *e)
{
	struct writer *w;
	struct stat st;
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fstat(fd, &st) < 0) {
		err_sys(e, ERR_NO_OFF, "the stream has nowhere to go");
		return NULL;
	}
	w = mem_zalloc(sizeof(*w));
	w->base.ops = &writer_ops;
	w->base.flush_ns = FLUSH_NS;
	w->base.takes_names = true;
	w->fd = fd;
	w->file = S_ISREG(st.st_mode);
	w->held = mem_alloc(HOLD);
	/* More than the default holds; what is allowed is enough. */
	w->pipe = w->nowait = S_ISFIFO(st.st_mode);
	w->no_splice = w->pipe || (flags & O_APPEND);
	if (w->pipe)
		fcntl(fd, F_SETPIPE_SZ, PIECE);
	return &w->base;
}
