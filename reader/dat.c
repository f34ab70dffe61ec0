// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dat: turns the parts of a trace.dat, wherever its version keeps them, into event types, texts,
 * buffers and streams.
 */
#include "dat.h"
#include "field.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool dat_page_size_ok(uint32_t size)
{
	return size >= 512 && size <= 8u << 20 && !(size & (size - 1));
}

/* ---- metadata ---- */

int dat_part_load(struct dat *d, struct dat_part *p, struct err *e)
{
	uint64_t len = p->packed ? p->usize : p->size;
	uint8_t *packed;
	struct unpacker *u;
	int64_t n;

	if (p->loaded)
		return 0;
	if (len > DAT_MAX_META || p->size > DAT_MAX_META)
		return err_set(e, ERR_FORMAT, p->off,
			       "metadata of %" PRIu64 " bytes: at most %u are "
			       "read",
			       len, DAT_MAX_META);
	if (p->size > d->base.in.size || p->off > d->base.in.size - p->size) {
		if (p->packed || p->off > d->base.in.size)
			return err_set(e, ERR_FORMAT, p->off,
				       "%" PRIu64 " bytes of metadata run past "
				       "the end of the file",
				       p->size);
		/* What is there of a cut text may still be of use. */
		len = p->size = d->base.in.size - p->off;
	}
	p->data = mem_alloc(len + 1);
	if (!p->packed) {
		if (input_read(&d->base.in, p->data, len, p->off, e) < 0)
			goto fail;
		n = len;
	} else {
		packed = mem_alloc(p->size);
		u = unpacker_new(d->codec);
		n = input_read(&d->base.in, packed, p->size, p->off, e);
		if (n == 0)
			n = unpacker_block(u, packed, p->size, p->data, len, p->off, e);
		unpacker_free(u);
		free(packed);
		if (n < 0)
			goto fail;
		if ((uint64_t)n != len && !p->loose) {
			err_set(e, ERR_FORMAT, p->off,
				"metadata unpacks to %" PRId64 " bytes and not to %" PRIu64, n,
				len);
			goto fail;
		}
	}
	p->len = n;
	p->data[n] = '\0';
	p->loaded = true;
	return 0;
fail:
	free(p->data);
	p->data = NULL;
	return -1;
}

static void part_cursor(struct dat *d, const struct dat_part *p, struct cursor *c)
{
	/* Offsets within unpacked bytes mean nothing in the file: the part's start is named. */
	cursor_init(c, p->data, p->len, p->off, d->big_endian);
}

int dat_header_info(struct dat *d, struct cursor c, struct err *e)
{
	struct page_layout l = d->layout;
	const uint8_t *text;
	const char *name;
	uint64_t len;

	TRY(cursor_str(&c, &name, 16, e));
	if (strcmp(name, "header_page"))
		return err_set(e, ERR_FORMAT, c.base, "header_page is expected here");
	TRY(cursor_u64(&c, &len, e));
	TRY(cursor_bytes(&c, len, &text, e));
	if (format_header_page(&l, (const char *)text, len, d->long_size, e) < 0) {
		e->off = c.base;
		return -1;
	}
	if (l.page_size < l.data_off + 8)
		return err_set(e, ERR_FORMAT, c.base, "sub-buffers of %u bytes are not possible",
			       l.page_size);
	d->layout = l;
	/* header_event repeats what every kernel does; nothing in it is needed. */
	return 0;
}

static int one_format(struct dat *d, struct cursor *c, const char *system, struct err *e)
{
	const struct etype *t;
	const uint8_t *text;
	uint64_t len;
	struct err bad;

	TRY(cursor_u64(c, &len, e));
	TRY(cursor_bytes(c, len, &text, e));
	t = catalog_add(d->catalog, &d->base.schema, system, (const char *)text, len, &bad);
	if (t) {
		idmap_add(&d->ids, t);
	} else {
		bad.off = c->base + c->pos - len;
		err_within(&bad, "system %s", system);
		err_path(&bad, d->base.in.path);
		note_err(d->notes, NOTE_DAMAGE, &bad);
	}
	return 0;
}

int dat_ftrace_events(struct dat *d, struct cursor c, struct err *e)
{
	uint32_t n;

	TRY(cursor_u32(&c, &n, e));
	for (uint32_t i = 0; i < n; i++)
		TRY(one_format(d, &c, "ftrace", e));
	return 0;
}

