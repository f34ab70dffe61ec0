// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * server_client: turns one client of the server - stock trace-cmd record -N -t, or zedtrace -h -
 * into a directory with a trace.dat, or into a zed stream.
 */
#include "record/net/server_client.h"

#include "base/mem.h"
#include "base/plain.h"
#include "record/count.h"
#include "record/file/spool.h"
#include "record/file/zedstream_write.h"
#include "record/net/confine.h"
#include "record/net/pages_in.h"
#include "record/net/server_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_MS 5000	    /* between two messages of the beginning, as stock has it */
#define HANDSHAKE_MS 15000  /* for the handshake, however it comes */
#define BEGINNING_MS 120000 /* for the handshake and the metadata */
#define LIVE_FLUSH_MS 100   /* a client of ours: how often we want what it has ... */
#define FILE_FLUSH_MS 1000  /* ... where it goes to a file: what its death may cost */
#define LOCK_MS 60000
#define MAX_ODD 16	 /* commands that make no sense */
#define GRANT (1u << 20) /* bytes of the total that are asked for at a time */
#define SPEAK_MS 60000	 /* how often a client of ours says that it lives: at most */
#define MIN_SPEAK_MS 1000
#define TELL_MS 1000 /* for a last word */

struct serve {
	const struct serve_opts *o;
	const struct server_opts *server;
	struct tcp_wait wait;
	struct wire_reader reader;
	unsigned ncpus;
	uint32_t page_size;
	struct inlets *inlets;
	int meta_fd; /* a file without a name: metadata as sent */
	uint64_t meta_size;
	uint64_t begun, deadline; /* ms: by then the handshake, the metadata must be over */
	struct remeta remeta;
	bool zed;		/* a client of ours */
	bool watched;		/* it tells names with their times */
	uint64_t left;		/* bytes that it may still have, as far as it goes */
	bool no_total;		/* others have the rest of what all may have together */
	char name[LEDGER_NAME]; /* its directory in the server's */
	char path[512];		/* of its trace.dat, for messages */
	struct output *out;
};

const char *serve_size(uint64_t bytes, char buf[32])
{
	static const char *const units[] = { "KiB", "MiB", "GiB" };
	unsigned unit = 0;

	for (bytes >>= 10; unit < 2 && bytes && !(bytes & 1023); unit++)
		bytes >>= 10;
	snprintf(buf, 32, "%" PRIu64 " %s", bytes, units[unit]);
	return buf;
}

void serve_say(const struct server_opts *o, const char *fmt, ...)
{
	char text[1500], line[2 * sizeof(text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	plain_text(line, sizeof(line), text);
	if (o->say)
		o->say(o->arg, line);
}

/* ---- how long it may take ---- */

static struct ledger_place *place_of(const struct serve *s)
{
	return &s->o->ledger->places[s->o->place];
}

/* The next wait ends with what it is part of, at the latest. */
static int hurry(struct serve *s, struct err *e)
{
	uint64_t now = tcp_now();

	if (now >= s->deadline)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its beginning takes longer than %" PRIu64 " seconds",
			       (s->deadline - s->begun) / 1000);
	s->wait.ms = s->deadline - now < MESSAGE_MS ? s->deadline - now : MESSAGE_MS;
	return 0;
}

/* LEN bytes at most, as tcp_recv(). */
static ssize_t recv_bytes(struct serve *s, void *p, size_t len, struct err *e)
{
	ssize_t n;

	TRY(hurry(s, e));
	n = tcp_recv(s->o->control, p, len, &s->wait, e);
	return n < 0 && tcp_now() >= s->deadline ? hurry(s, e) : n;
}

static int recv_message(struct serve *s, struct wire_msg *m, struct err *e)
{
	TRY(hurry(s, e));
	if (wire_recv(&s->reader, s->o->control, m, &s->wait, e) < 0)
		return tcp_now() >= s->deadline ? hurry(s, e) : -1;
	place_of(s)->heard = tcp_now();
	return 0;
}

/* ---- the handshake ---- */

/* A string up to its NUL; what a client says first is short. */
static int recv_string(struct serve *s, char *buf, size_t size, struct err *e)
{
	uint64_t end = tcp_now() + MESSAGE_MS;

	for (size_t i = 0; i < size && tcp_now() <= end; i++) {
		ssize_t n = recv_bytes(s, buf + i, 1, e);

		if (n < 0)
			return -1;
		if (n == 0)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       i ? "it hung up within the handshake" :
					   "it hung up before it said anything");
		if (!buf[i])
			return 0;
	}
	return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it does not speak trace-cmd's protocol");
}

