// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * serve: turns one client of the server - stock trace-cmd record -N -t, or zedtrace -h - into a
 * directory with a trace.dat, or into a zed stream.
 */
#include "serve.h"
#include "count.h"
#include "frames_write.h"
#include "inlets.h"
#include "reader/mem.h"
#include "spool.h"

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

#define MESSAGE_MS	5000	/* between two messages of the beginning, as stock has it */
#define BEGINNING_MS	120000	/* for all of them */
#define LIVE_FLUSH_MS	100	/* a client of ours: how often we want what it has ... */
#define FILE_FLUSH_MS	1000	/* ... where it goes to a file: what its death may cost */
#define LOCK_MS		60000
#define MAX_ODD		16	/* commands that make no sense */
#define MAX_SAME_SECOND 1000	/* directories of one address and second */

struct serve {
	const struct serve_opts *o;
	const struct server_opts *server;
	struct tcp_wait wait;
	struct wire_reader reader;
	unsigned ncpus;
	uint32_t page_size;
	struct inlets *inlets;
	int meta_fd;			/* a file without a name: metadata as sent */
	uint64_t meta_size;
	uint64_t deadline;		/* ms: the beginning must be over */
	struct remeta remeta;
	char dir[512], path[544];
	struct output *out;
};

void serve_say(const struct server_opts *o, const char *fmt, ...)
{
	char line[1500];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	err_plain(line);
	if (o->say)
		o->say(o->arg, line);
}

/* ---- the handshake ---- */

/* A string up to its NUL; what a client says first is short. */
static int recv_string(struct serve *s, char *buf, size_t size, struct err *e)
{
	uint64_t end = tcp_now() + MESSAGE_MS;

	for (size_t i = 0; i < size && tcp_now() <= end; i++) {
		ssize_t n = tcp_recv(s->o->control, buf + i, 1, &s->wait, e);

		if (n < 0)
			return -1;
		if (n == 0)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, i ?
				       "it hung up within the handshake" :
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
				       version[0] >= '0' && version[0] <= '9'
					       ? "it speaks version 1 of the protocol: send with "
						 "\"trace-cmd record -N HOST:PORT -t\" of 3.0 or "
						 "newer, or with "
						 "zedtrace -h"
					       : "it does not speak trace-cmd's protocol");
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
	n = tcp_recv(s->o->control, magic, 8, &s->wait, e);
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

/* TINIT: how many CPUs, what sub-buffers, by which way; RINIT answers with ports. */
static int start(struct serve *s, struct err *e)
{
	char ports[WIRE_DATA];
	uint8_t fixed[12];
	bool zed;
	struct wire_msg m;
	uint32_t len;

	TRY(wire_recv(&s->reader, s->o->control, &m, &s->wait, e));
	if (m.command != WIRE_TINIT || m.fixed_len < 8) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "command %u where TINIT should come", m.command);
		return refuse(s);
	}
	s->ncpus = bytes_u32(m.fixed, true);
	s->page_size = bytes_u32(m.fixed + 4, true);
	if (!s->ncpus || s->ncpus > WIRE_MAX_CPUS) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "%u CPUs: 1 to %u are possible", s->ncpus,
			WIRE_MAX_CPUS);
		return refuse(s);
	}
	if (s->page_size < 512 || s->page_size > 8u << 20 || s->page_size & (s->page_size - 1) ||
	    (uint64_t)s->ncpus * s->page_size > INLETS_MAX_MEMORY) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF,
			"%u CPUs with sub-buffers of %u bytes: powers of two from 512 to 8 MiB are "
			"possible, all together %u MiB",
			s->ncpus, s->page_size, INLETS_MAX_MEMORY >> 20);
		return refuse(s);
	}
	if (!has_option(&m, "tcp")) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF, "it wants to send by UDP, which loses pages: "
			"send with \"trace-cmd record -N HOST:PORT -t\"");
		return refuse(s);
	}
	zed = has_option(&m, "zed");
	s->inlets = inlets_new(s->o->control, s->ncpus, s->page_size, e);
	if (!s->inlets)
		return refuse(s);
	wire_put32(fixed, s->ncpus);
	wire_put32(fixed + 4, WIRE_ZED);
	wire_put32(fixed + 8, s->server->to_stdout ? LIVE_FLUSH_MS : FILE_FLUSH_MS);
	len = inlets_ports(s->inlets, ports);
	return wire_send(s->o->control, WIRE_RINIT, fixed, zed ? 12 : 4, ports, len, &s->wait, e);
}

/* ---- metadata ---- */

static const char *dir_of(const struct server_opts *o)
{
	return o->dir ? o->dir : ".";
}

static int open_nameless(struct serve *s, struct err *e)
{
	const char *dir = s->server->to_stdout ? getenv("TMPDIR") : dir_of(s->server);
	char name[600];

	snprintf(name, sizeof(name), "%.500s/.zed-metadata.XXXXXX", dir && *dir ? dir : "/tmp");
	s->meta_fd = mkostemp(name, O_CLOEXEC);
	if (s->meta_fd < 0)
		return err_sys(e, ERR_NO_OFF, "cannot make a file in %.300s", dir && *dir ? dir :
			       "/tmp");
	unlink(name);
	return 0;
}