int dat_event_formats(struct dat *d, struct cursor c, struct err *e)
{
	uint32_t nsystems, n;
	const char *system;

	TRY(cursor_u32(&c, &nsystems, e));
	for (uint32_t s = 0; s < nsystems; s++) {
		TRY(cursor_str(&c, &system, 256, e));
		TRY(cursor_u32(&c, &n, e));
		for (uint32_t i = 0; i < n; i++)
			TRY(one_format(d, &c, system, e));
	}
	return 0;
}

void dat_read_formats(struct dat *d)
{
	static const struct {
		enum dat_id id;
		const char *name;
		int (*read)(struct dat *d, struct cursor c, struct err *e);
	} readers[] = {
		{ DAT_HEADER_INFO, "header info", dat_header_info },
		{ DAT_FTRACE_EVENTS, "ftrace formats", dat_ftrace_events },
		{ DAT_EVENT_FORMATS, "event formats", dat_event_formats },
	};
	struct cursor c;
	struct err e;

	for (unsigned i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
		struct dat_part *p = &d->parts[readers[i].id];
		int rc;

		if (!p->present) {
			if (readers[i].id != DAT_FTRACE_EVENTS)
				note_say(d->notes, NOTE_DAMAGE, "%s: it has no %s", d->base.in.path,
					 readers[i].name);
			continue;
		}
		rc = dat_part_load(d, p, &e);
		if (rc == 0) {
			part_cursor(d, p, &c);
			rc = readers[i].read(d, c, &e);
		}
		if (rc < 0) {
			err_within(&e, "%s", readers[i].name);
			err_path(&e, d->base.in.path);
			note_err(d->notes, NOTE_DAMAGE, &e);
		}
	}
	d->base.schema.big_endian = d->big_endian;
	d->base.schema.long_size = d->layout.long_size;
	idmap_common(&d->ids);
}

/* The schema's texts: {u32 or u64 size, text} in a part, or an option's string. */
static int text_of(void *arg, enum schema_text which, const char **p, size_t *len, struct err *e)
{
	static const enum dat_id ids[NTEXT] = {
		[TEXT_KALLSYMS] = DAT_KALLSYMS, [TEXT_PRINTK] = DAT_PRINTK,
		[TEXT_CMDLINES] = DAT_CMDLINES,
	};
	struct dat *d = arg;
	struct dat_part *part;
	struct cursor c;
	uint64_t size;
	uint32_t size32;

	*len = 0;
	*p = "";
	if (which == TEXT_UNAME || which == TEXT_CPUSTAT) {
		*p = which == TEXT_UNAME ? d->uname : d->cpustat;
		*len = *p ? strlen(*p) : 0;
		return 0;
	}
	part = &d->parts[ids[which]];
	if (!part->present)
		return 0;
	if (dat_part_load(d, part, e) < 0)
		goto fail;
	part_cursor(d, part, &c);
	if (which == TEXT_CMDLINES) {
		if (cursor_u64(&c, &size, e) < 0)
			goto fail;
	} else {
		if (cursor_u32(&c, &size32, e) < 0)
			goto fail;
		size = size32;
	}
	/* kallsyms may have changed while it was copied (format.md 9, 16): what is there counts. */
	*len = size < cursor_left(&c) ? size : cursor_left(&c);
	*p = (const char *)c.p + c.pos;
	return 0;
fail:
	return err_path(e, d->base.in.path);
}

static const struct schema_ops text_ops = { text_of };

/* ---- options ---- */

/* The payload as a string of its own, without what follows its first NUL. */
static char *payload_string(const struct cursor *c)
{
	return mem_strndup((const char *)c->p, strnlen((const char *)c->p, c->len));
}

static void add_cpustat(struct dat *d, const struct cursor *c)
{
	size_t n = strnlen((const char *)c->p, c->len);

	d->cpustat = mem_grow(d->cpustat, &d->cpustat_cap, d->cpustat_len + n + 2, 1);
	memcpy(d->cpustat + d->cpustat_len, c->p, n);
	d->cpustat_len += n;
	d->cpustat[d->cpustat_len++] = '\n';
	d->cpustat[d->cpustat_len] = '\0';
}

/* "local [mono] boot": the one in brackets.  Bare text without brackets is a name itself. */
static char *active_clock(const char *text, size_t len)
{
	const char *open = memchr(text, '[', len), *close;

	if (open && (close = memchr(open, ']', text + len - open)))
		return mem_strndup(open + 1, close - open - 1);
	len = strcspn(text, " \n");
	return mem_strndup(text, len);
}

