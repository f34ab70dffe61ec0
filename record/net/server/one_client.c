// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * one_client: serves one client, a stock trace-cmd record -N -t or a zedtrace -h, from its first
 * byte to its report: its recording becomes a trace.dat in a directory of its own, or a zed stream.
 */
#include "record/net/server/one_client.h"

#include "base/mem.h"
#include "base/plain.h"
#include "record/count.h"
#include "record/file/spool.h"
#include "record/file/zedstream_write.h"
#include "record/net/server/confine.h"
#include "record/net/server/quota.h"
#include "record/net/server/client_dir.h"
#include "record/net/server/handshake.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TELL_MS 1000	/* for the last message */
#define LET_END_MS 1000 /* for the client to receive it */

struct serve {
	const struct serve_opts *o;
	const struct server_opts *server;
	struct peer peer;
	struct quota quota;
	char name[LEDGER_NAME]; /* its directory in the server's */
	char path[512];		/* of its trace.dat, for messages */
	struct output *out;
	bool stopped; /* the server is asked to end */
};

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

static struct ledger_place *place_of(const struct serve *s)
{
	return &s->o->ledger->places[s->o->place];
}

/* The last message to a client of ours: WHY it ends, or NULL: everything has arrived. */
static void tell_client(struct serve *s, const char *why)
{
	struct tcp_wait w = { .ms = TELL_MS, .quit = -1 };
	size_t len = why ? strlen(why) : 0;
	uint8_t again[4];
	struct err e;

	/* A server that was stopped may be started again. */
	bytes_put(again, WIRE_COME_AGAIN, sizeof(again), true);
	if (s->peer.zed)
		wire_send(s->o->control, why ? WIRE_NOT_SUPP : WIRE_CLOSE, again,
			  why && s->stopped ? sizeof(again) : 0, why,
			  len < WIRE_MAX_WHY ? len : WIRE_MAX_WHY, &w, &e);
}

/* The client is told what is wrong with what it sent; errors of our own go to our log. */
static void tell_error(struct serve *s, const struct err *e)
{
	tell_client(s,
		    e->kind == ERR_SYS ? "the server cannot accept it (its log says why)" : e->msg);
}

/* ---- where it goes ---- */

/*
 * Our directory becomes the current one: whatever others do to its name, what is written stays in
 * it.
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
	return rc < 0 ? err_sys(e, ERR_NO_OFF, "cannot change to its directory") : 0;
}

static int open_output(struct serve *s, struct err *e)
{
	struct spool_opts o = { .path = "trace.dat",
				.shown = s->path,
				.codec = CODEC_NONE,
				.ncpus = s->peer.ncpus,
				.receives = true,
				.notes = s->server->notes };

	if (s->server->to_stdout) {
		s->out = zedstream_write_new(s->o->out, e);
	} else {
		TRY(make_dir(s, e));
		s->out = spool_new(&o, e);
	}
	if (!s->out)
		return -1;
	s->out->stop = s->server->stop;
	s->peer.meta_check.meta.watched = s->peer.watched;
	TRY(s->out->ops->begin(s->out, &s->peer.meta_check.meta, e));
	/* However long it continues, they are not needed any more. */
	free(s->peer.meta_check.meta.p);
	s->peer.meta_check.meta.p = NULL;
	TRY(s->out->ops->comms(s->out, s->peer.meta_check.comms, s->peer.meta_check.comms_len, e));
	return 0;
}

/* ---- the end ---- */

static void report(struct serve *s, const struct pages_in_run *r)
{
	struct count c = { 0 };
	char *text, *all;
	size_t size;
	struct err e;

	if (s->server->to_stdout) {
		c.cpus = mem_zalloc(s->peer.ncpus * sizeof(*c.cpus));
		for (unsigned i = 0; i < s->peer.ncpus; i++) {
			struct count_cpu *k = &c.cpus[c.ncpus];

			*k = (struct count_cpu){ .cpu = i,
						 .events = r->cpus[i].events,
						 .bytes = r->cpus[i].bytes };
			c.bytes += k->bytes;
			c.ncpus += k->bytes > 0;
		}
		c.events = r->events;
		c.dropped = r->dropped;
	} else if (count_file(&c, "trace.dat", s->server->notes, &e) < 0) {
		note_err(s->server->notes, NOTE_DAMAGE, &e);
		return;
	}
	/* The pages count most losses, the kernel counts all. */
	if (r->told.total || (s->peer.stream && s->peer.stream->take.ended)) {
		c.dropped = r->told.total ? r->told.dropped : s->peer.stream->take.end.dropped;
		c.gaps = 0;
	}
	text = count_text(&c, s->peer.ncpus <= 256 ? s->peer.ncpus : 0);
	size = strlen(text) + 64;
	all = mem_alloc(size);
	snprintf(all, size, "server: end of run for trace\n%s", text);
	if (s->server->say)
		s->server->say(s->server->arg, all);
	free(all);
	free(text);
	count_fini(&c);
}