static int keep(struct serve *s, const struct wire_msg *m, struct err *e)
{
	uint32_t done = 0;

	if (s->meta_size + m->data_len > REMETA_MAX ||
	    (s->server->max_size && s->meta_size + m->data_len > s->server->max_size))
		return err_set(e, ERR_FORMAT, ERR_NO_OFF,
			       "its metadata are longer than %" PRIu64 " bytes, which is the limit",
			       s->meta_size);
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
		TRY(wire_recv(&s->reader, s->o->control, &m, &s->wait, e));
		if (tcp_now() > s->deadline)
			return err_set(e, ERR_FORMAT, ERR_NO_OFF,
				       "its metadata take longer than %u seconds",
				       BEGINNING_MS / 1000);
		switch (m.command) {
		case WIRE_SEND_DATA:
			TRY(keep(s, &m, e));
			break;
		case WIRE_FIN_DATA:
			return 0;
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
	return rc;
}

/* ---- where it goes ---- */

/* DIR/ADDRESS-DATE-TIME, new; of the client only its address is in it, as we see it. */
static int make_dir(struct serve *s, struct err *e)
{
	char stamp[32], from[64];
	time_t now = time(NULL);
	struct tm tm;

	snprintf(from, sizeof(from), "%.60s", s->o->from);
	for (char *p = from; *p; p++)
		if (!strchr("0123456789abcdefABCDEF.:", *p))
			*p = '_';
	strftime(stamp, sizeof(stamp), "%Y-%m-%d-%H:%M:%S", localtime_r(&now, &tm));
	for (unsigned i = 1; i <= MAX_SAME_SECOND; i++) {
		char more[16] = "";

		if (i > 1)
			snprintf(more, sizeof(more), "-%u", i);
		snprintf(s->dir, sizeof(s->dir), "%.400s/%s-%s%s", dir_of(s->server), from, stamp,
			 more);
		if (mkdir(s->dir, 0777) == 0) {
			snprintf(s->path, sizeof(s->path), "%s/trace.dat", s->dir);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	err_sys(e, ERR_NO_OFF, "cannot make the directory %s", s->dir);
	s->dir[0] = '\0';
	return -1;
}

static int open_output(struct serve *s, struct err *e)
{
	struct spool_opts o = { .path = s->path, .codec = CODEC_NONE, .ncpus = s->ncpus,
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
	TRY(s->out->ops->begin(s->out, &s->remeta.meta, e));
	return s->out->ops->comms(s->out, s->remeta.comms, s->remeta.comms_len, e) < 0 ? -1 : 0;
}

/*
 * What of the limit is left for pages: metadata, and around the pages tables, strings and one
 * sub-buffer of padding a CPU.
 */
static int budget(const struct serve *s, uint64_t *bytes, struct err *e)
{
	uint64_t rest = s->remeta.meta.len + (s->ncpus + 2ull) * (s->page_size + 64ull) + 8192;

	*bytes = UINT64_MAX;
	if (!s->server->max_size)
		return 0;
	if (s->server->max_size < rest + s->page_size)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "its metadata and %u CPUs alone come near the limit of %" PRIu64
			       " KiB: start the server with a greater --max-size",
			       s->ncpus, s->server->max_size >> 10);
	*bytes = s->server->max_size - rest;
	return 0;
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

			*k = (struct count_cpu){ .cpu = i, .events = inlets_events(s->inlets, i),
						 .bytes = inlets_bytes(s->inlets, i) };
			c.bytes += k->bytes;
			c.ncpus += k->bytes > 0;
		}
		c.events = r->events;
		c.dropped = r->dropped;
	} else if (count_file(&c, s->path, s->server->notes, &e) < 0) {
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

static void say_end(struct serve *s, const struct inlets_run *r)
{
	const char *from = s->o->from;

	if (r->limited)
		serve_say(s->server, "server: %s: the limit of %" PRIu64 " KiB (--max-size) is "
			  "reached: what came later was not taken", from,
			  s->server->max_size >> 10);
	else if (r->stopped)
		serve_say(s->server, "server: %s: the server was stopped: what came is kept", from);
	else if (!r->closed && !r->gone)
		serve_say(s->server, "server: %s: ended too early (%s): what came is kept", from,
			  r->why ? r->why : "the connection closed");
	if (r->halves)
		serve_say(s->server, "server: %s: the last sub-buffer of %u CPUs is not whole: "
			  "left out", from, r->halves);
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
	struct inlets_run r = { .control = s->o->control, .reader = &s->reader,
				.remeta = &s->remeta, .rounds = s->server->to_stdout,
				.wait = s->wait };
	enum serve_end end = SERVE_FAILED;
	int rc;

	if (budget(s, &r.max_bytes, e) < 0)
		return SERVE_REFUSED;
	if (open_output(s, e) < 0)
		return SERVE_FAILED;
	r.out = s->out;
	rc = inlets_run(s->inlets, &r, e);
	say_end(s, &r);
	if (rc == 0 && (r.gone || end_output(s, &r, e) == 0)) {
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
	TRY(recv_metadata(s, e));
	if (parse_metadata(s, e) < 0)
		return err_within(e, "metadata");
	return 0;
}

enum serve_end serve_client(const struct serve_opts *o)
{
	struct serve s = { .o = o, .server = o->server, .meta_fd = -1,
			   .wait = { .ms = MESSAGE_MS, .stop = o->server->stop, .quit = o->quit },
			   .deadline = tcp_now() + BEGINNING_MS };
	enum serve_end end = SERVE_REFUSED;
	char text[1280];
	struct err e;

	tcp_keepalive(o->control);
	if (beginning(&s, &e) == 0)
		end = take_data(&s, &e);
	if (end == SERVE_REFUSED)
		serve_say(o->server, "server: %s: dropped: %s", o->from,
			  err_text(&e, text, sizeof(text)));
	else if (end == SERVE_FAILED)
		note_err(o->server->notes, NOTE_DAMAGE, &e);
	if (s.out)
		s.out->ops->close(s.out);
	if (s.inlets)
		inlets_free(s.inlets);
	if (s.meta_fd >= 0)
		close(s.meta_fd);
	remeta_fini(&s.remeta);
	if (*s.dir)
		rmdir(s.dir);	/* where nothing came of it; else it is not empty */
	return end;
}
