// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client: the output that sends a recording to a server, as a stock trace-cmd record -N -t does:
 * metadata in messages on a control connection, and the pages of each CPU, bare, on a TCP
 * connection of its own.
 */
#include "record/net/client_priv.h"

#include "base/ascii.h"
#include "base/mem.h"
#include "trace/comms/comm_log.h"
#include "ring/record_count.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_MS 10000
#define ANSWER_MS 10000
#define WHY_MS 500    /* how long to wait for the reason after a connection broke */
#define FLUSH_MS 1000 /* how often partly filled pages are sent, each whole */
#define MIN_FLUSH_MS 10
#define MAX_FLUSH_MS 60000
#define MIN_SPEAK_MS 1000
#define MAX_HEARD 64 /* messages that may precede that reason */

struct tcp_wait client_patience(const struct client *c, unsigned ms)
{
	return (struct tcp_wait){ .ms = ms, .stop = c->base.stop, .quit = -1 };
}

/* ---- what the server sends unasked ---- */

/* WIRE_BUSY has been read in place of the banner; the reason follows it. */
static int say_busy(struct client *c, struct err *e)
{
	struct tcp_wait w = client_patience(c, WHY_MS);
	char text[WIRE_MAX_WHY + 1];
	ssize_t n = tcp_recv(c->control, text, WIRE_MAX_WHY, &w, e);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return err_set(e, ERR_SYS, ERR_NO_OFF, "%s: the server accepts no more clients%s", c->host,
		       text);
}

/* The NOT_SUPP of a server of ours has the reason. */
bool client_is_why(const struct wire_msg *m)
{
	return m->command == WIRE_NOT_SUPP && m->data_len;
}

int client_say_why(struct client *c, const struct wire_msg *m, struct err *e)
{
	int len = m->data_len < WIRE_MAX_WHY ? m->data_len : WIRE_MAX_WHY;

	c->again.final = m->fixed_len < 4 || bytes_u32(m->fixed, true) != WIRE_COME_AGAIN;
	return err_set(e, ERR_SYS, ERR_NO_OFF, "the server ended the run: %.*s", len,
		       (const char *)m->data);
}

/* ---- the handshake ---- */

/*
 * The next LEN bytes must be BYTES; other or fewer bytes (an older server) are the error OTHERWISE.
 */
static int expect(struct client *c, const char *bytes, size_t len, const char *otherwise,
		  struct err *e)
{
	struct tcp_wait w = client_patience(c, ANSWER_MS);
	char got[16] = "";
	ssize_t n = tcp_recv(c->control, got, len, &w, e);

	if (n < 0 && e->sys != ECONNRESET)
		return err_within(e, "%s: no trace-cmd listen or zedtrace -l there?", c->host);
	if (n == 8 && len == 8 && !memcmp(got, WIRE_BUSY, 8))
		return say_busy(c, e);
	if (n < 0 || (size_t)n < len || memcmp(got, bytes, len))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%s: %s", c->host, otherwise);
	return 0;
}

static int handshake(struct client *c, struct err *e)
{
	struct tcp_wait w = client_patience(c, ANSWER_MS);

	TRY(expect(c, WIRE_BANNER, 8, "not a trace-cmd listen or zedtrace -l, or one that is busy",
		   e));
	if (tcp_send(c->control, WIRE_WANT_V3, 5, &w, e) < 0)
		return err_within(e, "%s", c->host);
	TRY(expect(c, WIRE_V3, 3,
		   "the server does not support version 3 of the protocol: use zedtrace -l, or "
		   "trace-cmd 3.0 or newer, there",
		   e));
	if (tcp_send(c->control, WIRE_MAGIC, 8, &w, e) < 0)
		return err_within(e, "%s", c->host);
	return expect(c, WIRE_OK, 2, "the server broke off the handshake", e);
}

/* ---- data connections ---- */

/* The I-th of the ports in RINIT's data; advances *AT. */
static int one_port(const struct wire_msg *m, uint32_t *at, unsigned *port)
{
	unsigned n = 0, digits = 0;

	while (*at < m->data_len && ascii_digit(m->data[*at]) && digits++ < 5)
		n = n * 10 + m->data[(*at)++] - '0';
	if (*at == m->data_len || m->data[*at] || !n || n > 65535)
		return -1;
	++*at;
	*port = n;
	return 0;
}

