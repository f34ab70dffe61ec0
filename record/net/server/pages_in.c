// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pages_in: receives the pages of a client: one connection per CPU, whose bytes are cut into
 * sub-buffers for an output.  Nothing that the client sends changes a limit: sizes, times and
 * numbers of connections are the server's.
 */
#include "record/net/server/pages_in.h"

#include "base/mem.h"
#include "ring/record_count.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GULP (256u << 10) /* bytes taken from one CPU at a time */
#define TICK_MS 100
#define ROUND_MS 50
#define SLACK_NS 20000000   /* how late a record may be seen after its time */
#define CONNECT_MS 60000    /* a CPU that has not connected by then will not */
#define QUIET_MS 1000	    /* after CLOSE: nothing more comes if nothing came for this long */
#define TAIL_MS 60000	    /* after CLOSE: what is still under way must come within */
#define WAIT_CLOSE_MS 30000 /* all CPUs have ended: CLOSE should follow */
#define AFTER_MS 600000	    /* the same, however slowly the final names come */

struct inlet {
	int listener, fd; /* -1: none, or none any more */
	unsigned port;
	uint8_t *part; /* an incomplete sub-buffer */
	uint32_t have;
};

struct pages_in {
	struct inlet *v;
	struct pollfd *polls;		  /* control, quit, then one each */
	unsigned n, waiting, open, ended; /* CPUs: all, not connected yet, connected, ended */
	uint32_t page_size;
	struct sockaddr_storage peer;
	uint8_t *gulp;
	uint32_t gulp_size;
	uint64_t rounds[2]; /* the time of the newest event one round ago and two */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

struct pages_in *pages_in_new(int control, unsigned ncpus, uint32_t page_size, struct err *e)
{
	struct pages_in *in = mem_zalloc(sizeof(*in));
	struct sockaddr_storage here = { 0 }, at;
	socklen_t len = sizeof(here), peer_len = sizeof(in->peer);