void dat_option(struct dat *d, unsigned id, struct cursor payload)
{
	struct err e;
	uint32_t n;
	int rc = 0;

	switch (id) {
	case DAT_DATE:
		if (!d->raw_ts)
			rc = clock_date(&d->clock, payload, &e);
		break;
	case DAT_OFFSET:
		if (!d->raw_ts)
			rc = clock_offset(&d->clock, payload, &e);
		break;
	case DAT_TIME_SHIFT:
		/* Too short for its head: stock ignores it without a word. */
		if (!d->raw_ts && payload.len >= 16)
			rc = clock_time_shift(&d->clock, payload, &e);
		break;
	case DAT_TSC2NSEC:
		if (!d->raw_ts)
			rc = clock_tsc2nsec(&d->clock, payload, &e);
		break;
	case DAT_TRACECLOCK:
		if (payload.len > 1) {
			char *text = payload_string(&payload);

			free(d->clock_name);
			d->clock_name = active_clock(text, strlen(text));
			free(text);
		}
		break;
	case DAT_CPUSTAT:
		add_cpustat(d, &payload);
		break;
	case DAT_UNAME:
		free(d->uname);
		d->uname = payload_string(&payload);
		break;
	case DAT_VERSION:
		free(d->version);
		d->version = payload_string(&payload);
		break;
	case DAT_CPUCOUNT:
		rc = cursor_u32(&payload, &n, &e);
		/* Written in the recorder's order, and files get rewritten elsewhere (trap 11). */
		if (rc == 0 && n > DAT_MAX_CPU && __builtin_bswap32(n) <= DAT_MAX_CPU)
			n = __builtin_bswap32(n);
		if (rc == 0 && n > DAT_MAX_CPU)
			rc = err_set(&e, ERR_FORMAT, payload.base, "%u CPUs are not possible", n);
		if (rc == 0)
			d->base.cpu_count = n;
		break;
	}
	if (rc < 0) {
		err_within(&e, "option %u", id);
		err_path(&e, d->base.in.path);
		note_err(d->notes, NOTE_DAMAGE, &e);
	}
}

/* ---- buffers ---- */

static void free_buffer(struct buffer *b)
{
	free(b->name);
	free(b->clock);
	free(b->cpus);
}

struct buffer *dat_add_buffer(struct dat *d, const char *name, const char *clock,
			      uint32_t page_size)
{
	struct source *s = &d->base;
	unsigned at = s->nbuffers;

	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!*name && !*s->buffers[i].name) {
			free_buffer(&s->buffers[i]);
			at = i;
		}
	if (at == s->nbuffers) {
		s->buffers = mem_realloc(s->buffers, (s->nbuffers + 1) * sizeof(*s->buffers));
		s->nbuffers++;
		/* The top buffer goes first: it wins ties of time. */
		if (!*name) {
			memmove(s->buffers + 1, s->buffers, at * sizeof(*s->buffers));
			at = 0;
		}
	}
	memset(&s->buffers[at], 0, sizeof(s->buffers[at]));
	s->buffers[at].name = mem_strdup(name);
	s->buffers[at].clock = mem_strdup(clock);
	s->buffers[at].page_size = page_size ? page_size : d->layout.page_size;
	return &s->buffers[at];
}

void dat_add_cpu(struct dat *d, struct buffer *b, uint32_t cpu, uint64_t off, uint64_t size,
		 enum dat_how how)
{
	uint64_t file = d->base.in.size, there = off < file ? file - off : 0;
	unsigned i;

	if (!size)
		return;
	if (there > size)
		there = size;
	/* Data of two CPUs do not overlap: claims of more than the file are damage, or an attack.
	 */
	if (cpu >= DAT_MAX_CPU || off > file || b->ncpus == DAT_MAX_CPUS ||
	    d->claimed + there > 2 * file) {
		/* A table in the wrong place has hundreds of these: one is enough. */
		note_say(d->notes, d->bad_cpus++ ? NOTE_INFO : NOTE_DAMAGE,
			 "%s: offset 0x%" PRIx64 ": buffer \"%s\": cpu %u of %" PRIu64
			 " bytes is not in the file: left out",
			 d->base.in.path, off, b->name, cpu, size);
		return;
	}
	for (i = 0; i < b->ncpus; i++)
		if (b->cpus[i].cpu == (int)cpu) {
			note_say(d->notes, NOTE_DAMAGE,
				 "%s: offset 0x%" PRIx64 ": buffer \"%s\" has "
				 "cpu %u twice: the first is taken",
				 d->base.in.path, off, b->name, cpu);
			return;
		}
	d->claimed += there;
	b->cpus = mem_realloc(b->cpus, (b->ncpus + 1) * sizeof(*b->cpus));
	for (i = b->ncpus++; i > 0 && b->cpus[i - 1].cpu > (int)cpu; i--)
		b->cpus[i] = b->cpus[i - 1];
	b->cpus[i] = (struct buffer_cpu){ .cpu = cpu, .off = off, .size = size, .how = how };
}

