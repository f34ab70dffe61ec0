// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * handshake: the first half of a client of the server: protocol version, number of CPUs and
 * ports, and the metadata, which are checked before any of them are stored.
 */
#include "record/net/server/handshake.h"

#include "base/ascii.h"
#include "base/io.h"
#include "base/mem.h"
#include "record/net/server/quota.h"
#include "record/net/server/client_dir.h"
#include "reader/zedstream/format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MS 5000	    /* between two messages, as in stock */
#define HANDSHAKE_MS 15000  /* for the handshake, in however many pieces */
#define BEGINNING_MS 120000 /* for the handshake and the metadata */
#define LIVE_FLUSH_MS 15    /* a client of ours: how often it shall send what it has ... */
#define FILE_FLUSH_MS 1000  /* ... if it goes to a file: the most that its death may cost */
#define LOCK_MS 60000
#define MAX_ODD 16	    /* commands that are invalid */
#define MAX_BEGINNING 65536 /* frames in a stream before READY */
#define SPEAK_MS 60000	    /* longest time between two signs of life of a client of ours */
#define MIN_SPEAK_MS 1000

struct greeting {
	const struct serve_opts *o;
	struct peer *p;
	struct tcp_wait wait;
	uint64_t begun, deadline; /* ms: by then the handshake, the metadata must be complete */
	int meta_fd;		  /* a file without a name: metadata as sent */
	uint64_t meta_size;
};

/* ---- time limits ---- */

/* The next wait ends no later than the current part of the handshake. */
static int hurry(struct greeting *g, struct err *e)
{
	uint64_t now = tcp_now();

	if (now >= g->deadline)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its handshake and metadata take longer than %" PRIu64 " seconds",
			       (g->deadline - g->begun) / 1000);
	g->wait.ms = g->deadline - now < MESSAGE_MS ? g->deadline - now : MESSAGE_MS;
	return 0;
}

/* LEN bytes at most, as tcp_recv(). */
static ssize_t recv_bytes(struct greeting *g, void *p, size_t len, struct err *e)
{
	ssize_t n;

	TRY(hurry(g, e));
	n = tcp_recv(g->o->control, p, len, &g->wait, e);
	return n < 0 && tcp_now() >= g->deadline ? hurry(g, e) : n;
}

static int recv_message(struct greeting *g, struct wire_msg *m, struct err *e)
{
	TRY(hurry(g, e));
	if (wire_recv(&g->p->reader, g->o->control, m, &g->wait, e) < 0)
		return tcp_now() >= g->deadline ? hurry(g, e) : -1;
	g->o->ledger->places[g->o->place].heard = tcp_now();
	return 0;
}

/* ---- the handshake ---- */

/* A string up to its NUL; a client's first message is short. */
static int recv_string(struct greeting *g, char *buf, size_t size, struct err *e)
{
	uint64_t end = tcp_now() + MESSAGE_MS;

	for (size_t i = 0; i < size && tcp_now() <= end; i++) {
		ssize_t n = recv_bytes(g, buf + i, 1, e);

		if (n < 0)
			return -1;
		if (n == 0)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       i ? "it hung up during the handshake" :
					   "it hung up without sending anything");
		if (!buf[i])
			return 0;
	}
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it does not speak trace-cmd's protocol");
}

static int handshake(struct greeting *g, struct err *e)
{
	char version[16], last[16] = "", magic[8];
	ssize_t n;

	TRY(tcp_send(g->o->control, WIRE_BANNER, 8, &g->wait, e));
	for (;;) {
		TRY(recv_string(g, version, sizeof(version), e));
		if (strncmp(version, "-1V", 3))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       ascii_digit(version[0]) ?
					       "it speaks version 1 of the protocol: send with "
					       "\"trace-cmd record -N HOST:PORT -t\" of 3.0 or "
					       "newer, or with zedtrace -h" :
					       "it does not speak trace-cmd's protocol");
		if (!strcmp(version, last))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "it insists on version %.8s of the protocol: only V3 is "
				       "supported",
				       version + 2);
		TRY(tcp_send(g->o->control, WIRE_V3, 3, &g->wait, e));
		if (!strcmp(version, WIRE_WANT_V3))
			break;
		memcpy(last, version, sizeof(last));
	}
	n = recv_bytes(g, magic, 8, e);
	if (n < 0)
		return -1;
	if (n != 8 || memcmp(magic, WIRE_MAGIC, 8))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it broke off the handshake");
	return tcp_send(g->o->control, WIRE_OK, 2, &g->wait, e);
}

static int refuse(struct greeting *g)
{
	struct err e;

	wire_send(g->o->control, WIRE_NOT_SUPP, NULL, 0, NULL, 0, &g->wait, &e);
	return -1;
}

