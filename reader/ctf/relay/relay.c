// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * relay: asks a relay daemon of LTTng for a session's packets.  All numbers of the protocol are big
 * endian, and nothing is aligned.
 */
#include "reader/ctf/relay/relay.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "base/tcp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Commands, and the sizes of what goes with them (lttng-viewer-abi.hpp). */
enum {
	CONNECT = 1,
	LIST_SESSIONS,
	ATTACH,
	GET_NEXT_INDEX,
	GET_PACKET,
	GET_METADATA,
	GET_NEW_STREAMS,
	CREATE_SESSION,
	DETACH,
};

#define COMMAND_LEN 16	/* u64 size of what follows, u32 command, u32 version */
#define CONNECT_LEN 20	/* u64 number, u32 major, u32 minor, u32 kind of connection */
#define ATTACH_LEN 20	/* u64 session, u64 offset, u32 seek */
#define SESSION_LEN 339 /* u64 number, u32 live timer, u32 clients, u32 streams, two names */
#define HOSTNAME_AT 20
#define HOSTNAME_LEN 64
#define NAME_AT 84
#define NAME_LEN 255
#define STREAM_LEN 4371 /* u64 number, u64 trace, u32 metadata, char path[4096], channel[255] */
#define INDEX_LEN 64  /* u64: offset, sizes (2), times (2), discarded, stream; u32 status, flags */
#define PACKET_LEN 12 /* u32 status, u32 size, u32 flags */
#define METADATA_LEN 12 /* u64 size, u32 status */

#define MAJOR 2
#define MINOR 4
#define CLIENT_COMMAND 1
#define SEEK_BEGINNING 1
#define NEW_METADATA 1 /* flags */
#define NEW_STREAM 2

#define ATTACH_OK 1
#define STREAMS_OK 1 /* of an answer about new streams: then NO_NEW, ERR, HUP */
#define STREAMS_ERR 3
#define STREAMS_HUP 4
#define METADATA_OK 1
#define METADATA_NONE 2

#define PIECE (256u << 10) /* bytes */
#define MAX_SESSIONS 4096
#define MAX_STREAMS 4096 /* of one answer */
#define MAX_ATTACHED 8	 /* sessions of one name: the kernel, programs of 32 and of 64 bits */
#define MAX_LISTED 8

struct relay {
	int fd;
	struct tcp_wait wait;
	uint64_t sessions[MAX_ATTACHED];
	unsigned n;
};

/* ---- one question ---- */

/* LEN bytes of an answer: of a long one each piece is waited for. */
static int receive(struct relay *r, uint8_t *p, size_t len, struct err *e)
{
	while (len) {
		size_t some = len < PIECE ? len : PIECE;
		ssize_t n = tcp_recv(r->fd, p, some, &r->wait, e);

		TRY(n);
		if ((size_t)n < some)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "the relay daemon closed the connection within an answer");
		p += some;
		len -= some;
	}
	return 0;
}

/* Send COMMAND with the LEN bytes at P, at most 32, and get the first ANSWER_LEN of the answer. */
static int ask(struct relay *r, unsigned command, const uint8_t *p, size_t len, uint8_t *answer,
	       size_t answer_len, struct err *e)
{
	uint8_t out[COMMAND_LEN + 32] = { 0 };

	bytes_put(out, len, 8, true);
	bytes_put(out + 8, command, 4, true);
	if (len)
		memcpy(out + COMMAND_LEN, p, len);
	TRY(tcp_send(r->fd, out, COMMAND_LEN + len, &r->wait, e));
	return receive(r, answer, answer_len, e);
}

static uint32_t u32(const uint8_t *p)
{
	return bytes_u32(p, true);
}

static uint64_t u64(const uint8_t *p)
{
	return bytes_u64(p, true);
}

/* ---- the session ---- */

bool relay_is_url(const char *path)
{
	return !strncmp(path, "lttng://", 8) || !strncmp(path, "net://", 6);
}

/* What URL names; the parts are its own copies, and borrowed from TEXT, to be freed. */
struct url {
	char *text;
	const char *daemon, *hostname, *session; /* the last two NULL: all */
};

static int split_url(const char *text, struct url *u, struct err *e)
{
	char *at;

	*u = (struct url){ .text = mem_strdup(strstr(text, "://") + 3) };
	u->daemon = u->text;
	at = strchr(u->text, '/');
	if (!at || !at[1]) {
		if (at)
			*at = '\0';
		return 0;
	}
	*at++ = '\0';
	if (!strncmp(at, "host/", 5)) {
		u->hostname = at + 5;
		at = strchr(at + 5, '/');
		if (at && at[1] && !strchr(at + 1, '/')) {
			*at = '\0';
			u->session = at + 1;
			return 0;
		}
	}
	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "expected lttng://HOST[:PORT]/host/HOSTNAME/SESSION: without "
		       "/host/HOSTNAME/SESSION the sessions are listed");
}