int dat_flyrecord(struct dat *d, uint64_t off, unsigned ncpus, bool with_clock, const char *name,
		  struct err *e)
{
	uint8_t *table = mem_alloc(16 * (size_t)ncpus + 8);
	struct buffer *b;
	char text[512] = "", *clock = NULL;
	uint64_t n;
	int rc = -1;

	if (input_read(&d->base.in, table, 16 * (size_t)ncpus, off, e) < 0)
		goto out;
	off += 16 * (size_t)ncpus;
	if (with_clock && input_read(&d->base.in, table + 16 * (size_t)ncpus, 8, off, e) == 0) {
		n = bytes_u64(table + 16 * (size_t)ncpus, d->big_endian);
		/* A few old files have this damaged; then the clock is taken for local. */
		if (n && n < sizeof(text) && input_read(&d->base.in, text, n, off + 8, e) == 0)
			clock = active_clock(text, n);
	}
	b = dat_add_buffer(d, name, clock ? clock : "local", d->page_size);
	for (unsigned cpu = 0; cpu < ncpus; cpu++)
		dat_add_cpu(d, b, cpu, bytes_u64(table + 16 * (size_t)cpu, d->big_endian),
			    bytes_u64(table + 16 * (size_t)cpu + 8, d->big_endian), DAT_BARE);
	rc = 0;
out:
	free(clock);
	free(table);
	return rc;
}

static struct feed *cpu_feed(struct dat *d, const struct buffer *b, const struct buffer_cpu *c)
{
	const struct input *in = &d->base.in;
	struct feed_pool *p = &d->pool;

	switch (c->how) {
	case DAT_CHUNKS:
		return feed_chunks(p, in, c->off, c->size, b->page_size, d->big_endian);
	case DAT_PAGED:
		return feed_paged(p, in, c->off, c->size, b->page_size, d->big_endian);
	case DAT_INFLATE:
		return feed_inflate(p, in, c->off, c->size, c->usize, b->page_size);
	default:
		return feed_extent(p, in, c->off, c->size, b->page_size);
	}
}

void dat_make_streams(struct dat *d)
{
	struct source *s = &d->base;
	unsigned n = 0;

	for (unsigned i = 0; i < s->nbuffers; i++)
		if (!s->buffers[i].text)
			n += s->buffers[i].ncpus;
	d->origins = mem_zalloc((n + 1) * sizeof(*d->origins));
	s->streams = mem_zalloc((n + 1) * sizeof(*s->streams));
	feed_pool_init(&d->pool, d->codec, n);
	/* An instance's handle copies the top's clock but not its time shift. */
	d->plain = d->clock;
	d->plain.cpus = NULL;
	d->plain.ncpus = 0;
	for (unsigned i = 0; i < s->nbuffers; i++) {
		const struct buffer *b = &s->buffers[i];

		for (unsigned k = 0; !b->text && k < b->ncpus; k++) {
			struct origin *o = &d->origins[s->nstreams];
			struct ring_opts r = {
				.layout = d->layout, .clock = *b->name ? &d->plain : &d->clock,
				.ids = &d->ids, .from = o, .seq = s->nstreams,
			};

			*o = (struct origin){ .path = s->in.path,
					      .instance = b->name,
					      .cpu = b->cpus[k].cpu,
					      .source = s->num,
					      .buffer = i };
			r.layout.page_size = b->page_size;
			r.feed = cpu_feed(d, b, &b->cpus[k]);
			s->streams[s->nstreams++] = ring_stream(&r);
		}
	}
	s->clock_is_ns = d->clock.mult || clock_in_seconds(source_clock(s));
}