static bool has_option(const struct wire_msg *m, const char *name)
{
	size_t len = strlen(name);

	for (uint32_t at = 0; at < m->data_len;) {
		uint32_t n = strnlen((const char *)m->data + at, m->data_len - at);

		if (n == len && !memcmp(m->data + at, name, len))
			return true;
		at += n + 1;
	}
	return false;
}

/* Whether a client asks for too much. */
static int check_size(struct greeting *g, struct err *e)
{
	unsigned max = g->o->server->max_cpus;

	if (!max || max > WIRE_MAX_CPUS)
		max = WIRE_MAX_CPUS;
	if (!g->p->ncpus || g->p->ncpus > max)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%u CPUs: must be 1 to %u%s", g->p->ncpus,
			       max, max < WIRE_MAX_CPUS ? " (--max-cpus)" : "");
	if (g->p->page_size < 512 || g->p->page_size > 8u << 20 ||
	    g->p->page_size & (g->p->page_size - 1) ||
	    (uint64_t)g->p->ncpus * g->p->page_size > PAGES_IN_MAX_MEMORY)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%u CPU%s with sub-buffers of %u byte%s: sizes must be powers of "
			       "two from 512 to 8 MiB, %u MiB in total",
			       g->p->ncpus, plural(g->p->ncpus), g->p->page_size,
			       plural(g->p->page_size), PAGES_IN_MAX_MEMORY >> 20);
	if (!g->p->one && !ledger_take_ports(g->o->ledger, g->o->place, g->p->ncpus,
					     SERVER_HOST_CPUS * max, SERVER_ALL_CPUS * max))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%u CPU%s: together with those of the other clients more than %u of "
			       "one machine, or %u in total (--max-cpus)",
			       g->p->ncpus, plural(g->p->ncpus), SERVER_HOST_CPUS * max,
			       SERVER_ALL_CPUS * max);
	return 0;
}

/* A client of ours that sends this often is never taken for a silent one. */
static uint32_t speak_ms(const struct server_opts *o)
{
	uint64_t ms = o->idle_ms ? o->idle_ms / 400 : SPEAK_MS;

	return ms < MIN_SPEAK_MS ? MIN_SPEAK_MS : ms > SPEAK_MS ? SPEAK_MS : ms;
}

/* The client has the option "zed-token" if GIVES: let it prove that it knows ours. */
static int check_token(struct greeting *g, bool gives, struct err *e)
{
	const struct token *token = g->o->server->token;
	uint8_t nonce[TOKEN_NONCE], proof[TOKEN_NONCE];
	struct wire_msg m;

	if (!token)
		return 0;
	if (!gives)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       g->p->zed ? "the server demands a token: --token-file FILE" :
					   "it gives no token, which this server demands "
					   "(--token-file): zedtrace -h can, trace-cmd cannot");
	TRY(token_nonce(nonce, e));
	TRY(wire_send(g->o->control, WIRE_ZED_NONCE, nonce, sizeof(nonce), NULL, 0, &g->wait, e));
	TRY(recv_message(g, &m, e));
	if (m.command != WIRE_ZED_PROOF || m.fixed_len != 2 * TOKEN_NONCE)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "expected its token, got command %u",
			       m.command);
	if (!token_is_proof(token, TOKEN_OF_CLIENT, m.fixed, nonce, m.fixed + TOKEN_NONCE))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its token is not that of the server (--token-file)");
	token_prove(token, TOKEN_OF_SERVER, nonce, m.fixed, proof);
	return wire_send(g->o->control, WIRE_ZED_PROOF, proof, sizeof(proof), NULL, 0, &g->wait, e);
}

static int check_init(struct greeting *g, const struct wire_msg *m, struct err *e)
{
	bool tcp = has_option(m, "tcp");

	if (m->command != WIRE_TINIT || m->fixed_len < 8)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "expected TINIT, got command %u",
			       m->command);
	g->p->ncpus = bytes_u32(m->fixed, true);
	g->p->page_size = bytes_u32(m->fixed + 4, true);
	g->p->zed = has_option(m, "zed");
	g->p->one = g->p->zed && has_option(m, "zed-stream");
	g->p->paced = has_option(m, "zed-pace");
	TRY(check_token(g, has_option(m, "zed-token"), e));
	TRY(check_size(g, e));
	if (!tcp)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "it asks for UDP, which loses pages: send with \"trace-cmd record "
			       "-N HOST:PORT -t\"");
	if (g->p->one)
		return 0;
	g->p->pages_in = pages_in_new(g->o->control, g->p->ncpus, g->p->page_size, e);
	return g->p->pages_in ? 0 : -1;
}

