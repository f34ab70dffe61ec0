// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_stream: the events of all files of a CTF input in one order.  A CPU has a file for each
 * channel, and who runs on it is known from the events of one of them: so one stream, that of the
 * first CPU, delivers all events.
 */
#include "reader/ctf/packet_head.h"
#include "trace/field.h"

static bool is_before(const struct ctf_packets *a, const struct ctf_packets *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->num < b->num;
}

static void sift_down(struct ctf *t, unsigned at)
{
	struct ctf_packets *f = t->heap[at];

	for (;;) {
		unsigned child = 2 * at + 1;

		if (child >= t->nheap)
			break;
		if (child + 1 < t->nheap && is_before(t->heap[child + 1], t->heap[child]))
			child++;
		if (!is_before(t->heap[child], f))
			break;
		t->heap[at] = t->heap[child];
		at = child;
	}
	t->heap[at] = f;
}

static void sift_up(struct ctf *t, unsigned at)
{
	struct ctf_packets *f = t->heap[at];

	while (at && is_before(f, t->heap[(at - 1) / 2])) {
		t->heap[at] = t->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	t->heap[at] = f;
}

void ctf_stream_add(struct ctf *t, struct ctf_packets *f)
{
	t->heap[t->nheap] = f;
	sift_up(t, t->nheap++);
}

/* The file at the top has no event now. */
static void remove_top(struct ctf *t)
{
	t->heap[0] = t->heap[--t->nheap];
	if (t->nheap)
		sift_down(t, 0);
}

/* Bring F, at the top of the heap, to its next event. */
static enum pull advance(struct ctf *t, struct ctf_packets *f, struct err *e)
{
	enum pull rc = ctf_packets_next(f, e);

	t->cpus[0]->base.bytes_done = t->done;
	f->sleeps = false;
	if (rc == PULL_AGAIN)
		t->cpus[0]->base.watermark = f->ts ? f->ts - 1 : 0;
	if (rc == PULL_OK)
		sift_down(t, 0);
	else if (rc == PULL_EOF || rc == PULL_WAIT)
		remove_top(t);
	if (rc == PULL_EOF)
		ctf_packets_rest(f);
	if (rc == PULL_WAIT)
		ctf_live_wait(f);
	return rc;
}

/* A later piece of a stream is not opened before its time: there may be hundreds. */
static bool falls_asleep(struct ctf_packets *f)
{
	f->sleeps = f->after && ctf_has(f, ROLE_PACKET_BEGIN);
	if (f->sleeps)
		f->ts = ctf_time(f->t, f->types, f->bits.clock);
	return f->sleeps;
}

/* Find the first event of each file.  PULL_EOF: that is done. */
static enum pull begin(struct ctf *t, struct err *e)
{
	for (; t->begun < t->nfiles; t->begun++) {
		struct ctf_packets *f = t->files[t->begun];
		enum pull rc = falls_asleep(f) ? PULL_OK : ctf_packets_next(f, e);

		if (rc == PULL_ERR || rc == PULL_AGAIN)
			return rc;
		if (rc == PULL_EOF)
			continue;
		ctf_stream_add(t, f);
	}
	return PULL_EOF;
}

/* The CPU that F's event states. */
static int own_cpu(const struct ctf_packets *f)
{
	const struct event ev = { .data = f->rec.data, .size = f->rec.size };
	uint64_t cpu = field_scalar(f->known->cpu, &ev);

	return cpu < CTF_MAX_CPUS ? (int)cpu : f->to->cpu;
}

/* Make F's event that of the stream.  PULL_EOF: it is not wanted. */
static enum pull give(struct ctf *t, struct ctf_packets *f)
{
	struct ctf_cpu *c = f->to;
	struct event *ev = &t->cpus[0]->base.ev;
	int32_t task = ctf_task(t, f);
	uint64_t before = c->last;

	if (!f->given)
		ctf_chunks_continue(f);
	/* A packet may end later than the trace has events. */
	if (f->known && f->ts > t->newest)
		t->newest = f->ts;
	else if (!f->known && f->ts > t->newest)
		f->ts = t->newest;
	c->counts->seen += f->known != NULL;
	c->seq += f->known != NULL;
	c->last = f->known ? f->ts : c->last;
	if (f->known && f->known->type->demand->skip && !f->lost && !f->lost_some)
		return PULL_EOF;
	*ev = (struct event){
		.ts = f->ts, .from = &c->from, .cpu = c->cpu, .pid = task, .off = f->off
	};
	if (f->lost || f->lost_some) {
		ev->lost = f->lost && f->lost < LOST_UNKNOWN ? (uint32_t)f->lost : LOST_UNKNOWN;
		ev->lost_since = before;
		c->counts->lost += f->lost;
		c->counts->lost_places++;
		c->counts->lost_unknown += f->lost_some && !f->lost;
		c->seq += f->lost;
		f->lost = 0;
		f->lost_some = false;
	}
	ev->seq = c->seq;
	ev->at_page_start = f->first;
	if (f->known && f->known->cpu)
		ev->cpu = own_cpu(f);
	ev->bare = !f->known || f->known->type->demand->skip;
	ev->type = ev->bare ? t->any : f->known->type;
	ev->data = ev->bare ? t->blank : f->rec.data;
	ev->size = ev->bare ? t->any->fixed : f->rec.size;
	if (!ev->bare && (f->known->kernel_stack || f->known->user_stack))
		ctf_stacks_put(t, f->known, ev);
	return PULL_OK;
}

static enum pull next(struct stream *s, struct err *e)
{
	struct ctf *t = ((struct ctf_cpu *)s)->of;
	enum pull rc;

	if (!s->multiplexed)
		return PULL_EOF;
	rc = t->live ? PULL_EOF : begin(t, e);
	if (rc != PULL_EOF)
		return rc;
	for (;;) {
		if (t->given) {
			rc = advance(t, t->given, e);
			if (rc == PULL_ERR || rc == PULL_AGAIN)
				return rc;
			t->given = NULL;
		}
		rc = t->live ? ctf_live_refill(t) : PULL_OK;
		if (rc != PULL_OK)
			return rc;
		if (!t->nheap)
			return PULL_EOF;
		t->given = t->heap[0];
		if (!t->given->sleeps && give(t, t->given) == PULL_OK)
			return PULL_OK;
	}
}

const struct stream_ops ctf_stream_ops = { .next = next };
