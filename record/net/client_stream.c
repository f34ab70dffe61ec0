// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client_stream: sends a recording to a server of ours as a zed stream, on the connection that
 * exists.  The server acknowledges how much of it is stored, and says why it ends; so the client
 * knows what the server has of a recording, whatever happens to the link.
 */
#include "record/file/zedstream_write.h"
#include "record/net/client_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Has the server acknowledged more?  The number never decreases. */
bool client_hears(struct client *c, const struct wire_msg *m)
{
	uint64_t stored;

	if (c->one && m->command == WIRE_ZED_TIME && m->fixed_len >= 16) {
		client_time_heard(c, m);
		return true;
	}
	if (c->one && m->command == WIRE_ZED_PACE && m->fixed_len >= 4) {
		c->base.quiet_ns = bytes_u32(m->fixed, true) * 1000000ull;
		return true;
	}
	if (!c->one || m->command != WIRE_ZED_STORED || m->fixed_len < 8)
		return false;
	stored = bytes_u64(m->fixed, true);
	if (stored > c->stored && c->stream && stored <= zedstream_write_length(c->stream))
		c->stored = stored;
	return true;
}

int client_hear(struct client *c, struct err *e)
{
	struct wire_msg m;
	int rc;

	while ((rc = wire_take(&c->in, c->control, &m, e)) == 1) {
		if (client_is_why(&m))
			return client_say_why(c, &m, e);
		if (!client_hears(c, &m))
			return err_set(e, ERR_FORMAT, ERR_NO_OFF, "the server sent command %u",
				       m.command);
	}
	return rc;
}

static int look(struct client *c, struct err *e)
{
	uint64_t now = tcp_now();
	int rc;

	if (now - c->looked < CLIENT_LOOK_MS)
		return 0;
	c->looked = now;
	rc = client_hear(c, e);
	if (rc == WIRE_END)
		rc = err_set(e, ERR_SYS, ERR_NO_OFF, "the server ended the run (its log says why)");
	return rc;
}

/* That the consumer, a server, has gone is always an error. */
int client_answer(struct client *c, int rc, struct err *e)
{
	c->base.bytes = c->again.bytes + c->stream->bytes;
	c->base.own = c->again.own + c->stream->own;
	if (rc == 0)
		return 0;
	if (rc == OUTPUT_GONE)
		err_set(e, ERR_SYS, ERR_NO_OFF, "the server closed the connection");
	client_failed(c, e);
	zedstream_write_broken(c->stream);
	return client_again_leave(c, e) ? 0 : -1;
}

static int begin(struct output *o, const struct meta *m, struct err *e)
{
	struct client *c = (struct client *)o;

	c->stream->stop = o->stop;
	c->stream->notes = o->notes;
	TRY(client_answer(c, c->stream->ops->begin(c->stream, m, e), e));
	TRY(client_answer(c, client_time_begin(c, m->clock, e), e));
	client_again_begin(c, m);
	return 0;
}

/* The next sub-buffer in PIPE, into client_again_room().  1: there is none. */
static int take_page(struct client *c, int pipe, struct err *e)
{
	uint8_t *page = client_again_room(c);
	int left = 0;

	if (ioctl(pipe, FIONREAD, &left) < 0 || left < (int)c->page_size)
		return 1;
	for (size_t n = 0; n < c->page_size;) {
		ssize_t got = read(pipe, page + n, c->page_size - n);

		if (got == 0 || (got < 0 && errno != EINTR))
			return err_sys(e, ERR_NO_OFF, "cannot read pages out of the pipe");
		n += got > 0 ? (size_t)got : 0;
	}
	return 0;
}

/* What is left in PIPE is not sent, and so is lost: the kernel counts it as read. */
static int discard(struct client *c, int cpu, int pipe, struct err *e)
{
	int rc;

	while ((rc = take_page(c, pipe, e)) == 0)
		client_again_missed(c, cpu, client_again_room(c));
	return rc < 0 ? -1 : 0;
}

static int put_pipe(struct output *o, int cpu, int pipe, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;
	int rc;

	if (o->away)
		return discard(c, cpu, pipe, e);
	rc = look(c, e);
	if (rc == 0 && client_again_marks(c, cpu)) {
		rc = take_page(c, pipe, e);
		if (rc == 0)
			rc = client_again_page(c, cpu, client_again_room(c), c->page_size,
					       c->page_size, e);
		len -= c->page_size;
	}
	if (rc == 0 && len)
		rc = c->stream->ops->splice(c->stream, cpu, pipe, len, e);
	rc = client_answer(c, rc, e);
	return rc || !o->away ? rc : discard(c, cpu, pipe, e);
}

static int put_page(struct output *o, int cpu, const uint8_t *p, uint32_t used, uint32_t page_size,
		    struct err *e)
{
	struct client *c = (struct client *)o;
	int rc;