static int connect_data(struct client *c, const struct client_opts *o, const struct wire_msg *m,
			struct err *e)
{
	struct tcp_wait w = client_patience(c, CONNECT_MS);
	unsigned port, ncpus = m->fixed_len >= 4 ? bytes_u32(m->fixed, true) : 0;
	uint32_t at = 0;

	if (ncpus < c->ndata)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it accepts %u CPU%s of %u", ncpus,
			       plural(ncpus), c->ndata);
	for (unsigned i = 0; i < c->ndata; i++) {
		if (one_port(m, &at, &port) < 0)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "it sent no port number for CPU %u", i);
		c->data[i] = tcp_connect_beside(c->control, port, &w, e);
		if (c->data[i] < 0)
			return -1;
	}
	/* The connections of CPUs that are not recorded end here. */
	for (unsigned i = 0; i < c->ndata; i++) {
		bool wanted = false;

		for (unsigned k = 0; k < o->ncpus; k++)
			wanted |= o->cpus[k] == (int)i;
		if (!wanted) {
			close(c->data[i]);
			c->data[i] = -1;
		}
	}
	return 0;
}

/* Only a server of ours that announces it gets packed frames. */
static int no_packing(const struct client *c, struct err *e)
{
	return err_set(
		e, ERR_USAGE, ERR_NO_OFF,
		c->zed ? "the zedtrace -l there is too old for compressed data: record without -z, "
			 "or start a newer one there" :
			 "the server is trace-cmd listen, which takes no compressed data: record "
			 "without -z, or start zedtrace -l there");
}

/* M asks for the proof that we know TOKEN.  In M: what comes after the server's own proof. */
static int prove(struct client *c, const struct token *token, struct wire_msg *m, struct err *e)
{
	struct tcp_wait w = client_patience(c, ANSWER_MS);
	uint8_t theirs[TOKEN_NONCE], answer[2 * TOKEN_NONCE];

	if (!token)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "the server demands a token: --token-file FILE");
	if (m->fixed_len != TOKEN_NONCE)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "invalid request for a token");
	memcpy(theirs, m->fixed, TOKEN_NONCE);
	TRY(token_nonce(answer, e));
	token_prove(token, TOKEN_OF_CLIENT, answer, theirs, answer + TOKEN_NONCE);
	TRY(wire_send(c->control, WIRE_ZED_PROOF, answer, sizeof(answer), NULL, 0, &w, e));
	TRY(wire_recv(&c->in, c->control, m, &w, e));
	if (client_is_why(m))
		return 0;
	if (m->command != WIRE_ZED_PROOF || m->fixed_len != TOKEN_NONCE ||
	    !token_is_proof(token, TOKEN_OF_SERVER, theirs, answer, m->fixed))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the server does not know the token: another server than the one "
			       "that is meant?");
	return wire_recv(&c->in, c->control, m, &w, e);
}

/* TINIT, and in M its answer. */
static int request(struct client *c, const struct client_opts *o, struct wire_msg *m, struct err *e)
{
	static const char options[] = "tcp\0zed\0zed-stream\0zed-pace\0zed-token";
	size_t len = o->token ? sizeof(options) : sizeof(options) - sizeof("zed-token");
	struct tcp_wait w = client_patience(c, ANSWER_MS);
	uint8_t init[12];

	bytes_put(init, c->ndata, 4, true);
	bytes_put(init + 4, c->page_size, 4, true);
	bytes_put(init + 8, o->token ? 5 : 4, 4, true);
	TRY(wire_send(c->control, WIRE_TINIT, init, sizeof(init), options, len, &w, e));
	TRY(wire_recv(&c->in, c->control, m, &w, e));
	if (m->command == WIRE_ZED_NONCE)
		return prove(c, o->token, m, e);
	if (o->token && m->command == WIRE_RINIT)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "the server does not ask for the token, so it may be another than "
			       "the one that is meant: start it with --token-file, or record "
			       "without");
	return 0;
}