static int handshake(struct serve *s, struct err *e)
{
	char version[16], last[16] = "", magic[8];
	ssize_t n;

	TRY(tcp_send(s->o->control, WIRE_BANNER, 8, &s->wait, e));
	for (;;) {
		TRY(recv_string(s, version, sizeof(version), e));
		if (strncmp(version, "-1V", 3))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       version[0] >= '0' && version[0] <= '9' ?
					       "it speaks version 1 of the protocol: send with "
					       "\"trace-cmd record -N HOST:PORT -t\" of 3.0 or "
					       "newer, or with "
					       "zedtrace -h" :
					       "it does not speak trace-cmd's protocol");
		if (!strcmp(version, last))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "it insists on version %.8s of the protocol, and only V3 is "
				       "spoken here",
				       version + 2);
		TRY(tcp_send(s->o->control, WIRE_V3, 3, &s->wait, e));
		if (!strcmp(version, WIRE_WANT_V3))
			break;
		memcpy(last, version, sizeof(last));
	}
	n = recv_bytes(s, magic, 8, e);
	if (n < 0)
		return -1;
	if (n != 8 || memcmp(magic, WIRE_MAGIC, 8))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "it broke off the handshake");
	return tcp_send(s->o->control, WIRE_OK, 2, &s->wait, e);
}

static int refuse(struct serve *s)
{
	struct err e;

	wire_send(s->o->control, WIRE_NOT_SUPP, NULL, 0, NULL, 0, &s->wait, &e);
	return -1;
}

/* The last word to a client of ours: WHY it ends, or NULL: all has arrived. */
static void tell_client(struct serve *s, const char *why)
{
	struct tcp_wait w = { .ms = TELL_MS, .quit = -1 };
	size_t len = why ? strlen(why) : 0;
	struct err e;

	if (s->zed)
		wire_send(s->o->control, why ? WIRE_NOT_SUPP : WIRE_CLOSE, NULL, 0, why,
			  len < WIRE_MAX_WHY ? len : WIRE_MAX_WHY, &w, &e);
}

/* The client learns what is wrong with what it sent; what is wrong with us is for our log. */
static void tell_error(struct serve *s, const struct err *e)
{
	tell_client(s,
		    e->kind == ERR_SYS ? "the server cannot take it (its log says why)" : e->msg);
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

/* How much a client asks for, and whether that is too much. */
static int check_size(struct serve *s, struct err *e)
{
	unsigned max = s->server->max_cpus;

	if (!max || max > WIRE_MAX_CPUS)
		max = WIRE_MAX_CPUS;
	if (!s->ncpus || s->ncpus > max)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "%u CPUs: 1 to %u are possible%s",
			       s->ncpus, max, max < WIRE_MAX_CPUS ? " (--max-cpus)" : "");
	if (s->page_size < 512 || s->page_size > 8u << 20 || s->page_size & (s->page_size - 1) ||
	    (uint64_t)s->ncpus * s->page_size > INLETS_MAX_MEMORY)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%u CPU%s with sub-buffers of %u byte%s: powers of two from 512 "
			       "to 8 MiB are possible, all together %u MiB",
			       s->ncpus, plural(s->ncpus), s->page_size, plural(s->page_size),
			       INLETS_MAX_MEMORY >> 20);
	if (!ledger_take_ports(s->o->ledger, s->o->place, s->ncpus, SERVER_HOST_CPUS * max,
			       SERVER_ALL_CPUS * max))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "%u CPU%s: with those of the clients that are there these are more "
			       "than %u of one machine, or %u of all (--max-cpus)",
			       s->ncpus, plural(s->ncpus), SERVER_HOST_CPUS * max,
			       SERVER_ALL_CPUS * max);
	return 0;
}

