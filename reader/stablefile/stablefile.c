// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stablefile: the source of a file written by zedperl --export.  Its records are in order of
 * delivery, for all CPUs: one multiplexed stream reads them and delivers each as an event of its
 * own stream; the other streams only exist to be listed.
 */
#include "reader/stablefile/stablefile.h"

#include "base/mem.h"
#include "trace/field.h"
#include "stable/pack.h"
#include "reader/stablefile/file_head.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WITHOUT_EVENT_MAX 4096 /* unwanted records before control returns to the caller */

/* A record's header. */
struct file_record {
	uint64_t off; /* in the file */
	uint64_t event, stream, seq, ts;
	int32_t pid;
	uint32_t size; /* of the payload */
	const uint8_t *payload;
};

struct one {
	struct stream base; /* must be first */
	struct stablefile *d;
	struct buffer_cpu *cpu; /* counts its bytes */
};

struct stablefile {
	struct source base; /* must be first */
	struct stable_head *head;
	struct window w;
	struct origin *origins;
	struct one *ones; /* in the order of the head */
	uint64_t pos;	  /* of the next record */
	uint64_t records; /* events so far, including damaged records */
	bool ended;
	struct file_record loss; /* a pending loss mark; size 0: none */
	uint32_t lost;
	uint8_t *open; /* the last delivered record */
	size_t open_cap;
	const struct etype *any; /* the type of an event that only reports losses */
	uint8_t *blank;		 /* an empty record of it */
};

/* ---- records ---- */

static uint64_t part(const struct stable_head *h, const uint8_t *p, unsigned i)
{
	uint64_t v = bits_get(p, h->at[i].bit, h->at[i].size, h->big_endian);
	uint64_t sign = h->at[i].is_signed ? 1ull << (h->at[i].size - 1) : 0;

	return (v ^ sign) - sign;
}

static enum pull cut_off(struct stablefile *d, ssize_t n, struct err *e)
{
	d->ended = true;
	d->base.salvaged = true;
	if (n < 0)
		return PULL_ERR;
	return err_set(e, ERR_FORMAT, d->pos,
		       "file truncated after record %" PRIu64
		       ": no end marker (zedperl --export was stopped, or the file was cut)",
		       d->records);
}

/* Read the record at pos without moving pos. */
static enum pull look(struct stablefile *d, struct file_record *r, struct err *e)
{
	const struct stable_head *h = d->head;
	const uint8_t *p;
	uint64_t size;
	ssize_t n = window_get(&d->w, d->pos, h->record_len, &p, e);

	if (n < (ssize_t)h->record_len)
		return cut_off(d, n, e);
	size = part(h, p, RF_SIZE);
	if (size > STABLE_MAX_PAYLOAD) {
		d->ended = true;
		return err_set(e, ERR_FORMAT, d->pos,
			       "record of %" PRIu64 " bytes, where %u are "
			       "the most: what follows cannot be found",
			       size, STABLE_MAX_PAYLOAD);
	}
	n = window_get(&d->w, d->pos, h->record_len + size, &p, e);
	if (n < (ssize_t)(h->record_len + size))
		return cut_off(d, n, e);
	*r = (struct file_record){
		.off = d->pos,
		.size = size,
		.payload = p + h->record_len,
		.event = part(h, p, RF_EVENT),
		.stream = part(h, p, RF_STREAM),
		.seq = part(h, p, RF_SEQUENCE),
		.ts = part(h, p, RF_TIME),
		.pid = part(h, p, RF_PID),
	};
	return PULL_OK;
}

/* Open the payload of R by X.  E has the offset. */
static int open_record(struct stablefile *d, const struct file_record *r,
		       const struct stable_entry *x, uint32_t *len, struct err *e)
{
	if (descpack_open(&x->desc, d->head->big_endian, r->payload, r->size, &d->open,
			  &d->open_cap, len, e) == 0)
		return 0;
	e->off = r->off;
	return err_within(e, "%s%s%s", x->system ? x->system : "mark", x->system ? "::" : " ",
			  x->name);
}

/* A number of a mark, in its description. */
static uint64_t told(struct stablefile *d, const struct file_record *r,
		     const struct stable_entry *x, const char *name)
{
	const struct desc_item *it = stable_number(&x->desc, name);

	return bits_get(r->payload, it->bit, it->size, d->head->big_endian);
}