/* TINIT: number of CPUs, size of sub-buffers, transport; RINIT answers with ports. */
static int take_init(struct greeting *g, struct err *e)
{
	char ports[WIRE_DATA];
	uint8_t fixed[20];
	struct wire_msg m;
	uint32_t len = 0;

	TRY(recv_message(g, &m, e));
	if (check_init(g, &m, e) < 0)
		return g->p->zed ? -1 : refuse(g);
	bytes_put(fixed, g->p->ncpus, 4, true);
	bytes_put(fixed + 4, WIRE_ZED, 4, true);
	bytes_put(fixed + 8, g->o->server->to_stdout ? LIVE_FLUSH_MS : FILE_FLUSH_MS, 4, true);
	bytes_put(fixed + 12, speak_ms(g->o->server), 4, true);
	bytes_put(fixed + 16,
		  WIRE_TAKES_NAMES |
			  (g->p->one ? WIRE_ONE_STREAM | WIRE_TELLS_TIME | WIRE_TAKES_PACKED : 0),
		  4, true);
	if (!g->p->one)
		len = pages_in_ports(g->p->pages_in, ports);
	return wire_send(g->o->control, WIRE_RINIT, fixed, g->p->zed ? sizeof(fixed) : 4, ports,
			 len, &g->wait, e);
}

/* ---- metadata ---- */

/* In the directory of the recordings, or for a stream in that of temporary files. */
static int open_nameless(struct greeting *g, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	int dir = g->o->dir;

	if (!tmp || !*tmp)
		tmp = "/tmp";
	if (dir < 0)
		dir = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open %.300s", tmp);
	g->meta_fd = servedir_nameless(dir, e);
	if (dir != g->o->dir)
		close(dir);
	return g->meta_fd < 0 ? -1 : 0;
}

static int keep_metadata(struct greeting *g, const uint8_t *p, uint32_t len, struct err *e)
{
	uint64_t max = g->o->server->max_size;
	char size[32];

	if (!max || max > META_CHECK_MAX)
		max = META_CHECK_MAX;
	if (g->meta_size + len > max)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its metadata are longer than %s, the limit%s",
			       quota_text(max, size), max < META_CHECK_MAX ? " (--max-size)" : "");
	if (!ledger_take(g->o->ledger, g->o->place, len))
		return quota_no_total(g->o->ledger, e);
	if (!io_write(g->meta_fd, p, len))
		return err_sys(e, ERR_NO_OFF, "cannot keep its metadata");
	g->meta_size += len;
	return 0;
}

static int recv_metadata(struct greeting *g, struct err *e)
{
	unsigned odd = 0;
	struct wire_msg m;

	TRY(open_nameless(g, e));
	for (;;) {
		TRY(recv_message(g, &m, e));
		switch (m.command) {
		case WIRE_SEND_DATA:
			TRY(keep_metadata(g, m.data, m.data_len, e));
			break;
		case WIRE_FIN_DATA:
			return 0;
		case WIRE_ZED_NAMES:
			g->p->watched = g->p->zed;
			break;
		case WIRE_CLOSE:
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "it ended before the end of its metadata");
		default:
			if (++odd > MAX_ODD)
				return err_set(e, ERR_FORMAT, ERR_NO_OFF,
					       "it sent too many unexpected commands");
			refuse(g);
		}
	}
}

/* READY: it must say the same as TINIT. */
static int check_ready(struct greeting *g, const struct frame *f, struct err *e)
{
	struct cursor c;
	const char *clock;
	uint64_t len;
	uint32_t page_size;

	cursor_init(&c, f->p, f->len, f->off + FRAMES_FRAME_LEN, false);
	TRY(cursor_u64(&c, &len, e));
	TRY(cursor_u32(&c, &page_size, e));
	TRY(cursor_str(&c, &clock, 64, e));
	if (len != g->meta_size || page_size != g->p->page_size)
		return err_set(e, ERR_FORMAT, f->off,
			       "its stream declares %" PRIu64
			       " byte%s of metadata and sub-buffers of %u, but it sent %" PRIu64 " "
			       "and announced %u",
			       len, plural(len), page_size, g->meta_size, g->p->page_size);
	return 0;
}

/* The frames up to READY.  1: READY was received. */
static int take_beginning(struct greeting *g, const struct frame *f, struct err *e)
{
	switch (f->kind) {
	case FRAME_META:
		return keep_metadata(g, f->p, f->len, e);
	case FRAME_NAMES:
		g->p->watched = true;
		return 0;
	case FRAME_READY:
		return check_ready(g, f, e) < 0 ? -1 : 1;
	case FRAME_PACKED:
		return err_set(e, ERR_FORMAT, f->off,
			       "a compressed frame of its metadata cannot be unpacked");
	}
	if (f->kind > FRAME_TIME)
		return frame_pass(f, e);
	return err_set(e, ERR_FORMAT, f->off, "a frame of kind %u before the end of its metadata",
		       f->kind);
}