static int greet(struct relay *r, struct err *e)
{
	uint8_t out[CONNECT_LEN] = { 0 }, in[CONNECT_LEN];

	bytes_put(out + 8, MAJOR, 4, true);
	bytes_put(out + 12, MINOR, 4, true);
	bytes_put(out + 16, CLIENT_COMMAND, 4, true);
	TRY(ask(r, CONNECT, out, sizeof(out), in, sizeof(in), e));
	if (u32(in + 8) != MAJOR)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the relay daemon speaks version %" PRIu32
			       " of its protocol, expected %u",
			       u32(in + 8), MAJOR);
	return 0;
}

static int create(struct relay *r, struct err *e)
{
	uint8_t in[4];

	TRY(ask(r, CREATE_SESSION, NULL, 0, in, sizeof(in), e));
	if (u32(in) != 1)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the relay daemon refuses the viewer's session");
	return 0;
}

/* Names are cut at the end of their field. */
static bool is_named(const uint8_t *session, const struct url *u)
{
	const char *p = (const char *)session;

	return u->session && !strncmp(p + HOSTNAME_AT, u->hostname, HOSTNAME_LEN) &&
	       !strncmp(p + NAME_AT, u->session, NAME_LEN);
}

/* Append "HOSTNAME/SESSION" to LIST. */
static void list(char *text, size_t size, const uint8_t *session)
{
	const char *p = (const char *)session;
	size_t len = strlen(text);

	snprintf(text + len, size - len, "%s/host/%.*s/%.*s", len ? ", " : "", HOSTNAME_LEN,
		 p + HOSTNAME_AT, NAME_LEN, p + NAME_AT);
}

/* Find the sessions that U names; if there are none, E has those that there are. */
static int find_sessions(struct relay *r, const struct url *u, struct err *e)
{
	char known[512] = "";
	uint8_t in[SESSION_LEN];
	uint32_t n;

	TRY(ask(r, LIST_SESSIONS, NULL, 0, in, 4, e));
	n = u32(in);
	if (n > MAX_SESSIONS)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the relay daemon has %" PRIu32 " sessions, more than %u", n,
			       MAX_SESSIONS);
	for (uint32_t i = 0; i < n; i++) {
		TRY(receive(r, in, sizeof(in), e));
		if (is_named(in, u) && r->n < MAX_ATTACHED)
			r->sessions[r->n++] = u64(in);
		else if (i < MAX_LISTED)
			list(known, sizeof(known), in);
	}
	if (r->n)
		return 0;
	err_set(e, u->session ? ERR_FORMAT : ERR_USAGE, ERR_NO_OFF,
		u->session ? "the relay daemon has no such live session" :
			     "name a session after the host");
	return *known ? err_more(e, "its sessions: %s", known) :
			err_more(e, "it has no sessions: lttng create NAME --live");
}

struct relay *relay_open(const char *url, const volatile int *stop, struct err *e)
{
	struct relay *r = mem_zalloc(sizeof(*r));
	char host[256], service[32];
	struct url u = { 0 };
	int rc = split_url(url, &u, e);

	r->fd = -1;
	r->wait = (struct tcp_wait){ .ms = RELAY_WAIT_MS, .stop = stop, .quit = -1 };
	if (rc == 0)
		rc = tcp_name(u.daemon, RELAY_PORT, host, service, e);
	if (rc == 0)
		rc = r->fd = tcp_connect(host, service, &r->wait, e);
	if (rc < 0 && e->sys == ECONNREFUSED)
		err_set(e, ERR_SYS, ERR_NO_OFF,
			"%s: no relay daemon listens on port %s: lttng create NAME --live starts "
			"one for this machine, lttng-relayd for others",
			host, service);
	if (rc >= 0)
		tcp_keepalive(r->fd);
	if (rc >= 0 && (greet(r, e) < 0 || find_sessions(r, &u, e) < 0 || create(r, e) < 0))
		rc = -1;
	free(u.text);
	if (rc >= 0)
		return r;
	err_path(e, url);
	relay_close(r);
	return NULL;
}

void relay_close(struct relay *r)
{
	struct err e;
	uint8_t out[8], in[4];

	if (!r)
		return;
	for (unsigned i = 0; r->fd >= 0 && i < r->n; i++) {
		bytes_put(out, r->sessions[i], 8, true);
		if (ask(r, DETACH, out, sizeof(out), in, sizeof(in), &e) < 0)
			break;
	}
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}

/* ---- streams ---- */