static enum pull take_lost(struct stablefile *d, const struct file_record *r,
			   const struct stable_entry *x, struct err *e)
{
	struct stream *s;
	uint64_t n = told(d, r, x, "count");

	if (r->stream >= d->head->nstreams)
		return err_set(e, ERR_FORMAT, r->off,
			       "losses of unknown stream %" PRIu64 ": skipped", r->stream);
	s = &d->ones[r->stream].base;
	if (s->unread || !n)
		return PULL_OK;
	/* What only the kernel's statistics showed. */
	if (!r->seq) {
		s->timeless += n;
		return PULL_OK;
	}
	d->loss = *r;
	d->loss.size = 1;
	d->lost = n < LOST_UNKNOWN ? n : LOST_UNKNOWN;
	s->lost_places++;
	if (d->lost == LOST_UNKNOWN)
		s->lost_unknown++;
	else
		s->lost += d->lost;
	return PULL_OK;
}

static enum pull take_task(struct stablefile *d, const struct file_record *r,
			   const struct stable_entry *x, struct err *e)
{
	uint64_t machine = told(d, r, x, "machine");
	struct event ev = { .data = d->open };
	struct span s;

	TRY(open_record(d, r, x, &ev.size, e));
	ev.data = d->open;
	if (machine >= d->head->nmachines)
		return err_set(e, ERR_FORMAT, r->off,
			       "task of unknown machine %" PRIu64 ": skipped", machine);
	for (unsigned i = 0; i < x->desc.n; i++)
		if (!strcmp(x->desc.fields[i].name, "name") &&
		    field_span(&x->desc.fields[i], &ev, &s))
			comms_learn(d->head->machines[machine]->machine->comms,
				    (int32_t)told(d, r, x, "pid"), (const char *)s.p,
				    strnlen((const char *)s.p, s.len));
	return PULL_OK;
}

static enum pull take_end(struct stablefile *d, const struct file_record *r,
			  const struct stable_entry *x, struct err *e)
{
	uint64_t n = told(d, r, x, "records");

	d->ended = true;
	if (n != d->records)
		return err_set(e, ERR_FORMAT, r->off,
			       "the end mark says %" PRIu64 " record%s, the file has %" PRIu64, n,
			       plural(n), d->records);
	if (d->base.in.size > d->pos)
		return err_set(e, ERR_FORMAT, d->pos, "%" PRIu64 " byte%s after the end: left out",
			       d->base.in.size - d->pos, plural(d->base.in.size - d->pos));
	return PULL_EOF;
}

static enum pull take_mark(struct stablefile *d, const struct file_record *r,
			   const struct stable_entry *x, struct err *e)
{
	if (x->kind == RECORD_NONE)
		return PULL_OK;
	if (r->size < x->desc.bits / 8)
		return err_set(e, ERR_FORMAT, r->off,
			       "mark %s of %u byte%s, its description asks for %u: left out",
			       x->name, r->size, plural(r->size), x->desc.bits / 8);
	if (x->kind == RECORD_LOST)
		return take_lost(d, r, x, e);
	return x->kind == RECORD_TASK ? take_task(d, r, x, e) : take_end(d, r, x, e);
}

/* ---- events ---- */

/* Fill the multiplexed stream's event with what is common to R and a loss before it. */
static struct event *begin_event(struct stablefile *d, const struct file_record *r)
{
	struct event *ev = &d->base.streams[0]->ev;

	*ev = (struct event){ .ts = r->ts,
			      .seq = r->seq,
			      .pid = r->pid,
			      .off = r->off,
			      .from = &d->origins[r->stream],
			      .at_page_start = true,
			      .lost_since = TS_UNKNOWN, /* not all events were exported */
			      .cpu = d->origins[r->stream].cpu };
	return ev;
}

/* Losses without an event in the file. */
static enum pull give_loss(struct stablefile *d)
{
	struct event *ev = begin_event(d, &d->loss);

	d->loss.size = 0;
	ev->lost = d->lost;
	ev->bare = true;
	ev->type = d->any;
	ev->data = d->blank;
	ev->size = d->any->fixed;
	return PULL_OK;
}

