// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ctf_live: a live session of LTTng as a source: asks a relay daemon for the packets of each stream
 * when they are needed, and reads them as those of a file.  A stream without a packet holds the
 * others back up to its watermark, which the daemon's beacons move.
 */
#include "reader/ctf/ctf.h"

#include "base/mem.h"
#include "base/mono.h"
#include "reader/ctf/metadata/metadata.h"
#include "reader/ctf/relay/relay.h"
#include "reader/ctf/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_MS 20	       /* between two rounds of questions that found nothing */
#define MAX_PARSED (64u << 20) /* bytes of metadata, each time that they grow: all of them */
#define MAX_HELD (512u << 20)  /* bytes of the packets of all streams together */
#define MAX_TRACES 64
#define MAX_STREAMS 4096
#define MAX_PIECES 10000 /* of metadata that are fetched at once */
#define MAX_RETRIES 1000 /* of one packet that is announced and not there */

struct ctf_live_stream {
	struct ctf_live *l;
	uint64_t id;
	struct ctf_packets *f;
	struct live_trace *of;
	uint64_t watermark; /* it has no earlier event */
	bool waits;	    /* its next packet is needed */
	bool ended;
	bool announced; /* ... and is this one: */
	struct relay_index next;
	unsigned retries;
	size_t held; /* bytes of its packet */
};

struct live_trace {
	uint64_t id, metadata; /* the number of its stream of metadata */
	bool has_metadata;
	struct ctf_trace *trace;
	uint8_t *text; /* all metadata so far */
	size_t len;
	uint64_t parsed; /* bytes, of all times */
};

struct ctf_live {
	struct ctf *t;
	struct relay *relay;
	struct ctf_live_stream *streams[MAX_STREAMS];
	unsigned nstreams;
	struct live_trace traces[MAX_TRACES];
	unsigned ntraces;
	uint64_t round; /* ns of base/mono.h: when the next one is due */
	size_t held;	/* bytes of all packets */
	uint64_t low;	/* lowest(), unless */
	bool moved;	/* ... something has changed since */
	bool news;	/* there are new streams */
	bool over;	/* nothing more will come */
};

bool ctf_is_live(const char *path)
{
	return relay_is_url(path);
}

/*
 * The daemon is gone, or what it sends makes no sense: what was read so far is the answer.  It is
 * not asked again: a daemon that was restarted has no sessions, and one that was not would send all
 * of this one once more.
 */
static void fail(struct ctf_live *l, struct err *e)
{
	bool any = false;

	if (l->over)
		return;
	l->over = true;
	for (unsigned i = 0; i < l->nstreams; i++) {
		l->streams[i]->f->cut = !l->streams[i]->ended;
		any |= !l->streams[i]->ended;
	}
	err_path(e, l->t->base.in.path);
	note_err(l->t->notes, NOTE_DAMAGE, e);
	if (any)
		note_say(l->t->notes, NOTE_WARN,
			 "%s: what was recorded after that is missing; to continue, create the "
			 "session again (lttng destroy, lttng create NAME --live), and read that",
			 l->t->base.in.path);
}

/* ---- metadata ---- */

/* Bytes in memory, as an input. */
struct live_text {
	struct input_held held;
	const uint8_t *p;
	size_t len;
};

static size_t read_text(const struct input_held *h, void *buf, size_t len, uint64_t off)
{
	const struct live_text *x = (const struct live_text *)h;

	if (off >= x->len)
		return 0;
	if (len > x->len - off)
		len = x->len - off;
	memcpy(buf, x->p + off, len);
	return len;
}

static struct ctf_meta *parse(const struct ctf_live *l, const struct live_trace *lt, struct err *e)
{
	struct live_text x = { .held = { .read = read_text }, .p = lt->text, .len = lt->len };
	const struct input in = {
		.path = l->t->base.in.path, .fd = -1, .size = lt->len, .held = &x.held
	};

	return ctf_metadata_read(&in, e);
}