/* A client of ours that is heard so often is never taken for one that is silent. */
static uint32_t speak_ms(const struct server_opts *o)
{
	uint64_t ms = o->idle_ms ? o->idle_ms / 400 : SPEAK_MS;

	return ms < MIN_SPEAK_MS ? MIN_SPEAK_MS : ms > SPEAK_MS ? SPEAK_MS : ms;
}

static int start_with(struct serve *s, const struct wire_msg *m, struct err *e)
{
	if (m->command != WIRE_TINIT || m->fixed_len < 8)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF, "command %u where TINIT should come",
			       m->command);
	s->ncpus = bytes_u32(m->fixed, true);
	s->page_size = bytes_u32(m->fixed + 4, true);
	s->zed = has_option(m, "zed");
	TRY(check_size(s, e));
	if (!has_option(m, "tcp"))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "it wants to send by UDP, which loses "
			       "pages: send with \"trace-cmd record -N HOST:PORT -t\"");
	s->inlets = inlets_new(s->o->control, s->ncpus, s->page_size, e);
	return s->inlets ? 0 : -1;
}

/* TINIT: how many CPUs, what sub-buffers, by which way; RINIT answers with ports. */
static int start(struct serve *s, struct err *e)
{
	char ports[WIRE_DATA];
	uint8_t fixed[20];
	struct wire_msg m;
	uint32_t len;

	TRY(recv_message(s, &m, e));
	if (start_with(s, &m, e) < 0)
		return s->zed ? -1 : refuse(s);
	wire_put32(fixed, s->ncpus);
	wire_put32(fixed + 4, WIRE_ZED);
	wire_put32(fixed + 8, s->server->to_stdout ? LIVE_FLUSH_MS : FILE_FLUSH_MS);
	wire_put32(fixed + 12, speak_ms(s->server));
	wire_put32(fixed + 16, WIRE_TAKES_NAMES);
	len = inlets_ports(s->inlets, ports);
	return wire_send(s->o->control, WIRE_RINIT, fixed, s->zed ? sizeof(fixed) : 4, ports, len,
			 &s->wait, e);
}

/* ---- metadata ---- */

/* Where the recording goes; a stream's in the directory for what is of no worth. */
static int open_nameless(struct serve *s, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	int dir = s->o->dir;

	if (!tmp || !*tmp)
		tmp = "/tmp";
	if (dir < 0)
		dir = open(tmp, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, ERR_NO_OFF, "cannot open %.300s", tmp);
	s->meta_fd = servedir_nameless(dir, e);
	if (dir != s->o->dir)
		close(dir);
	return s->meta_fd < 0 ? -1 : 0;
}

static int no_total(const struct serve *s, struct err *e)
{
	char size[32];

	return err_set(e, ERR_USAGE, ERR_NO_OFF,
		       "recordings fill the %s that they may have "
		       "together (--max-total)",
		       serve_size(s->o->ledger->max_total, size));
}

static int keep(struct serve *s, const struct wire_msg *m, struct err *e)
{
	uint64_t max = s->server->max_size;
	uint32_t done = 0;
	char size[32];

	if (!max || max > REMETA_MAX)
		max = REMETA_MAX;
	if (s->meta_size + m->data_len > max)
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its metadata are longer than %s, which is the limit%s",
			       serve_size(max, size), max < REMETA_MAX ? " (--max-size)" : "");
	if (!ledger_take(s->o->ledger, s->o->place, m->data_len))
		return no_total(s, e);
	while (done < m->data_len) {
		ssize_t n = write(s->meta_fd, m->data + done, m->data_len - done);

		if (n < 0 && errno != EINTR)
			return err_sys(e, ERR_NO_OFF, "cannot keep its metadata");
		done += n > 0 ? n : 0;
	}
	s->meta_size += m->data_len;
	return 0;
}