static int introduce(struct client *c, const struct client_opts *o, struct err *e)
{
	struct wire_msg m;

	TRY(request(c, o, &m, e));
	if (client_is_why(&m))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it refuses this recording: %.*s",
			       (int)(m.data_len < WIRE_MAX_WHY ? m.data_len : WIRE_MAX_WHY),
			       (const char *)m.data);
	if (m.command == WIRE_NOT_SUPP)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "it refuses this recording (CPUs: %u, sub-buffers of %u bytes, by "
			       "TCP); its log says why",
			       c->ndata, c->page_size);
	if (m.command != WIRE_RINIT)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "expected RINIT, got command %u",
			       m.command);
	c->zed = m.fixed_len >= 12 && bytes_u32(m.fixed + 4, true) == WIRE_ZED;
	if (c->zed) {
		uint32_t ms = bytes_u32(m.fixed + 8, true);

		ms = ms < MIN_FLUSH_MS ? MIN_FLUSH_MS : ms > MAX_FLUSH_MS ? MAX_FLUSH_MS : ms;
		c->base.flush_ns = ms * 1000000ull;
	}
	if (c->zed && m.fixed_len >= 16) {
		c->speak_ms = bytes_u32(m.fixed + 12, true);
		if (c->speak_ms < MIN_SPEAK_MS)
			c->speak_ms = MIN_SPEAK_MS;
	}
	c->base.takes_names = c->zed && m.fixed_len >= 20 &&
			      bytes_u32(m.fixed + 16, true) & WIRE_TAKES_NAMES;
	c->one = c->zed && m.fixed_len >= 20 && bytes_u32(m.fixed + 16, true) & WIRE_ONE_STREAM;
	c->clock.answers = c->one && bytes_u32(m.fixed + 16, true) & WIRE_TELLS_TIME;
	c->packs = c->one && bytes_u32(m.fixed + 16, true) & WIRE_TAKES_PACKED && o->pack;
	if (o->pack && !c->packs)
		return no_packing(c, e);
	if (o->again_ms && !c->one)
		return err_set(
			e, ERR_USAGE, ERR_NO_OFF,
			"--reconnect: the server there (trace-cmd listen, or an old zedtrace "
			"-l) cannot take a recording in parts: start a newer zedtrace -l");
	return c->one ? client_stream_begin(c, e) : connect_data(c, o, &m, e);
}

/* ---- while recording ---- */

/* The connection broke: if the server sent a reason, that is the error. */
static void ask_why(struct client *c, struct err *e)
{
	struct tcp_wait w = client_patience(c, WHY_MS);
	struct wire_msg m;
	struct err none;

	for (unsigned i = 0; i < MAX_HEARD && !wire_recv(&c->in, c->control, &m, &w, &none); i++)
		if (client_is_why(&m)) {
			client_say_why(c, &m, e);
			return;
		} else if (!client_hears(c, &m)) {
			return;
		}
}

/* If a server dies, the user needs to know how much was sent. */
int client_failed(struct client *c, struct err *e)
{
	if (!c->broken)
		ask_why(c, e);
	c->broken = true;
	return err_within(e, "%s: sent %" PRIu64 " KiB before the connection failed", c->host,
			  c->base.bytes >> 10);
}

/* A server sends nothing on data connections: anything to read is their end. */
static int look_at_data(struct client *c, struct err *e)
{
	for (unsigned i = 0; i < c->ndata; i++)
		c->polls[i] = (struct pollfd){ .fd = c->data[i], .events = POLLRDHUP };
	if (poll(c->polls, c->ndata, 0) <= 0)
		return 0;
	for (unsigned i = 0; i < c->ndata; i++)
		if (c->polls[i].revents)
			return err_set(e, ERR_SYS, ERR_NO_OFF,
				       "the server closed the data connection of CPU %u", i);
	return 0;
}

/* A server of ours expects a sign of life, however little happens here. */
static int say_alive(struct client *c, uint64_t now, struct err *e)
{
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);

	if (!c->speak_ms || now - c->spoke < c->speak_ms)
		return 0;
	c->spoke = now;
	return wire_send(c->control, WIRE_ZED_ALIVE, NULL, 0, NULL, 0, &w, e);
}

/* Has the server ended?  It sends nothing as long as all is well. */
static int look_at_server(struct client *c, struct err *e)
{
	uint64_t now = tcp_now();
	struct wire_msg m;
	int rc;

	if (now - c->looked < CLIENT_LOOK_MS)
		return 0;
	c->looked = now;
	rc = wire_take(&c->in, c->control, &m, e);
	if (rc == WIRE_END)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "the server ended the run (its log says why)");
	if (rc == 1 && client_is_why(&m))
		return client_say_why(c, &m, e);
	if (rc == 1)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the server sent command %u", m.command);
	if (rc < 0 || look_at_data(c, e) < 0)
		return -1;
	return say_alive(c, now, e);
}

static int tell_names(struct client *c, uint64_t watermark, const uint8_t *p, size_t len,
		      const struct tcp_wait *w, struct err *e)
{
	uint8_t fixed[8];

	bytes_put(fixed, watermark, 8, true);
	return wire_send(c->control, WIRE_ZED_NAMES, fixed, sizeof(fixed), p, len, w, e);
}

