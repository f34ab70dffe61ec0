// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * client_again: what happens when the connection of a client breaks: it connects again, with
 * growing pauses, and begins another stream.  Meanwhile nothing is taken out of the kernel's
 * buffers, so what they overwrite is counted in its place.  What was on its way when the connection
 * broke is marked in the next sub-buffer of its CPU as the kernel marks its own losses.
 */
#include "base/mem.h"
#include "record/file/zedstream_write.h"
#include "record/net/client_priv.h"
#include "ring/loss_mark.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_PAUSE_MS 1000
#define MOST_PAUSE_MS 30000
#define LAST_TRIES 3 /* after the recording has ended ... */
#define LAST_PAUSE_MS 500

/* ---- its state ---- */

void client_again_init(struct client *c, const struct client_opts *o)
{
	c->again.opts = *o;
	c->again.pause = FIRST_PAUSE_MS;
	c->again.cpus = mem_zalloc((c->ndata + 1) * sizeof(*c->again.cpus));
}

void client_again_begin(struct client *c, const struct meta *m)
{
	struct client_again *a = &c->again;

	if (!a->opts.again_ms)
		return;
	a->meta = *m;
	a->meta.p = mem_alloc(m->len + 1);
	memcpy(a->meta.p, m->p, m->len);
	a->meta.clock = a->clock = mem_strdup(m->clock);
	a->page = mem_alloc(m->page_size);
	a->connected = tcp_now();
}

void client_again_fini(struct client *c)
{
	struct client_again *a = &c->again;

	free(a->cpus);
	free(a->meta.p);
	free(a->clock);
	free(a->page);
	added_formats_fini(&a->formats);
}

/* ---- away ---- */

/* A fleet whose server has started again shall not come all at once. */
static uint64_t pause_of(const struct client_again *a)
{
	return (uint64_t)a->pause * (75 + (unsigned)getpid() % 51) / 100;
}

static void plan_next(struct client_again *a)
{
	a->next = tcp_now() + pause_of(a);
	a->pause = a->pause * 2 < MOST_PAUSE_MS ? a->pause * 2 : MOST_PAUSE_MS;
}

/* "10 min" */
static const char *span_text(uint64_t ms, char buf[32])
{
	if (ms == UINT64_MAX)
		return "as long as it takes";
	snprintf(buf, 32, ms % 60000 ? "%" PRIu64 " s" : "%" PRIu64 " min",
		 ms % 60000 ? ms / 1000 : ms / 60000);
	return buf;
}

/* The stream has ended here: what the server has of it is known. */
static void close_stream(struct client *c)
{
	struct client_again *a = &c->again;
	struct err none;

	client_hear(c, &none);
	for (unsigned i = 0; i < c->ndata; i++) {
		int64_t n = c->stream->ops->found(c->stream, (int)i);

		a->cpus[i].part += n > 0 ? (uint64_t)n : 0;
		a->cpus[i].lost += zedstream_write_missed(c->stream, (int)i);
	}
	a->bytes += c->stream->bytes;
	a->own += c->stream->own;
	c->stream->ops->close(c->stream);
	c->stream = NULL;
	close(c->control);
	c->control = -1;
}

bool client_again_leave(struct client *c, const struct err *why)
{
	struct client_again *a = &c->again;
	char text[1280], span[32];

	if (!a->page || c->again.final)
		return false;
	a->why = *why;
	close_stream(c);
	if (!a->since) {
		a->since = tcp_now();
		if (a->since - a->connected > MOST_PAUSE_MS)
			a->pause = FIRST_PAUSE_MS;
		note_say(c->base.notes, NOTE_WARN,
			 "%s: connecting again, for %s; meanwhile events stay in the kernel's "
			 "buffers, which keep the newest",
			 err_text(why, text, sizeof(text)), span_text(a->opts.again_ms, span));
	}
	plan_next(a);
	c->base.away = c->base.gaps = true;
	return true;
}

/* One try. */
static int connect_again(struct client *c)
{
	c->in = (struct wire_reader){ 0 };
	c->broken = false;
	c->stored = c->clock.asked = c->looked = c->clock.next = 0;
	TRY(client_connect(c, &c->again.opts, &c->again.why));
	if (c->one)
		return 0;
	c->again.final = true;
	return err_set(&c->again.why, ERR_FORMAT, ERR_NO_OFF,
		       "%s: another server than before, which takes no stream", c->host);
}