static void take_metadata(struct ctf_live *l, struct live_trace *lt)
{
	struct ctf_meta *m;
	struct err e;

	lt->parsed += lt->len;
	if (lt->parsed > MAX_PARSED) {
		err_set(&e, ERR_FORMAT, ERR_NO_OFF, "the metadata of a trace grow too often");
		fail(l, &e);
		return;
	}
	m = parse(l, lt, &e);
	if (!m && !lt->trace->meta) {
		fail(l, &e);
		return;
	}
	if (!m) {
		note_err(l->t->notes, NOTE_DAMAGE, &e);
		return;
	}
	if (lt->trace->meta) {
		ctf_types_renew(l->t, lt->trace, m);
		return;
	}
	lt->trace->meta = m;
	l->moved = true;
	ctf_learn(l->t, lt->trace);
	if (lt->trace == l->t->traces)
		ctf_describe(l->t);
	ctf_types_make(l->t, lt->trace);
}

/* Everything that there is now.  False: the session is over. */
static bool fetch_metadata(struct ctf_live *l, struct live_trace *lt)
{
	size_t before = lt->len;
	struct err e;
	int rc = 0;

	if (!lt->has_metadata)
		return true;
	for (unsigned n = 0; n < MAX_PIECES; n++) {
		rc = relay_metadata(l->relay, lt->metadata, &lt->text, &lt->len, CTF_MAX_METADATA,
				    &e);
		if (rc <= 0)
			break;
	}
	if (rc < 0)
		fail(l, &e);
	else if (lt->len > before)
		take_metadata(l, lt);
	return !l->over;
}

/* ---- streams ---- */

static struct live_trace *trace_of(struct ctf_live *l, uint64_t id)
{
	struct live_trace *lt;

	for (unsigned i = 0; i < l->ntraces; i++)
		if (l->traces[i].id == id)
			return &l->traces[i];
	if (l->ntraces == MAX_TRACES)
		return NULL;
	lt = &l->traces[l->ntraces++];
	lt->id = id;
	lt->trace = &l->t->traces[l->t->ntraces++];
	lt->trace->name = mem_strdup("");
	return lt;
}

static bool take_stream(void *arg, const struct relay_stream *s, struct err *e)
{
	struct ctf_live *l = arg;
	struct live_trace *lt = trace_of(l, s->trace);
	struct input in = { .fd = -1 };
	struct ctf_live_stream *ls;

	if (!lt || (!s->metadata && l->nstreams == MAX_STREAMS)) {
		err_set(e, ERR_FORMAT, ERR_NO_OFF,
			"the session has more than %u traces or %u streams", MAX_TRACES,
			MAX_STREAMS);
		return false;
	}
	if (s->metadata) {
		lt->metadata = s->id;
		lt->has_metadata = true;
		return true;
	}
	in.path = mem_strdup(l->t->base.in.path);
	ls = mem_zalloc(sizeof(*ls));
	ls->l = l;
	ls->id = s->id;
	ls->of = lt;
	ls->waits = true;
	ls->f = ctf_packets_new(l->t, lt->trace, &in, -1);
	ls->f->fed = true;
	ls->f->live = ls;
	ls->f->num = l->t->nfiles;
	l->t->files[l->t->nfiles++] = ls->f;
	l->streams[l->nstreams++] = ls;
	l->moved = true;
	return true;
}

static void fetch_streams(struct ctf_live *l)
{
	bool ended;
	struct err e;

	l->news = false;
	if (relay_new_streams(l->relay, take_stream, l, &ended, &e) < 0)
		fail(l, &e);
	else
		l->over |= ended;
	for (unsigned i = 0; i < l->ntraces && !l->over; i++)
		if (!l->traces[i].trace->meta)
			fetch_metadata(l, &l->traces[i]);
}

/* ---- packets ---- */

void ctf_live_wait(struct ctf_packets *f)
{
	f->live->waits = true;
	f->live->l->moved = true;
}

/* Its packet is there, or it has ended: go to its first event. */
static void begin_packet(struct ctf_live *l, struct ctf_live_stream *ls)
{
	enum pull rc;
	struct err e;

	do {
		rc = ctf_packets_next(ls->f, &e);
		if (rc == PULL_ERR)
			note_err(l->t->notes, NOTE_DAMAGE, &e);
	} while (rc == PULL_ERR || rc == PULL_AGAIN);
	ls->waits = rc == PULL_WAIT;
	l->moved = true;
	if (rc == PULL_OK)
		ctf_stream_add(l->t, ls->f);
}