static ssize_t latency_text(struct source *s, const struct buffer *b, uint64_t *pos, char *buf,
			    size_t size, struct err *e)
{
	struct dat *d = (struct dat *)s;
	struct page pg;

	if (!b->text || !b->ncpus)
		return 0;
	if (!*pos) {
		if (d->text)
			d->text->ops->close(d->text);
		d->text = cpu_feed(d, b, &b->cpus[0]);
		*pos = 1;
	}
	if (!d->text)
		return 0;
	switch (feed_page(d->text, &pg, e)) {
	case PULL_OK:
		/* Pages of text buffers are as small as the smallest buffer of a caller. */
		if (pg.len > size)
			pg.len = size;
		memcpy(buf, pg.p, pg.len);
		return pg.len;
	case PULL_EOF:
		d->text->ops->close(d->text);
		d->text = NULL;
		return 0;
	default:
		return err_path(e, s->in.path);
	}
}

/* ---- opening ---- */

static bool probe(const struct input *in)
{
	uint8_t head[DAT_MAGIC_LEN];
	struct err e;

	return input_read(in, head, sizeof(head), 0, &e) == 0 &&
	       !memcmp(head, DAT_MAGIC, DAT_MAGIC_LEN);
}

/* The header's common part: version, byte order, long size. */
static int read_head(struct dat *d, unsigned *version, struct err *e)
{
	uint8_t head[64] = { 0 }, order, longs;
	const char *text;
	struct cursor c;
	ssize_t n = input_read_some(&d->base.in, head, sizeof(head), 0, e);

	if (n < 0)
		return -1;
	cursor_init(&c, head, n, 0, false);
	c.pos = DAT_MAGIC_LEN;
	TRY(cursor_str(&c, &text, 16, e));
	if (strcmp(text, "6") && strcmp(text, "7"))
		return err_set(
			e, ERR_UNKNOWN, DAT_MAGIC_LEN,
			"trace.dat version \"%.16s\": only 6 and "
			"7 are known (a newer recorder? try trace-cmd convert --file-version 7)",
			text);
	*version = text[0] - '0';
	TRY(cursor_u8(&c, &order, e));
	TRY(cursor_u8(&c, &longs, e));
	if (order > 1 || (longs != 4 && longs != 8))
		return err_set(e, ERR_FORMAT, c.pos - 2,
			       "byte order %u and a long of %u bytes: not a "
			       "trace.dat, or a damaged one",
			       order, longs);
	d->big_endian = order;
	d->long_size = longs;
	d->head_len = c.pos;
	d->base.schema.big_endian = order;
	d->base.schema.swap = order != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	d->layout.big_endian = order;
	d->layout.long_size = longs;
	d->layout.data_off = 8 + longs;
	return 0;
}

struct dat *dat_open(struct input *in, struct catalog *c, const struct source_opts *o,
		     bool with_data, struct err *e)
{
	struct dat *d = mem_zalloc(sizeof(*d));
	unsigned version;

	d->base.ops = &dat_source;
	d->base.in = *in;
	d->catalog = c;
	d->notes = o->notes;
	d->raw_ts = o->raw_ts;
	d->clock.raw = o->raw_ts;
	d->base.compression = "none";
	schema_init(&d->base.schema, &text_ops, d, o->notes);
	idmap_init(&d->ids, c, &d->base.schema, o->notes);
	if (read_head(d, &version, e) < 0 ||
	    (version == 6 ? dat6_read(d, e) : dat7_read(d, e)) < 0) {
		err_path(e, in->path);
		dat_close(&d->base);
		return NULL;
	}
	if (with_data)
		dat_make_streams(d);
	return d;
}

static struct source *open_source(struct input *in, struct catalog *c, const struct source_opts *o,
				  struct err *e)
{
	struct dat *d = dat_open(in, c, o, true, e);

	return d ? &d->base : NULL;
}

void dat_close(struct source *s)
{
	struct dat *d = (struct dat *)s;

	for (unsigned i = 0; i < s->nstreams; i++)
		s->streams[i]->ops->close(s->streams[i]);
	if (d->text)
		d->text->ops->close(d->text);
	for (unsigned i = 0; i < s->nbuffers; i++)
		free_buffer(&s->buffers[i]);
	for (unsigned i = 0; i < DAT_NIDS; i++)
		free(d->parts[i].data);
	feed_pool_fini(&d->pool);
	schema_fini(&s->schema);
	idmap_fini(&d->ids);
	clock_fini(&d->clock);
	free(s->streams);
	free(s->buffers);
	free(d->origins);
	free(d->clock_name);
	free(d->uname);
	free(d->version);
	free(d->cpustat);
	input_close(&s->in);
	free(d);
}

const struct source_ops dat_source = {
	.name = "trace.dat",
	.probe = probe,
	.open = open_source,
	.text = latency_text,
	.close = dat_close,
};