/* Why it ended early: for our log, and for the client, at once. */
static void say_end(struct serve *s, const struct pages_in_run *r)
{
	const char *from = s->o->from;
	char why[WIRE_MAX_WHY] = "", size[32];

	if (s->quota.no_total)
		snprintf(why, sizeof(why),
			 "the limit of %s for all recordings (--max-total) is reached: later data "
			 "were discarded",
			 quota_text(s->o->ledger->max_total, size));
	else if (s->quota.limited)
		snprintf(why, sizeof(why),
			 "the limit of %s (--max-size) is reached: later data were discarded",
			 quota_text(s->server->max_size, size));
	else if (r->gone || s->o->ledger->unread)
		snprintf(why, sizeof(why), "the output of the server has no reader any more");
	else if (r->stopped)
		snprintf(why, sizeof(why), "the server was stopped: everything received is kept");
	else if (!r->closed)
		snprintf(why, sizeof(why), "ended too early (%s): everything received is kept",
			 r->why ? r->why : "the connection closed");
	s->stopped = r->stopped && !s->quota.limited && !r->gone && !s->o->ledger->unread;
	if (*why)
		tell_client(s, why);
	if (*why && !r->gone)
		serve_say(s->server, "server: %s: %s", from, why);
	if (r->halves)
		serve_say(s->server,
			  "server: %s: the last sub-buffer of %u CPU%s is incomplete: left out",
			  from, r->halves, plural(r->halves));
	if (s->peer.pages_in)
		pages_in_shut(s->peer.pages_in);
}

static int end_output(struct serve *s, const struct pages_in_run *r, struct err *e)
{
	const struct pages_in_told *t = &r->told;
	struct output_end end = {
		.comms = t->comms ? t->comms : s->peer.meta_check.comms,
		.comms_len = t->comms ? t->comms_len : s->peer.meta_check.comms_len,
		.stats = t->stats,
		.events = t->total ? t->events : r->events,
		.dropped = t->total ? t->dropped : r->dropped,
	};
	int cpus[WIRE_MAX_CPUS];

	/* The reader of the stream shall know that the client broke off. */
	if (s->server->to_stdout && !r->closed && !r->stopped)
		return zedstream_write_flush(s->out, e) < 0 ? -1 : 0;
	if (s->peer.stream)
		return stream_in_end(s->peer.stream, s->peer.meta_check.comms,
				     s->peer.meta_check.comms_len, e) < 0 ?
			       -1 :
			       0;
	for (unsigned i = 0; i < s->peer.ncpus; i++)
		cpus[i] = i;
	if (t->stats) {
		end.cpus = cpus;
		end.ncpus = s->peer.ncpus;
	}
	return s->out->ops->end(s->out, &end, e) < 0 ? -1 : 0;
}

static enum serve_end take_data(struct serve *s, struct err *e)
{
	struct pages_in_run r = { .control = s->o->control,
				  .reader = &s->peer.reader,
				  .meta_check = &s->peer.meta_check,
				  .lane = s->o->out,
				  .rounds = s->server->to_stdout,
				  .quota = &s->quota,
				  .place = place_of(s),
				  .idle_ms = s->server->idle_ms,
				  .ncpus = s->peer.ncpus,
				  .page_size = s->peer.page_size,
				  .wait = { .stop = s->server->stop, .quit = s->o->quit } };
	enum serve_end end = SERVE_FAILED;
	int rc;

	s->quota = (struct quota){ .ledger = s->o->ledger,
				   .place = s->o->place,
				   .max_size = s->server->max_size,
				   .page_size = s->peer.page_size };
	if (quota_begin(&s->quota, s->peer.meta_check.meta.len + s->peer.meta_check.comms_len,
			s->peer.ncpus, e) < 0)
		return SERVE_REFUSED;
	if (open_output(s, e) < 0)
		return SERVE_FAILED;
	r.out = s->out;
	r.cpus = mem_zalloc((s->peer.ncpus + 1) * sizeof(*r.cpus));
	confine_run();
	rc = s->peer.stream ? stream_in_run(s->peer.stream, &r, e) :
			      pages_in_run(s->peer.pages_in, &r, e);
	if (rc == 0)
		say_end(s, &r);
	confine_end(s->out->bytes);
	if (rc == 0 && (r.gone || end_output(s, &r, e) == 0)) {
		if (r.closed && !s->quota.limited && !s->o->ledger->unread)
			tell_client(s, NULL);
		report(s, &r);
		end = SERVE_DONE;
	}
	pages_in_told_fini(&r.told, s->peer.ncpus);
	free(r.cpus);
	return end;
}

/*
 * Discard what still comes, for a moment: closing a connection with unread bytes sends a reset,
 * which may overtake our last message.
 */
static void let_end(const struct serve *s)
{
	uint64_t end = tcp_now() + LET_END_MS, now;
	char rest[16384];

	if (!s->peer.one || shutdown(s->o->control, SHUT_WR) < 0)
		return;
	while ((now = tcp_now()) < end) {
		struct pollfd p = { .fd = s->o->control, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, (int)(end - now)) <= 0)
			return;
		n = recv(s->o->control, rest, sizeof(rest), MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return;
	}
}

enum serve_end serve_client(const struct serve_opts *o)
{
	struct serve s = { .o = o, .server = o->server };
	enum serve_end end = SERVE_REFUSED;
	char text[1280];
	struct err e;

	confine_begin();
	tcp_keepalive(o->control);
	if (handshake_run(&s.peer, o, &e) == 0)
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
	let_end(&s);
	peer_fini(&s.peer);
	if (*s.name) /* if nothing was recorded; else it is not empty */
		unlinkat(o->dir, s.name, AT_REMOVEDIR);
	return end;
}