static int send_meta(struct output *o, const struct meta *meta, struct err *e)
{
	struct client *c = (struct client *)o;
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);

	for (size_t at = 0; at < meta->len; at += WIRE_DATA) {
		size_t n = meta->len - at < WIRE_DATA ? meta->len - at : WIRE_DATA;

		if (wire_send(c->control, WIRE_SEND_DATA, NULL, 0, meta->p + at, n, &w, e) < 0)
			return client_failed(c, e);
	}
	c->page_head = meta->page_head;
	c->self = meta->self;
	c->watched = meta->watched;
	if (c->watched && tell_names(c, 0, NULL, 0, &w, e) < 0)
		return client_failed(c, e);
	if (wire_send(c->control, WIRE_FIN_DATA, NULL, 0, NULL, 0, &w, e) < 0)
		return client_failed(c, e);
	return 0;
}

/* Whole records, in as many messages as they take. */
static int send_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);
	struct comm_record r;
	size_t at = 0, from = 0;

	while (comm_log_next(p, len, &at, &r))
		if (at - from > WIRE_DATA - 8 - COMM_LOG_HEAD - COMM_LOG_MAX_NAME || at == len) {
			if (tell_names(c, 0, p + from, at - from, &w, e) < 0)
				return client_failed(c, e);
			from = at;
		}
	return 0;
}

static int data_of(struct client *c, int cpu, struct err *e)
{
	if (look_at_server(c, e) < 0)
		return client_failed(c, e);
	if (cpu < 0 || (unsigned)cpu >= c->ndata || c->data[cpu] < 0)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "CPU %d went online after the connection was made: record again",
			       cpu);
	return c->data[cpu];
}

static int send_pages(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);
	int fd = data_of(c, cpu, e);

	if (fd < 0)
		return -1;
	if (tcp_splice(fd, pipe, len, &w, e) < 0)
		return client_failed(c, e);
	o->bytes += len;
	return 0;
}

static int send_page(struct output *o, int cpu, const uint8_t *p, uint32_t used, uint32_t page_size,
		     struct err *e)
{
	struct client *c = (struct client *)o;
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);
	int fd = data_of(c, cpu, e);

	if (fd < 0)
		return -1;
	/* A whole page, as nothing on the wire marks the end of one. */
	if (tcp_send(fd, p, page_size, &w, e) < 0)
		return client_failed(c, e);
	records_own_in_page(p, used, c->page_head, c->self, &o->own);
	o->bytes += page_size;
	return 0;
}

static int send_round(struct output *o, uint64_t watermark, const int *busy, unsigned n,
		      struct err *e)
{
	struct client *c = (struct client *)o;
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);

	if (look_at_server(c, e) < 0 ||
	    (c->watched && tell_names(c, watermark, NULL, 0, &w, e) < 0))
		return client_failed(c, e);
	return 0;
}

/* What only our server takes: the names, and the kernel's counts. */
static int tell_zed(struct client *c, const struct output_end *how, const struct tcp_wait *w,
		    struct err *e)
{
	size_t len = how->comms_len < WIRE_MAX_COMMS ? how->comms_len : WIRE_MAX_COMMS;
	uint8_t total[16], cpu[4];

	for (size_t at = 0; at < len; at += WIRE_DATA)
		TRY(wire_send(c->control, WIRE_ZED_COMMS, NULL, 0, how->comms + at,
			      len - at < WIRE_DATA ? len - at : WIRE_DATA, w, e));
	for (unsigned i = 0; i < how->ncpus && how->stats; i++) {
		if (!how->stats[i])
			continue;
		bytes_put(cpu, how->cpus[i], 4, true);
		TRY(wire_send(c->control, WIRE_ZED_STATS, cpu, 4, how->stats[i],
			      strnlen(how->stats[i], WIRE_DATA - 4), w, e));
	}
	bytes_put(total, how->events, 8, true);
	bytes_put(total + 8, how->dropped, 8, true);
	return wire_send(c->control, WIRE_ZED_TOTAL, total, sizeof(total), NULL, 0, w, e);
}

/*
 * Everything was sent: was it stored?  A stock server, or an old one of ours, does not say; from a
 * newer one silence means no.
 */