/*
 * Before its stream a client makes a tracing instance for names; on a busy machine it waits for
 * the kernel's lock of all instances, while one of others is removed.
 */
static int await_stream(struct greeting *g, struct err *e)
{
	uint64_t now = tcp_now();
	unsigned left = g->deadline > now ? g->deadline - now : 0;
	int rc;

	TRY(hurry(g, e));
	rc = tcp_poll(g->o->control, POLLIN, &g->wait, &left, e);
	return rc ? rc : hurry(g, e);
}

/* For a client that sends a stream: its head, and everything up to READY. */
static int recv_stream(struct greeting *g, struct err *e)
{
	uint8_t head[FRAMES_HEAD_LEN];
	unsigned frames = 0;
	ssize_t n;
	int rc;

	if (g->p->reader.have > g->p->reader.used)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "unexpected data after TINIT");
	TRY(open_nameless(g, e));
	TRY(await_stream(g, e));
	n = recv_bytes(g, head, sizeof(head), e);
	if (n < 0)
		return -1;
	if (n != sizeof(head))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it hung up before its stream");
	g->p->stream = mem_alloc(sizeof(*g->p->stream));
	TRY(stream_in_init(g->p->stream, g->o->control, head, g->o->from, g->o->server->notes, e));
	g->p->stream->paced = g->p->paced;
	do {
		struct frame f = { 0 };

		TRY(hurry(g, e));
		rc = stream_in_frame(g->p->stream, &f, &g->wait, e);
		if (rc < 0 && tcp_now() >= g->deadline)
			return hurry(g, e);
		if (rc < 0)
			return -1;
		if (!rc || ++frames > MAX_BEGINNING)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       rc ? "its metadata come in too many frames" :
					    "it ended before the end of its metadata");
		g->o->ledger->places[g->o->place].heard = tcp_now();
		rc = take_beginning(g, &f, e);
		free(f.p);
	} while (rc == 0);
	return rc < 0 ? -1 : 0;
}

/* One client's process at a time unpacks metadata, so that many cannot fill the memory together. */
static int parse_metadata(struct greeting *g, struct err *e)
{
	struct timespec nap = { .tv_nsec = 20000000 };
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	uint64_t end = tcp_now() + LOCK_MS;
	char name[80];
	int rc;

	while (fcntl(g->o->lock, F_SETLK, &l) < 0) {
		if (tcp_now() > end || tcp_stopped(&g->wait))
			return err_set(e, ERR_SYS, ERR_NO_OFF, "too many clients at once");
		nanosleep(&nap, NULL);
	}
	snprintf(name, sizeof(name), "%.60s: metadata", g->o->from);
	rc = meta_check_read(&g->p->meta_check, g->meta_fd, name, g->p->page_size,
			     g->o->server->notes, e);
	l.l_type = F_UNLCK;
	fcntl(g->o->lock, F_SETLK, &l);
	close(g->meta_fd);
	g->meta_fd = -1;
	ledger_give(g->o->ledger, g->o->place, g->meta_size);
	return rc;
}

static int beginning(struct greeting *g, struct err *e)
{
	TRY(handshake(g, e));
	TRY(take_init(g, e));
	g->deadline = g->begun + BEGINNING_MS;
	TRY(g->p->one ? recv_stream(g, e) : recv_metadata(g, e));
	return parse_metadata(g, e) < 0 ? err_within(e, "metadata") : 0;
}

int handshake_run(struct peer *p, const struct serve_opts *o, struct err *e)
{
	struct greeting g = {
		.o = o,
		.p = p,
		.wait = { .ms = MESSAGE_MS, .stop = o->server->stop, .quit = o->quit },
		.begun = tcp_now(),
		.meta_fd = -1,
	};
	int rc;

	*p = (struct peer){ 0 };
	g.deadline = g.begun + HANDSHAKE_MS;
	rc = beginning(&g, e);
	if (g.meta_fd >= 0)
		close(g.meta_fd);
	return rc;
}

void peer_fini(struct peer *p)
{
	if (p->pages_in)
		pages_in_free(p->pages_in);
	p->pages_in = NULL;
	if (p->stream)
		stream_in_fini(p->stream);
	free(p->stream);
	p->stream = NULL;
	meta_check_fini(&p->meta_check);
}