static int recv_metadata(struct serve *s, struct err *e)
{
	unsigned odd = 0;
	struct wire_msg m;

	TRY(open_nameless(s, e));
	for (;;) {
		TRY(recv_message(s, &m, e));
		switch (m.command) {
		case WIRE_SEND_DATA:
			TRY(keep(s, &m, e));
			break;
		case WIRE_FIN_DATA:
			return 0;
		case WIRE_ZED_NAMES:
			s->watched = s->zed;
			break;
		case WIRE_CLOSE:
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "it ended before its metadata did");
		default:
			if (++odd > MAX_ODD)
				return err_set(e, ERR_FORMAT, ERR_NO_OFF,
					       "it sends commands that make no sense");
			refuse(s);
		}
	}
}

/* One client's process at a time unpacks metadata, so that many cannot fill the memory together. */
static int parse_metadata(struct serve *s, struct err *e)
{
	struct timespec nap = { .tv_nsec = 20000000 };
	struct flock l = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	uint64_t end = tcp_now() + LOCK_MS;
	char name[80];
	int rc;

	while (fcntl(s->o->lock, F_SETLK, &l) < 0) {
		if (tcp_now() > end || tcp_stopped(&s->wait))
			return err_set(e, ERR_SYS, ERR_NO_OFF, "too many clients at once");
		nanosleep(&nap, NULL);
	}
	snprintf(name, sizeof(name), "%.60s: metadata", s->o->from);
	rc = remeta_read(&s->remeta, s->meta_fd, name, s->page_size, s->server->notes, e);
	l.l_type = F_UNLCK;
	fcntl(s->o->lock, F_SETLK, &l);
	close(s->meta_fd);
	s->meta_fd = -1;
	ledger_give(s->o->ledger, s->o->place, s->meta_size);
	return rc;
}

/* ---- where it goes ---- */

/*
 * Our directory becomes the current one: whatever others make of its name, what is written stays
 * in it.
 */
static int make_dir(struct serve *s, struct err *e)
{
	int fd = servedir_make(s->o->dir, s->o->from, s->name, e), rc;

	if (fd < 0)
		return -1;
	snprintf(place_of(s)->dir, LEDGER_NAME, "%s", s->name);
	snprintf(s->path, sizeof(s->path), "%.400s/%s/trace.dat",
		 s->server->dir ? s->server->dir : ".", s->name);
	rc = fchdir(fd);
	close(fd);
	return rc < 0 ? err_sys(e, ERR_NO_OFF, "cannot go to its directory") : 0;
}

static int open_output(struct serve *s, struct err *e)
{
	struct spool_opts o = { .path = "trace.dat",
				.shown = s->path,
				.codec = CODEC_NONE,
				.ncpus = s->ncpus,
				.notes = s->server->notes };

	if (s->server->to_stdout) {
		s->out = frames_write_new(STDOUT_FILENO, e);
	} else {
		TRY(make_dir(s, e));
		s->out = spool_new(&o, e);
	}
	if (!s->out)
		return -1;
	s->out->stop = s->server->stop;
	s->remeta.meta.watched = s->watched;
	TRY(s->out->ops->begin(s->out, &s->remeta.meta, e));
	/* However long it goes on, they are of no more use. */
	free(s->remeta.meta.p);
	s->remeta.meta.p = NULL;
	return s->out->ops->comms(s->out, s->remeta.comms, s->remeta.comms_len, e) < 0 ? -1 : 0;
}

/*
 * What of the limits is left for pages: metadata, and around the pages tables, strings and one
 * sub-buffer of padding a CPU.
 */