bool client_again_due(struct output *o, uint64_t time)
{
	struct client *c = (struct client *)o;
	struct client_again *a = &c->again;

	if (!o->away || a->over)
		return o->away;
	if (time && tcp_now() < a->next)
		return false;
	/* A signal ends this, too. */
	if (!time && a->last)
		poll(NULL, 0, LAST_PAUSE_MS);
	if (connect_again(c) == 0)
		return true;
	if (c->control >= 0)
		close(c->control);
	c->control = -1;
	plan_next(a);
	a->over = c->again.final || (!time && ++a->last >= LAST_TRIES) ||
		  (a->opts.again_ms != UINT64_MAX && tcp_now() - a->since >= a->opts.again_ms);
	return a->over;
}

/* ---- again ---- */

/* What was on its way is lost: of each CPU, what left the kernel less what the server has. */
static void count_lost(struct client *c, const struct output_end *end)
{
	for (unsigned i = 0; i < end->ncpus; i++) {
		struct client_cpu *k;
		uint64_t lost;

		if (end->cpus[i] < 0 || (unsigned)end->cpus[i] >= c->ndata)
			continue;
		k = &c->again.cpus[end->cpus[i]];
		lost = end->read[i] > k->part ? end->read[i] - k->part : 0;
		k->lost += lost;
		k->found += k->part;
		k->part = 0;
		c->again.gap += lost;
	}
}

static int begin_again(struct client *c, const struct output_end *end, struct err *e)
{
	struct output *s = c->stream;
	int rc;

	s->stop = c->base.stop;
	s->notes = c->base.notes;
	rc = s->ops->begin(s, &c->again.meta, e);
	if (rc == 0)
		rc = client_time_begin(c, c->again.clock, e);
	if (rc == 0)
		rc = added_formats_give(&c->again.formats, s, e);
	/* Names with their times are given again by the recorder. */
	if (rc == 0 && !c->again.meta.watched)
		rc = s->ops->comms(s, end->comms, end->comms_len, e);
	return rc;
}

int client_again_next(struct output *o, const struct output_end *end, struct err *e)
{
	struct client *c = (struct client *)o;
	struct client_again *a = &c->again;
	uint64_t since = a->since, lost;
	int rc;

	count_lost(c, end);
	if (a->over) {
		*e = a->why;
		return err_more(e, "%s: not connected again within %.1f s", c->host,
				(double)(tcp_now() - since) / 1e3);
	}
	o->away = false;
	rc = client_answer(c, begin_again(c, end, e), e);
	if (rc || o->away)
		return rc;
	lost = a->gap;
	a->lost += lost;
	a->gap = a->since = 0;
	a->connected = tcp_now();
	note_say(o->notes, lost ? NOTE_DAMAGE : NOTE_WARN,
		 "%s: connected again after %.1f s: %" PRIu64 " event%s lost on the way; what was "
		 "overwritten meanwhile is counted in its place",
		 c->host, (double)(tcp_now() - since) / 1e3, lost, lost == 1 ? " was" : "s were");
	return 0;
}

/* ---- marks ---- */

bool client_again_marks(const struct client *c, int cpu)
{
	return cpu >= 0 && (unsigned)cpu < c->ndata && c->again.cpus[cpu].lost;
}

void client_again_missed(struct client *c, int cpu, const uint8_t *p)
{
	struct client_again *a = &c->again;

	if (cpu >= 0 && (unsigned)cpu < c->ndata)
		a->cpus[cpu].lost += loss_of_page(p, c->page_size, a->meta.page_head);
}

int client_again_page(struct client *c, int cpu, const uint8_t *p, uint32_t used,
		      uint32_t page_size, struct err *e)
{
	struct client_again *a = &c->again;

	if (p != a->page)
		memcpy(a->page, p, page_size);
	loss_mark_page(a->page, page_size, a->meta.page_head, a->cpus[cpu].lost);
	a->cpus[cpu].lost = 0;
	return c->stream->ops->page(c->stream, cpu, a->page, used, page_size, e);
}

uint8_t *client_again_room(struct client *c)
{
	return c->again.page;
}