/* Deliver R, which is event X: PULL_EOF if it is unwanted. */
static enum pull give_event(struct stablefile *d, const struct file_record *r,
			    const struct stable_entry *x, struct err *e)
{
	struct stream *s;
	struct event *ev;
	uint32_t len;

	if (r->stream >= d->head->nstreams)
		return err_set(e, ERR_FORMAT, r->off,
			       "%s::%s of unknown stream %" PRIu64 ": skipped", x->system, x->name,
			       r->stream);
	s = &d->ones[r->stream].base;
	s->seen++;
	d->ones[r->stream].cpu->size += d->pos - r->off;
	if (s->unread || (x->type->demand->skip && !d->loss.size))
		return PULL_EOF;
	TRY(open_record(d, r, x, &len, e));
	ev = begin_event(d, r);
	ev->type = x->type;
	ev->data = d->open;
	ev->size = len;
	ev->lost = d->loss.size ? d->lost : 0;
	d->loss.size = 0;
	return PULL_OK;
}

/* May the pending losses wait?  They may if they belong to R, or if R is not an event. */
static bool may_wait(const struct stablefile *d, const struct file_record *r,
		     const struct stable_entry *x)
{
	if (!x || x->kind == RECORD_LOST || x->kind == RECORD_END)
		return false;
	return x->kind != RECORD_EVENT || (r->stream == d->loss.stream && r->seq == d->loss.seq);
}

static enum pull next(struct stream *s, struct err *e)
{
	struct stablefile *d = ((struct one *)s)->d;

	if (s != d->base.streams[0])
		return PULL_EOF;
	for (unsigned without_event = 0; without_event < WITHOUT_EVENT_MAX; without_event++) {
		const struct stable_entry *x = NULL;
		enum pull rc = PULL_EOF;
		struct file_record r = { .size = 0 };

		if (!d->ended)
			rc = look(d, &r, e);
		if (rc == PULL_OK && r.event < 65536)
			x = d->head->by_number[r.event];
		if (d->loss.size && (rc != PULL_OK || !may_wait(d, &r, x))) {
			/* The next call will report the error. */
			d->ended &= rc == PULL_EOF;
			return give_loss(d);
		}
		if (rc != PULL_OK)
			return rc;
		d->pos += d->head->record_len + r.size;
		s->bytes_done = d->pos;
		if (x && x->kind != RECORD_EVENT) {
			rc = take_mark(d, &r, x, e);
			if (rc != PULL_OK)
				return rc;
			continue;
		}
		d->records++;
		if (!x)
			return err_set(e, ERR_FORMAT, r.off,
				       "record of event %" PRIu64
				       ", which is not described: left out",
				       r.event);
		rc = give_event(d, &r, x, e);
		if (rc != PULL_EOF)
			return rc;
	}
	return PULL_AGAIN;
}

static const struct stream_ops STREAM_OPS = { .next = next };

/* ---- opening ---- */

static bool probe(const struct input *in)
{
	uint8_t head[STABLE_MAGIC_LEN];
	struct err e;

	return input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       !memcmp(head, STABLE_MAGIC, STABLE_MAGIC_LEN);
}

static void add_types(struct stablefile *d, struct catalog *c)
{
	for (unsigned i = 0; i < d->head->nentries; i++) {
		struct stable_entry *x = d->head->entries[i];
		struct etype *t;

		if (x->kind != RECORD_EVENT)
			continue;
		t = catalog_add_fields(c, x->machine->machine, x->system, x->name, x->number,
				       x->desc.fields, x->desc.n, x->desc.fixed);
		t->stable = true;
		x->type = t;
		if (!d->any)
			d->any = t;
	}
	if (!d->any && d->head->nstreams)
		d->any = catalog_add_unknown(c, &d->base.machine, 0);
	d->blank = mem_zalloc(d->any ? d->any->fixed + 1 : 1);
}