static int budget(struct serve *s, struct err *e)
{
	uint64_t rest = s->remeta.meta.len + s->remeta.comms_len +
			(s->ncpus + 2ull) * (s->page_size + 64ull) + 8192;
	char size[32];

	s->left = UINT64_MAX;
	if (!ledger_take(s->o->ledger, s->o->place, rest))
		return no_total(s, e);
	if (!s->server->max_size)
		return 0;
	if (s->server->max_size < rest + s->page_size)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "its metadata and %u CPU%s alone come near the limit of %s: start "
			       "the server with a greater --max-size",
			       s->ncpus, plural(s->ncpus), serve_size(s->server->max_size, size));
	s->left = s->server->max_size - rest;
	return 0;
}

/* So many bytes more, of its own limit and of that of all. */
static uint64_t more_bytes(void *arg)
{
	struct serve *s = arg;
	uint64_t want = s->page_size > GRANT ? s->page_size : GRANT;

	if (want > s->left)
		want = s->left;
	if (want < s->page_size)
		return 0;
	if (!ledger_take(s->o->ledger, s->o->place, want)) {
		want = s->page_size; /* the last of it */
		s->no_total = !ledger_take(s->o->ledger, s->o->place, want);
		if (s->no_total)
			return 0;
	}
	if (s->left != UINT64_MAX)
		s->left -= want;
	return want;
}

/* ---- the end ---- */

static void report(struct serve *s, const struct inlets_run *r)
{
	struct count c = { 0 };
	char *text, *all;
	size_t size;
	struct err e;

	if (s->server->to_stdout) {
		c.cpus = mem_zalloc(s->ncpus * sizeof(*c.cpus));
		for (unsigned i = 0; i < s->ncpus; i++) {
			struct count_cpu *k = &c.cpus[c.ncpus];

			*k = (struct count_cpu){ .cpu = i,
						 .events = inlets_events(s->inlets, i),
						 .bytes = inlets_bytes(s->inlets, i) };
			c.bytes += k->bytes;
			c.ncpus += k->bytes > 0;
		}
		c.events = r->events;
		c.dropped = r->dropped;
	} else if (count_file(&c, "trace.dat", s->server->notes, &e) < 0) {
		note_err(s->server->notes, NOTE_DAMAGE, &e);
		return;
	}
	/* The pages tell of most losses, the kernel of all. */
	if (r->told.total)
		c.dropped = r->told.dropped;
	text = count_text(&c, s->ncpus <= 256 ? s->ncpus : 0);
	size = strlen(text) + 64;
	all = mem_alloc(size);
	snprintf(all, size, "server: end of run for trace\n%s", text);
	if (s->server->say)
		s->server->say(s->server->arg, all);
	free(all);
	free(text);
	count_fini(&c);
}

/* Why it ended before its end: for our log, and for the client, at once. */
static void say_end(struct serve *s, const struct inlets_run *r)
{
	const char *from = s->o->from;
	char why[WIRE_MAX_WHY] = "", size[32];

	if (r->limited && s->no_total)
		snprintf(why, sizeof(why),
			 "the limit of %s for all recordings (--max-total) is "
			 "reached: what came later was not taken",
			 serve_size(s->o->ledger->max_total, size));
	else if (r->limited)
		snprintf(why, sizeof(why),
			 "the limit of %s (--max-size) is reached: what came "
			 "later was not taken",
			 serve_size(s->server->max_size, size));
	else if (r->gone)
		snprintf(why, sizeof(why), "nobody reads its stream any more");
	else if (r->stopped)
		snprintf(why, sizeof(why), "the server was stopped: what came is kept");
	else if (!r->closed)
		snprintf(why, sizeof(why), "ended too early (%s): what came is kept",
			 r->why ? r->why : "the connection closed");
	if (*why)
		tell_client(s, why);
	if (*why && !r->gone)
		serve_say(s->server, "server: %s: %s", from, why);
	if (r->halves)
		serve_say(s->server,
			  "server: %s: the last sub-buffer of %u CPU%s is not whole: "
			  "left out",
			  from, r->halves, plural(r->halves));
	inlets_shut(s->inlets);
}