	in->page_size = page_size;
	in->gulp_size = page_size > GULP ? page_size : GULP;
	in->gulp = mem_alloc(in->gulp_size);
	in->v = mem_zalloc((ncpus + 1) * sizeof(*in->v));
	in->polls = mem_zalloc((ncpus + 2) * sizeof(*in->polls));
	if (getsockname(control, (struct sockaddr *)&here, &len) < 0 ||
	    getpeername(control, (struct sockaddr *)&in->peer, &peer_len) < 0) {
		err_sys(e, ERR_NO_OFF, "the client closed the connection");
		goto fail;
	}
	if (here.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&here)->sin6_port = 0;
	else
		((struct sockaddr_in *)&here)->sin_port = 0;
	for (unsigned i = 0; i < ncpus; i++) {
		struct inlet *v = &in->v[i];
		socklen_t size = sizeof(at);

		v->fd = -1;
		v->listener = tcp_listen((struct sockaddr *)&here, len, 1, e);
		if (v->listener < 0 ||
		    getsockname(v->listener, (struct sockaddr *)&at, &size) < 0) {
			err_within(e, "CPU %u of %u", i, ncpus);
			in->n = i + (v->listener >= 0);
			goto fail;
		}
		v->port = tcp_port(&at);
	}
	in->n = in->waiting = ncpus;
	return in;
fail:
	pages_in_free(in);
	return NULL;
}

void pages_in_shut(struct pages_in *in)
{
	for (unsigned i = 0; i < in->n; i++) {
		close_fd(&in->v[i].listener);
		close_fd(&in->v[i].fd);
	}
}

void pages_in_free(struct pages_in *in)
{
	pages_in_shut(in);
	for (unsigned i = 0; i < in->n; i++)
		free(in->v[i].part);
	free(in->polls);
	free(in->gulp);
	free(in->v);
	free(in);
}

uint32_t pages_in_ports(const struct pages_in *in, char *buf)
{
	uint32_t at = 0;

	for (unsigned i = 0; i < in->n; i++)
		at += snprintf(buf + at, WIRE_DATA - at, "%u", in->v[i].port) + 1;
	return at;
}

/* ---- pages ---- */

/* How much of a sub-buffer is used; records its time, and with ROUNDS its events. */
static uint32_t look_into(struct pages_in_run *r, unsigned cpu, const uint8_t *p)
{
	const struct meta_check *m = r->meta_check;
	uint64_t ts = bytes_u64(p, m->big_endian), lost = 0;
	/* Of a big-endian kernel's 64-bit word the low half comes last. */
	uint32_t word = bytes_u32(p + (m->big_endian && m->long_size == 8 ? 12 : 8), m->big_endian);
	uint32_t len = word & 0x07ffffff, used;

	if (m->data_off > r->page_size || len > r->page_size - m->data_off)
		return r->page_size;
	used = m->data_off + len;
	if ((word & 1u << 30) && r->page_size - used >= m->long_size) {
		lost = m->long_size == 8 ? bytes_u64(p + used, m->big_endian) :
					   bytes_u32(p + used, m->big_endian);
		used += m->long_size;
	}
	if (r->rounds) {
		unsigned n = records_count(p + m->data_off, len, m->big_endian, &ts);

		if (ts > r->newest)
			r->newest = ts;
		r->cpus[cpu].events += n;
		r->events += n;
		if (word & 1u << 31)
			r->dropped += lost;
	}
	return used;
}

int pages_in_take(struct pages_in_run *r, unsigned cpu, const uint8_t *p, struct err *e)
{
	int rc;

	if (!quota_take(r->quota, r->page_size))
		return 1;
	r->place->heard = r->quota->ledger->paged = tcp_now();
	rc = r->out->ops->page(r->out, (int)cpu, p, look_into(r, cpu, p), r->page_size, e);
	if (rc == OUTPUT_GONE)
		r->gone = true;
	if (rc)
		return rc;
	r->cpus[cpu].bytes += r->page_size;
	return 0;
}

static int take_bytes(struct pages_in *in, unsigned cpu, struct pages_in_run *r, const uint8_t *p,
		      uint32_t len, struct err *e)
{
	struct inlet *v = &in->v[cpu];
	int rc;

	while (len) {
		uint32_t n = in->page_size - v->have;

		if (!v->have && len >= in->page_size) {
			rc = pages_in_take(r, cpu, p, e);
			if (rc)
				return rc;
		} else {
			if (n > len)
				n = len;
			if (!v->part)
				v->part = mem_alloc(in->page_size);
			memcpy(v->part + v->have, p, n);
			v->have += n;
			if (v->have == in->page_size) {
				v->have = 0;
				rc = pages_in_take(r, cpu, v->part, e);
				if (rc)
					return rc;
			}
		}
		p += n;
		len -= n;
	}
	return 0;
}

/* ---- connections ---- */

static void take_connection(struct pages_in *in, struct inlet *v, struct pages_in_run *r)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	int fd = accept4(v->listener, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (!tcp_same_host(&from, &in->peer)) {
		close(fd); /* another host guesses ports */
		return;
	}
	tcp_keepalive(fd);
	v->fd = fd;
	close_fd(&v->listener);
	in->waiting--;
	in->open++;
	r->place->heard = tcp_now();
}

static void end_waiting(struct pages_in *in)
{
	for (unsigned i = 0; i < in->n; i++)
		if (in->v[i].listener >= 0) {
			close_fd(&in->v[i].listener);
			in->waiting--;
			in->ended++;
		}
}

/* Receive what CPU has sent.  1: take no more of it. */
static int take_data(struct pages_in *in, unsigned cpu, struct pages_in_run *r, bool *came,
		     struct err *e)
{
	struct inlet *v = &in->v[cpu];
	ssize_t n = recv(v->fd, in->gulp, in->gulp_size, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n <= 0) {
		close_fd(&v->fd);
		in->open--;
		in->ended++;
		return 0;
	}
	*came = true;
	return take_bytes(in, cpu, r, in->gulp, n, e);
}

/* The loop's. */
struct state {
	uint64_t begin, last, closing, round; /* ms: of the run, data, its end, the last round */
	uint64_t ended;			      /* ms: no data connection is left */
	struct control_in said;
	bool control; /* is still listened to */
};

static int tell_round(struct pages_in *in, struct pages_in_run *r, struct err *e)
{
	int busy[WIRE_MAX_CPUS];
	uint64_t watermark = in->rounds[1];
	unsigned n = 0;

	/* The last data is passed on, too, when nothing follows it. */
	if (watermark == r->newest)
		watermark += SLACK_NS + 1;
	in->rounds[1] = in->rounds[0];
	in->rounds[0] = r->newest;
	if (watermark <= SLACK_NS || !r->out->ops->round)
		return 0;
	watermark -= SLACK_NS;
	/* If names are watched, a round says that these are complete, too. */
	if (r->meta_check->meta.watched && watermark > r->names_watermark)
		watermark = r->names_watermark;
	if (!watermark)
		return 0;
	for (unsigned i = 0; i < in->n; i++)
		if (in->v[i].have)
			busy[n++] = i;
	return r->out->ops->round(r->out, watermark, busy, n, e);
}

/* ---- the loop ---- */

static void fill_polls(struct pages_in *in, const struct pages_in_run *r, const struct state *s)
{
	in->polls[0] = (struct pollfd){ .fd = s->control ? r->control : -1, .events = POLLIN };
	in->polls[1] = (struct pollfd){ .fd = s->closing ? -1 : r->wait.quit, .events = POLLIN };
	for (unsigned i = 0; i < in->n; i++) {
		const struct inlet *v = &in->v[i];

		in->polls[2 + i] = (struct pollfd){ .fd = v->fd >= 0 ? v->fd : v->listener,
						    .events = POLLIN };
	}
}

bool pages_in_silent(struct pages_in_run *r, uint64_t now)
{
	uint64_t heard = r->place->heard, quiet = now > heard ? now - heard : 0;

	if (r->idle_ms && quiet > r->idle_ms)
		r->why = "nothing was received for the time that --idle allows";
	else if (r->place->leave)
		r->why = "it was silent, and other clients wait for its place";
	return r->why != NULL;
}

/* Has it ended, at NOW? */
static bool is_over(struct pages_in *in, struct pages_in_run *r, struct state *s, uint64_t now)
{
	uint64_t quiet;

	if (s->closing) {
		quiet = now - (s->last > s->closing ? s->last : s->closing);
		if ((!in->open && !in->waiting) || quiet > QUIET_MS)
			return true;
		if (now - s->closing > TAIL_MS) {
			r->why = "it kept sending after its end";
			r->closed = false;
			return true;
		}
		return false;
	}
	if (in->ended == in->n) {
		if (!s->ended)
			s->ended = now;
		quiet = now - (s->last > s->ended ? s->last : s->ended);
		if (quiet <= WAIT_CLOSE_MS && now - s->ended <= AFTER_MS)
			return false;
		r->why = "all data connections are closed, but it sent no end";
		return true;
	}
	/* Pages and words count, not bytes: one a minute would hold a place for ever. */
	return pages_in_silent(r, now);
}

static void listen_control(struct pages_in_run *r, struct state *s)
{
	bool ended = control_take(&s->said, r);

	if (s->said.heard > s->last)
		s->last = s->said.heard;
	if (!ended)
		return;
	s->control = false;
	s->closing = tcp_now();
}

static int serve_polls(struct pages_in *in, struct pages_in_run *r, struct state *s, struct err *e)
{
	bool came = false;
	int rc = 0;

	if (in->polls[0].revents)
		listen_control(r, s);
	for (unsigned i = 0; rc == 0 && i < in->n; i++) {
		if (!in->polls[2 + i].revents)
			continue;
		if (in->v[i].fd >= 0)
			rc = take_data(in, i, r, &came, e);
		else
			take_connection(in, &in->v[i], r);
	}
	if (came)
		s->last = tcp_now();
	return rc;
}

int pages_in_run(struct pages_in *in, struct pages_in_run *r, struct err *e)
{
	struct state s = { .begin = tcp_now(), .control = true };
	int rc = 0;

	s.last = s.round = s.said.begin = s.begin;
	/* Messages may have come together with the last of the metadata. */
	listen_control(r, &s);
	while (rc == 0) {
		uint64_t now = tcp_now();

		if (is_over(in, r, &s, now))
			break;
		if (in->waiting && now - s.begin > CONNECT_MS)
			end_waiting(in);
		fill_polls(in, r, &s);
		rc = poll(in->polls, in->n + 2, r->rounds ? ROUND_MS : TICK_MS);
		if (rc < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot wait for the network");
		rc = rc > 0 ? serve_polls(in, r, &s, e) : 0;
		if (!s.closing && tcp_stopped(&r->wait)) {
			r->stopped = true;
			s.closing = tcp_now();
		}
		if (rc == 0 && r->rounds && tcp_now() - s.round >= ROUND_MS) {
			s.round = tcp_now();
			rc = tell_round(in, r, e);
			if (rc == OUTPUT_GONE)
				r->gone = true;
		}
	}
	for (unsigned i = 0; i < in->n; i++)
		r->halves += in->v[i].have > 0;
	return rc < 0 ? -1 : 0;
}