static int hear_end(struct client *c, struct err *e)
{
	struct tcp_wait w = client_patience(c, CLIENT_END_MS);
	struct wire_msg m;

	if (!c->speak_ms)
		return 0;
	TRY(wire_recv(&c->in, c->control, &m, &w, e));
	if (client_is_why(&m))
		return client_say_why(c, &m, e);
	if (m.command != WIRE_CLOSE)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the server sent command %u", m.command);
	return 0;
}

static int send_end(struct output *o, const struct output_end *how, struct err *e)
{
	struct client *c = (struct client *)o;
	struct tcp_wait w = client_patience(c, CLIENT_TAKE_MS);

	if (c->broken)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "%s: the connection has failed", c->host);
	c->looked = 0;
	if (look_at_server(c, e) < 0)
		return client_failed(c, e);
	/* Stock reads on for a second only after CLOSE: everything must have arrived before. */
	for (unsigned i = 0; i < c->ndata; i++) {
		if (c->data[i] < 0)
			continue;
		if (tcp_drain(c->data[i], &w, e) < 0)
			return client_failed(c, e);
		shutdown(c->data[i], SHUT_WR);
	}
	if ((c->zed && tell_zed(c, how, &w, e) < 0) ||
	    wire_send(c->control, WIRE_CLOSE, NULL, 0, NULL, 0, &w, e) < 0 ||
	    tcp_drain(c->control, &w, e) < 0 || hear_end(c, e) < 0)
		return client_failed(c, e);
	return 0;
}

void client_close(struct output *o)
{
	struct client *c = (struct client *)o;

	for (unsigned i = 0; i < c->ndata; i++)
		if (c->data[i] >= 0)
			close(c->data[i]);
	if (c->control >= 0)
		close(c->control);
	client_again_fini(c);
	free(c->data);
	free(c->polls);
	free(c);
}

static const struct output_ops client_ops = {
	.begin = send_meta,
	.splice = send_pages,
	.page = send_page,
	.round = send_round,
	.names = send_names,
	.end = send_end,
	.close = client_close,
};

static void say_progress(const struct client_opts *o, const char *what, const char *host)
{
	char line[400];

	snprintf(line, sizeof(line), "zed: %s%s", what, host);
	if (o->say)
		o->say(o->arg, line);
}

int client_connect(struct client *c, const struct client_opts *o, struct err *e)
{
	struct tcp_wait w = client_patience(c, CONNECT_MS);
	char host[256], service[32];

	TRY(tcp_name(o->host, WIRE_PORT, host, service, e));
	if (!c->again.since)
		say_progress(o, "connecting to ", host);
	c->control = tcp_connect(host, service, &w, e);
	if (c->control < 0 && e->sys == ECONNREFUSED)
		return err_set(
			e, ERR_SYS, ERR_NO_OFF,
			"%s: no server listens on port %s: start \"zedtrace -l -p %s\" (with -a "
			"ADDRESS for other machines) or \"trace-cmd listen -p %s\" there",
			host, service, service, service);
	if (c->control < 0 || handshake(c, e) < 0)
		return -1;
	if (introduce(c, o, e) < 0)
		return err_within(e, "%s", c->host);
	if (!c->again.since)
		say_progress(o, "connected!", "");
	return 0;
}

struct output *client_new(const struct client_opts *o, struct err *e)
{
	struct client *c = mem_zalloc(sizeof(*c));

	c->base = (struct output){ .ops = &client_ops,
				   .stop = o->stop,
				   .flush_ns = FLUSH_MS * 1000000ull };
	snprintf(c->host, sizeof(c->host), "%.290s", o->host);
	c->control = -1;
	c->page_size = o->page_size;
	for (unsigned i = 0; i < o->ncpus; i++)
		if (o->cpus[i] >= 0 && (unsigned)o->cpus[i] >= c->ndata)
			c->ndata = o->cpus[i] + 1;
	if (c->ndata > WIRE_MAX_CPUS) {
		err_set(e, ERR_USAGE, ERR_NO_OFF,
			"the protocol allows %u CPUs, but this machine has %u: choose some with "
			"--cpu",
			WIRE_MAX_CPUS, c->ndata);
		c->ndata = 0;
		goto fail;
	}
	c->data = mem_alloc((c->ndata + 1) * sizeof(*c->data));
	c->polls = mem_alloc((c->ndata + 1) * sizeof(*c->polls));
	c->spoke = tcp_now();
	for (unsigned i = 0; i < c->ndata; i++)
		c->data[i] = -1;
	client_again_init(c, o);
	if (client_connect(c, o, e) == 0)
		return &c->base;
fail:
	client_close(&c->base);
	return NULL;
}