static int take_streams(struct relay *r, uint32_t n, relay_take *take, void *arg, struct err *e)
{
	uint8_t in[STREAM_LEN];

	if (n > MAX_STREAMS)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the relay daemon sends %" PRIu32 " streams, more than %u", n,
			       MAX_STREAMS);
	for (uint32_t i = 0; i < n; i++) {
		struct relay_stream s;

		TRY(receive(r, in, sizeof(in), e));
		s = (struct relay_stream){ u64(in), u64(in + 8), u32(in + 16) != 0 };
		if (!take(arg, &s, e))
			return -1;
	}
	return 0;
}

int relay_attach(struct relay *r, relay_take *take, void *arg, struct err *e)
{
	for (unsigned i = 0; i < r->n; i++) {
		uint8_t out[ATTACH_LEN] = { 0 }, in[8];

		bytes_put(out, r->sessions[i], 8, true);
		bytes_put(out + 16, SEEK_BEGINNING, 4, true);
		TRY(ask(r, ATTACH, out, sizeof(out), in, sizeof(in), e));
		if (u32(in) != ATTACH_OK)
			return err_set(
				e, ERR_FORMAT, ERR_NO_OFF,
				"the relay daemon refuses the session (status %" PRIu32
				"): a session is read live by one viewer, and only if it was "
				"created so (lttng create NAME --live)",
				u32(in));
		TRY(take_streams(r, u32(in + 4), take, arg, e));
	}
	return 0;
}

int relay_new_streams(struct relay *r, relay_take *take, void *arg, bool *ended, struct err *e)
{
	unsigned over = 0;

	for (unsigned i = 0; i < r->n; i++) {
		uint8_t out[8], in[8];
		uint32_t status;

		bytes_put(out, r->sessions[i], 8, true);
		TRY(ask(r, GET_NEW_STREAMS, out, sizeof(out), in, sizeof(in), e));
		status = u32(in);
		over += status == STREAMS_HUP || status == STREAMS_ERR;
		if (status == STREAMS_OK)
			TRY(take_streams(r, u32(in + 4), take, arg, e));
	}
	*ended = over == r->n;
	return 0;
}

/* ---- data ---- */

static struct relay_news news_of(uint32_t flags)
{
	return (struct relay_news){ flags & NEW_METADATA, flags & NEW_STREAM };
}

int relay_index(struct relay *r, uint64_t id, struct relay_index *index, struct err *e)
{
	uint8_t out[8], in[INDEX_LEN];
	uint32_t status;

	bytes_put(out, id, 8, true);
	TRY(ask(r, GET_NEXT_INDEX, out, sizeof(out), in, sizeof(in), e));
	status = u32(in + 56);
	*index = (struct relay_index){
		.status = status >= RELAY_OK && status <= RELAY_EOF ? status : RELAY_ERR,
		.news = news_of(u32(in + 60)),
		.off = u64(in),
		.size = u64(in + 8) / 8,
		.end = u64(in + 32),
	};
	return 0;
}

int relay_packet(struct relay *r, uint64_t id, uint64_t off, uint64_t size, uint8_t **p,
		 struct relay_news *news, struct err *e)
{
	uint8_t out[20], in[PACKET_LEN];

	*p = NULL;
	if (size > RELAY_MAX_PACKET)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "a packet of %" PRIu64 " bytes, more than %u", size,
			       RELAY_MAX_PACKET);
	bytes_put(out, id, 8, true);
	bytes_put(out + 8, off, 8, true);
	bytes_put(out + 16, size, 4, true);
	TRY(ask(r, GET_PACKET, out, sizeof(out), in, sizeof(in), e));
	*news = news_of(u32(in + 8));
	if (u32(in) != 1) /* RETRY, ERR, EOF: one after the other */
		return u32(in) == 2 ? RELAY_RETRY : u32(in) == 4 ? RELAY_EOF : RELAY_ERR;
	if (u32(in + 4) != size)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the relay daemon sends %" PRIu32 " bytes of a packet of %" PRIu64,
			       u32(in + 4), size);
	*p = mem_alloc(size + 1);
	if (receive(r, *p, size, e) == 0)
		return RELAY_OK;
	free(*p);
	*p = NULL;
	return -1;
}

int relay_metadata(struct relay *r, uint64_t id, uint8_t **p, size_t *len, size_t most,
		   struct err *e)
{
	uint8_t out[8], in[METADATA_LEN];
	uint64_t n;

	bytes_put(out, id, 8, true);
	TRY(ask(r, GET_METADATA, out, sizeof(out), in, sizeof(in), e));
	n = u64(in);
	if (u32(in + 8) == METADATA_NONE || (u32(in + 8) == METADATA_OK && !n))
		return 0;
	if (u32(in + 8) != METADATA_OK)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "the relay daemon cannot read the metadata");
	if (n > most || *len > most - n)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the metadata have more than %zu bytes",
			       most);
	*p = mem_realloc(*p, *len + n + 1);
	TRY(receive(r, *p + *len, n, e));
	*len += n;
	return 1;
}