/* The source's streams are sorted by buffer, those of the head in file order. */
static void make_streams(struct stablefile *d)
{
	const struct stable_head *h = d->head;
	unsigned *at = mem_zalloc((h->nbuffers + 1) * sizeof(*at));

	d->base.buffers = mem_zalloc((h->nbuffers + 1) * sizeof(*d->base.buffers));
	d->base.nbuffers = h->nbuffers;
	d->base.streams = mem_zalloc((h->nstreams + 1) * sizeof(*d->base.streams));
	d->base.nstreams = h->nstreams;
	d->origins = mem_zalloc((h->nstreams + 1) * sizeof(*d->origins));
	d->ones = mem_zalloc((h->nstreams + 1) * sizeof(*d->ones));
	for (unsigned i = 0; i < h->nstreams; i++)
		d->base.buffers[h->streams[i].buffer].ncpus++;
	for (unsigned i = 0; i < h->nbuffers; i++) {
		struct buffer *b = &d->base.buffers[i];

		b->name = h->buffers[i].name;
		b->clock = h->clock;
		b->cpus = mem_zalloc((b->ncpus + 1) * sizeof(*b->cpus));
		at[i + 1] = at[i] + b->ncpus;
		b->ncpus = 0;
	}
	for (unsigned i = 0; i < h->nstreams; i++) {
		struct buffer *b = &d->base.buffers[h->streams[i].buffer];
		struct one *o = &d->ones[i];

		d->base.streams[at[h->streams[i].buffer] + b->ncpus] = &o->base;
		o->cpu = &b->cpus[b->ncpus++];
		o->cpu->cpu = h->streams[i].cpu;
		o->d = d;
		d->origins[i] = (struct origin){
			.path = d->base.in.path,
			.instance = b->name,
			.cpu = h->streams[i].cpu,
			.buffer = h->streams[i].buffer,
		};
		o->base.ops = &STREAM_OPS;
		o->base.from = &d->origins[i];
	}
	free(at);
	if (!h->nstreams)
		return;
	d->base.streams[0]->multiplexed = true;
	d->base.streams[0]->bytes_total = d->base.in.size;
}

/* Without streams no records are read: check for the end mark. */
static void check_empty(struct stablefile *d, struct notes *notes)
{
	struct file_record r = { .size = 0 };
	const struct stable_entry *x = NULL;
	struct err e;

	if (look(d, &r, &e) == PULL_OK) {
		d->pos += d->head->record_len + r.size;
		x = r.event < 65536 ? d->head->by_number[r.event] : NULL;
		if (!x || x->kind != RECORD_END)
			err_set(&e, ERR_FORMAT, r.off, "record before any stream was declared");
		else if (take_mark(d, &r, x, &e) == PULL_EOF)
			return;
	}
	err_path(&e, d->base.in.path);
	note_err(notes, NOTE_DAMAGE, &e);
}

static void close_stablefile(struct source *s)
{
	struct stablefile *d = (struct stablefile *)s;

	source_fini(s);
	for (unsigned i = 0; i < s->nbuffers; i++)
		free(s->buffers[i].cpus); /* its texts belong to the head */
	free(s->buffers);
	free(d->ones);
	free(d->origins);
	stable_head_fini(d->head);
	free(d->head);
	window_fini(&d->w);
	free(d->open);
	free(d->blank);
	free(d);
}

static struct source *open_stablefile(struct input *in, struct catalog *c,
				      const struct source_opts *o, struct err *e)
{
	struct stablefile *d = mem_zalloc(sizeof(*d));

	d->base.ops = &stablefile_source;
	d->base.in = *in;
	d->w.in = &d->base.in;
	d->head = mem_zalloc(sizeof(*d->head));
	if (stable_head_read(d->head, &d->w, &d->base.machine, o->notes, e) < 0) {
		err_path(e, d->base.in.path);
		close_stablefile(&d->base);
		return NULL;
	}
	for (unsigned i = 0; i < d->head->nmachines; i++)
		d->head->machines[i]->machine->given = o->symbols;
	d->pos = d->head->data;
	/* Events have our byte order; this is the file's. */
	d->base.machine.big_endian = d->head->big_endian;
	d->base.dialect = "v1";
	d->base.compression = "none";
	d->base.cpu_count = d->head->cpus;
	d->base.clock_is_ns = d->head->ns;
	add_types(d, c);
	make_streams(d);
	if (!d->base.nstreams)
		check_empty(d, o->notes);
	return &d->base;
}

const struct source_ops stablefile_source = {
	.name = "stable events",
	.probe = probe,
	.open = open_stablefile,
	.close = close_stablefile,
};