/* The LEN bytes at P are the packet of LS. */
static void feed(struct ctf_live *l, struct ctf_live_stream *ls, uint8_t *p, size_t len)
{
	ctf_packets_feed(ls->f, p, len);
	l->held += len - ls->held;
	ls->held = len;
}

static void end_stream(struct ctf_live *l, struct ctf_live_stream *ls)
{
	feed(l, ls, NULL, 0);
	ls->ended = true;
	ls->f->fed = false;
	begin_packet(l, ls);
}

/* CYCLES, by the clock of the trace, as the time of its events. */
static uint64_t time_of(const struct ctf_live *l, const struct ctf_live_stream *ls, uint64_t cycles)
{
	const struct ctf_trace *trace = ls->of->trace;
	const struct ctf_types *types = ls->f->types ? ls->f->types : trace->types;

	return types && trace->ntypes ? ctf_time(l->t, types, cycles) : 0;
}

/* No earlier event comes from LS. */
static bool advance_to(struct ctf_live *l, struct ctf_live_stream *ls, uint64_t cycles)
{
	uint64_t ts = time_of(l, ls, cycles);

	if (ts <= ls->watermark)
		return false;
	ls->watermark = ts;
	l->moved = true;
	l->t->base.heard++;
	return true;
}

/* The packet that was announced.  True: it has come, or will not. */
static bool fetch_packet(struct ctf_live *l, struct ctf_live_stream *ls)
{
	struct relay_news news = { 0 };
	uint8_t *p;
	struct err e;
	int rc;

	if (ls->next.size <= RELAY_MAX_PACKET && ls->next.size > MAX_HELD - (l->held - ls->held))
		rc = err_set(&e, ERR_FORMAT, ERR_NO_OFF,
			     "the packets of all streams have more than %u bytes together",
			     MAX_HELD);
	else
		rc = relay_packet(l->relay, ls->id, ls->next.off, ls->next.size, &p, &news, &e);
	if (rc < 0) {
		fail(l, &e);
		return true;
	}
	l->news |= news.streams;
	if (rc != RELAY_OK && news.metadata && !fetch_metadata(l, ls->of))
		return true;
	if (rc != RELAY_OK && (rc == RELAY_RETRY || news.metadata || news.streams) &&
	    ls->retries++ < MAX_RETRIES)
		return false;
	ls->announced = false;
	ls->retries = 0;
	if (rc != RELAY_OK) {
		ls->f->lost_some = true;
		note_say(l->t->notes, NOTE_DAMAGE,
			 "%s: the relay daemon cannot read a packet of %" PRIu64
			 " bytes: its events are left out",
			 l->t->base.in.path, ls->next.size);
		return true;
	}
	feed(l, ls, p, ls->next.size);
	l->t->base.heard++;
	begin_packet(l, ls);
	/* What follows is not before its end. */
	advance_to(l, ls, ls->next.end);
	return true;
}

/* Ask for the next packet of LS.  True: something is known that was not before. */
static bool ask(struct ctf_live *l, struct ctf_live_stream *ls)
{
	struct err e;

	if (ls->announced)
		return fetch_packet(l, ls);
	if (relay_index(l->relay, ls->id, &ls->next, &e) < 0) {
		fail(l, &e);
		return true;
	}
	l->news |= ls->next.news.streams;
	if (ls->next.news.metadata && !fetch_metadata(l, ls->of))
		return true;
	switch (ls->next.status) {
	case RELAY_OK:
		ls->announced = true;
		return fetch_packet(l, ls);
	case RELAY_RETRY:
		return false;
	case RELAY_INACTIVE:
		return advance_to(l, ls, ls->next.end);
	case RELAY_ERR:
		note_say(l->t->notes, NOTE_DAMAGE,
			 "%s: the relay daemon cannot read a stream: the rest of it is left out",
			 l->t->base.in.path);
		break;
	default:
		break;
	}
	end_stream(l, ls);
	return true;
}

/* ---- rounds ---- */

/*
 * The lowest watermark of the streams whose next packet is needed; UINT64_MAX: of none.  One of a
 * trace without metadata cannot be read: nothing waits for it.
 */