	rc = o->away ? 0 : look(c, e);
	if (o->away || rc) {
		rc = rc ? client_answer(c, rc, e) : 0;
		if (o->away)
			client_again_missed(c, cpu, p);
		return rc;
	}
	rc = client_again_marks(c, cpu) ?
		     client_again_page(c, cpu, p, used, page_size, e) :
		     c->stream->ops->page(c->stream, cpu, p, used, page_size, e);
	return client_answer(c, rc, e);
}

static int put_round(struct output *o, uint64_t watermark, const int *busy, unsigned n,
		     struct err *e)
{
	struct client *c = (struct client *)o;
	int rc;

	if (o->away)
		return 0;
	rc = look(c, e);
	if (rc == 0)
		rc = client_time_again(c, e);
	return client_answer(c, rc ? rc : c->stream->ops->round(c->stream, watermark, busy, n, e),
			     e);
}

static int put_comms(struct output *o, const char *text, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;

	/* All of them are given again. */
	return o->away ? 0 : client_answer(c, c->stream->ops->comms(c->stream, text, len, e), e);
}

static int put_names(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;

	return o->away ? 0 : client_answer(c, c->stream->ops->names(c->stream, p, len, e), e);
}

static int put_cgroups(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;

	return o->away ? 0 : client_answer(c, c->stream->ops->cgroups(c->stream, p, len, e), e);
}

static int put_maps(struct output *o, const uint8_t *p, size_t len, struct err *e)
{
	struct client *c = (struct client *)o;

	return o->away ? 0 : client_answer(c, c->stream->ops->maps(c->stream, p, len, e), e);
}

static int put_format(struct output *o, const char *system, const char *text, size_t len,
		      struct err *e)
{
	struct client *c = (struct client *)o;

	added_formats_add(&c->again.formats, system, text, len);
	if (o->away)
		return 0;
	return client_answer(c, c->stream->ops->format(c->stream, system, text, len, e), e);
}

/* Of this stream: what is lost between two of them is marked in the pages of the next. */
static int put_lost(struct output *o, int cpu, uint64_t lost, struct err *e)
{
	struct client *c = (struct client *)o;

	return o->away ? 0 : client_answer(c, c->stream->ops->lost(c->stream, cpu, lost, e), e);
}

/* The server answers the end of the stream once everything is stored, or says why not. */
static int hear_end(struct client *c, struct err *e)
{
	struct tcp_wait w = client_patience(c, CLIENT_END_MS);
	struct wire_msg m;

	for (;;) {
		TRY(wire_recv(&c->in, c->control, &m, &w, e));
		if (client_is_why(&m))
			return client_say_why(c, &m, e);
		if (m.command == WIRE_CLOSE)
			return 0;
		client_hears(c, &m);
	}
}

static int put_end(struct output *o, const struct output_end *end, struct err *e)
{
	struct client *c = (struct client *)o;
	struct output_end mine = *end;
	int rc;

	if (c->broken || o->away)
		return err_set(e, ERR_SYS, ERR_NO_OFF, "%s: the connection has failed", c->host);
	c->again.final = true;
	if (o->gaps) {
		mine.dropped += c->again.lost;
		mine.events = 0;
		for (unsigned i = 0; i < end->ncpus; i++)
			mine.events += end->read[i];
	}
	rc = c->stream->ops->end(c->stream, &mine, e);
	return client_answer(c, rc ? rc : hear_end(c, e), e);
}

/* Data in flight when a link breaks may have arrived or not: what was acknowledged counts. */
static int64_t found(struct output *o, int cpu)
{
	struct client *c = (struct client *)o;
	uint64_t earlier = 0;
	struct err none;
	int64_t now = 0;

	if (c->broken && c->stream)
		client_hear(c, &none);
	if (c->stream)
		now = c->stream->ops->found(c->stream, cpu);
	if (cpu >= 0 && (unsigned)cpu < c->ndata)
		earlier = c->again.cpus[cpu].found + c->again.cpus[cpu].part;
	return now < 0 ? now : now + (int64_t)earlier;
}

static void close_stream(struct output *o)
{
	struct client *c = (struct client *)o;

	if (c->stream)
		c->stream->ops->close(c->stream);
	c->stream = NULL;
	client_close(o);
}

static const struct output_ops stream_ops = {
	.begin = begin,
	.splice = put_pipe,
	.page = put_page,
	.round = put_round,
	.comms = put_comms,
	.names = put_names,
	.cgroups = put_cgroups,
	.maps = put_maps,
	.format = put_format,
	.lost = put_lost,
	.end = put_end,
	.next = client_again_next,
	.due = client_again_due,
	.found = found,
	.close = close_stream,
};

int client_stream_begin(struct client *c, struct err *e)
{
	c->stream = zedstream_write_new(c->control, e);
	if (!c->stream)
		return -1;
	zedstream_write_acked(c->stream, &c->stored, CLIENT_TAKE_MS * 1000000ull);
	if (c->packs)
		zedstream_write_pack(c->stream);
	c->base.ops = &stream_ops;
	return 0;
}