static int end_output(struct serve *s, const struct inlets_run *r, struct err *e)
{
	const struct inlets_told *t = &r->told;
	struct output_end end = {
		.comms = t->comms ? t->comms : s->remeta.comms,
		.comms_len = t->comms ? t->comms_len : s->remeta.comms_len,
		.stats = t->stats,
		.events = t->total ? t->events : r->events,
		.dropped = t->total ? t->dropped : r->dropped,
	};
	int cpus[WIRE_MAX_CPUS];

	for (unsigned i = 0; i < s->ncpus; i++)
		cpus[i] = i;
	if (t->stats) {
		end.cpus = cpus;
		end.ncpus = s->ncpus;
	}
	return s->out->ops->end(s->out, &end, e) < 0 ? -1 : 0;
}

static enum serve_end take_data(struct serve *s, struct err *e)
{
	struct inlets_run r = { .control = s->o->control,
				.reader = &s->reader,
				.remeta = &s->remeta,
				.rounds = s->server->to_stdout,
				.more = more_bytes,
				.arg = s,
				.place = place_of(s),
				.idle_ms = s->server->idle_ms,
				.wait = s->wait };
	enum serve_end end = SERVE_FAILED;
	int rc;

	if (budget(s, e) < 0)
		return SERVE_REFUSED;
	if (open_output(s, e) < 0)
		return SERVE_FAILED;
	r.out = s->out;
	confine_run();
	rc = inlets_run(s->inlets, &r, e);
	if (rc == 0)
		say_end(s, &r);
	confine_end(s->out->bytes);
	if (rc == 0 && (r.gone || end_output(s, &r, e) == 0)) {
		if (r.closed && !r.limited)
			tell_client(s, NULL);
		report(s, &r);
		end = SERVE_DONE;
	}
	inlets_told_fini(&r.told, s->ncpus);
	return end;
}

static int beginning(struct serve *s, struct err *e)
{
	TRY(handshake(s, e));
	TRY(start(s, e));
	s->deadline = s->begun + BEGINNING_MS;
	TRY(recv_metadata(s, e));
	if (parse_metadata(s, e) < 0)
		return err_within(e, "metadata");
	s->wait.ms = MESSAGE_MS;
	return 0;
}

enum serve_end serve_client(const struct serve_opts *o)
{
	struct serve s = { .o = o,
			   .server = o->server,
			   .meta_fd = -1,
			   .wait = { .ms = MESSAGE_MS, .stop = o->server->stop, .quit = o->quit },
			   .begun = tcp_now() };
	enum serve_end end = SERVE_REFUSED;
	char text[1280];
	struct err e;

	confine_begin();
	s.deadline = s.begun + HANDSHAKE_MS;
	tcp_keepalive(o->control);
	if (beginning(&s, &e) == 0)
		end = take_data(&s, &e);
	if (end == SERVE_REFUSED)
		serve_say(o->server, "server: %s: dropped: %s", o->from,
			  err_text(&e, text, sizeof(text)));
	else if (end == SERVE_FAILED)
		note_err(o->server->notes, NOTE_DAMAGE, &e);
	if (end != SERVE_DONE)
		tell_error(&s, &e);
	if (end == SERVE_REFUSED)
		ledger_give(o->ledger, o->place, place_of(&s)->bytes);
	if (s.out)
		s.out->ops->close(s.out);
	if (s.inlets)
		inlets_free(s.inlets);
	if (s.meta_fd >= 0)
		close(s.meta_fd);
	remeta_fini(&s.remeta);
	if (*s.name) /* where nothing came of it; else it is not empty */
		unlinkat(o->dir, s.name, AT_REMOVEDIR);
	return end;
}