static uint64_t lowest(const struct ctf_live *l)
{
	uint64_t low = UINT64_MAX;

	for (unsigned i = 0; i < l->nstreams; i++)
		if (l->streams[i]->waits && l->streams[i]->of->trace->meta &&
		    l->streams[i]->watermark < low)
			low = l->streams[i]->watermark;
	return low;
}

/* Ask all that may have an event before TOP.  True: something is known that was not before. */
static bool ask_all(struct ctf_live *l, uint64_t top)
{
	bool found = false, any = false, unread = false;

	for (unsigned i = 0; i < l->nstreams && !l->over; i++) {
		struct ctf_live_stream *ls = l->streams[i];

		any |= !ls->ended;
		if (!ls->waits || ls->watermark >= top)
			continue;
		if (!ls->of->trace->meta)
			fetch_metadata(l, ls->of);
		if (ls->of->trace->meta && !l->over)
			found |= ask(l, ls);
		unread |= !ls->of->trace->meta;
	}
	if ((l->news || !any || unread) && !l->over) {
		unsigned before = l->nstreams;

		fetch_streams(l);
		found |= l->over || l->nstreams > before;
	}
	return found;
}

enum pull ctf_live_refill(struct ctf *t)
{
	struct ctf_live *l = t->live;

	for (;;) {
		uint64_t low, top = t->nheap ? t->heap[0]->ts : UINT64_MAX;

		if (l->moved)
			l->low = lowest(l);
		l->moved = false;
		low = l->low;
		/* Where streams cannot be asked any longer, what they have given is all. */
		if (l->over && low != UINT64_MAX) {
			for (unsigned i = 0; i < l->nstreams; i++)
				if (l->streams[i]->waits)
					end_stream(l, l->streams[i]);
			continue;
		}
		if (t->nheap && low >= top)
			return PULL_OK;
		if (l->over)
			return PULL_EOF;
		t->cpus[0]->base.watermark = low != UINT64_MAX ? low : t->newest;
		if (mono_ns() < l->round)
			return PULL_WAIT;
		if (ask_all(l, top))
			return PULL_AGAIN; /* so that a stop is seen */
		l->round = mono_ns() + ROUND_MS * 1000000ull;
	}
}

/* ---- the source ---- */

/* The daemon only answers: there is nothing to wait for but the next round. */
static int fds(struct source *s, struct pollfd *p, int max)
{
	s->wait_ms = ROUND_MS;
	return 0;
}

static void stop(struct source *s)
{
	((struct ctf *)s)->live->over = true;
}

static const struct source_ops live_source = {
	.name = "CTF of LTTng live",
	.fds = fds,
	.stop = stop,
	.close = ctf_close,
};

void ctf_live_close(struct ctf_live *l)
{
	if (!l)
		return;
	relay_close(l->relay);
	for (unsigned i = 0; i < l->nstreams; i++)
		free(l->streams[i]);
	for (unsigned i = 0; i < l->ntraces; i++)
		free(l->traces[i].text);
	free(l);
}

struct source *ctf_live_open(const char *url, struct catalog *c, const struct source_opts *o,
			     struct err *e)
{
	struct input in = { .path = mem_strdup(url), .fd = -1, .piped = true };
	struct ctf_live *l = mem_zalloc(sizeof(*l));
	struct ctf *t = ctf_new(&live_source, &in, c, o);

	t->live = l;
	l->t = t;
	l->moved = true;
	t->traces = mem_zalloc(MAX_TRACES * sizeof(*t->traces));
	t->files = mem_zalloc(MAX_STREAMS * sizeof(struct ctf_packets *));
	t->heap = mem_zalloc((MAX_STREAMS + 1) * sizeof(struct ctf_packets *));
	t->cpus = mem_zalloc((MAX_STREAMS + 1) * sizeof(struct ctf_cpu *));
	l->relay = relay_open(url, o->stop, e);
	if (!l->relay || relay_attach(l->relay, take_stream, l, e) < 0) {
		err_path(e, url);
		ctf_close(&t->base);
		return NULL;
	}
	for (unsigned i = 0; i < l->ntraces && !l->over; i++)
		fetch_metadata(l, &l->traces[i]);
	ctf_make_buffers(t, 1);
	ctf_make_streams(t);
	return &t->base;
}
