// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * net_fuzz: what a server reads from a client that sends a zed stream on its connection: the
 * stream with its head.  An honest client says what comes before, and waits for the answers, as a
 * server takes nothing that overtakes them.  An output that looks at all that it is given stands
 * behind.
 */
#include "record/net/server/handshake.h"
#include "t/fuzz/fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define PAGE 512
#define CPUS 4
#define ANSWERS (8 + 3 + 2 + WIRE_HEAD + 20) /* up to RINIT: the banner, "V3", "OK", its bytes */

static int see_page(struct output *o, int cpu, const uint8_t *p, uint32_t used, uint32_t page_size,
		    struct err *e)
{
	struct drive d = { .sum = (uint64_t)cpu };

	drive_eat(&d, p, page_size);
	drive_eat(&d, p, used);
	return 0;
}

static int see_bytes(struct output *o, const char *text, size_t len, struct err *e)
{
	struct drive d = { .sum = 0 };

	drive_eat(&d, text, len);
	return 0;
}

static int see_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	return see_bytes(o, (const char *)p, len, e);
}

static int see_format(struct output *o, const char *system, const char *text, size_t len,
		      struct err *e)
{
	see_bytes(o, system, strlen(system), e);
	return see_bytes(o, text, len, e);
}

static int see_round(struct output *o, uint64_t watermark, const int *busy, unsigned n,
		     struct err *e)
{
	return see_bytes(o, (const char *)busy, n * sizeof(*busy), e);
}

static int see_end(struct output *o, const struct output_end *end, struct err *e)
{
	for (unsigned i = 0; i < end->ncpus; i++)
		if (end->stats[i])
			see_bytes(o, end->stats[i], strlen(end->stats[i]), e);
	return see_bytes(o, end->comms, end->comms_len, e);
}

static const struct output_ops see_ops = {
	.page = see_page,
	.comms = see_bytes,
	.names = see_names,
	.cgroups = see_names,
	.maps = see_names,
	.format = see_format,
	.round = see_round,
	.end = see_end,
};

static void say_nothing(void *arg, const char *line)
{
}

/* A client of ours up to its stream. */
static size_t greeting(uint8_t *buf)
{
	static const char options[] = "tcp\0zed\0zed-stream";
	uint8_t *p = buf;

	memcpy(p, WIRE_WANT_V3, 5);
	memcpy(p + 5, WIRE_MAGIC, 8);
	p += 13;
	bytes_put(p, WIRE_HEAD + 12 + sizeof(options), 4, true);
	bytes_put(p + 4, WIRE_TINIT, 4, true);
	bytes_put(p + 8, 12, 4, true);
	bytes_put(p + 12, CPUS, 4, true);
	bytes_put(p + 16, PAGE, 4, true);
	bytes_put(p + 20, 3, 4, true);
	memcpy(p + 24, options, sizeof(options));
	return (size_t)(p + 24 + sizeof(options) - buf);
}

struct client {
	int fd;
	const uint8_t *data;
	size_t size;
};

/* Its connection is shut by whom it talks to, in any case. */
static void *client_run(void *arg)
{
	const struct client *c = arg;
	uint8_t buf[4096];
	size_t n = greeting(buf);

	if (send(c->fd, buf, n, MSG_NOSIGNAL) == (ssize_t)n &&
	    recv(c->fd, buf, ANSWERS, MSG_WAITALL) == ANSWERS) {
		send(c->fd, c->data, c->size, MSG_NOSIGNAL);
		shutdown(c->fd, SHUT_WR);
		while (recv(c->fd, buf, sizeof(buf), 0) > 0)
			;
	}
	return NULL;
}

static void run(struct peer *peer, const struct serve_opts *o)
{
	struct pages_in_cpu cpus[CPUS] = { { 0 } };
	struct output out = { .ops = &see_ops };
	struct quota quota = { .ledger = o->ledger, .max_size = 4 << 20, .page_size = PAGE };
	struct pages_in_run r = { .control = o->control,
				  .lane = -1,
				  .reader = &peer->reader,
				  .out = &out,
				  .meta_check = &peer->meta_check,
				  .rounds = true,
				  .quota = &quota,
				  .place = &o->ledger->places[0],
				  .ncpus = peer->ncpus,
				  .page_size = peer->page_size,
				  .cpus = cpus,
				  .wait = { .quit = -1 } };
	struct err e;

	if (quota_begin(&quota, peer->meta_check.meta.len, CPUS, &e) == 0 &&
	    stream_in_run(peer->stream, &r, &e) == 0)
		stream_in_end(peer->stream, "", 0, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ledger *ledger;
	static int lock = -1;
	static const volatile int stop;
	struct server_opts server = { .stop = &stop, .say = say_nothing, .max_size = 4 << 20 };
	struct serve_opts o = { .server = &server, .from = "fuzz", .quit = -1, .dir = -1 };
	int room = 8 << 20, sv[2];
	struct client client = { .data = data, .size = size };
	pthread_t thread;
	struct peer peer;
	struct err e;

	if (!ledger) {
		ledger = ledger_new();
		lock = memfd_create("lock", 0);
	}
	memset(ledger, 0, sizeof(*ledger));
	o.ledger = ledger;
	o.lock = lock;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sv) < 0)
		return 0;
	setsockopt(sv[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	o.control = sv[0];
	client.fd = sv[1];
	if (fcntl(sv[0], F_SETFL, O_NONBLOCK) == 0 &&
	    pthread_create(&thread, NULL, client_run, &client) == 0) {
		if (handshake_run(&peer, &o, &e) == 0)
			run(&peer, &o);
		peer_fini(&peer);
		shutdown(sv[0], SHUT_RDWR);
		pthread_join(thread, NULL);
	}
	close(sv[0]);
	close(sv[1]);
	return 0;
}
