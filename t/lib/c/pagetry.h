/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_PAGETRY_H
#define ZED_PAGETRY_H

/*
 * For the tests of ring/ring: sub-buffers made by hand in any byte order and layout, a
 * stream that reads them, and what it should say next.
 */
#include "trace/machine.h"
#include "ring/ring.h"
#include "t/lib/c/tap.h"

#define PAGE 512

/* ---------------------------------------------------------------- a page under construction */

struct maker {
	struct page_layout l;
	uint8_t p[8][PAGE];
	unsigned n;   /* pages */
	uint32_t at;  /* in the current one */
	uint32_t cut; /* if set: the last page has only so many bytes */
};

static inline void put_number(struct maker *m, uint8_t *p, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p[m->l.big_endian ? size - 1 - i : i] = v >> (8 * i);
}

static inline void page_begin(struct maker *m, uint64_t ts)
{
	memset(m->p[m->n], 0, PAGE);
	put_number(m, m->p[m->n], ts, 8);
	m->at = m->l.data_off;
	m->n++;
}

static inline uint8_t *here(struct maker *m)
{
	return m->p[m->n - 1] + m->at;
}

static inline void word(struct maker *m, uint32_t v)
{
	put_number(m, here(m), v, 4);
	m->at += 4;
}

static inline void head(struct maker *m, unsigned type_len, uint32_t delta)
{
	word(m, m->l.big_endian ? type_len << 27 | delta : delta << 5 | type_len);
}

/* The bytes of a record: common fields, then V, then as many zeros as LEN asks for. */
static inline void body(struct maker *m, unsigned id, int32_t pid, uint32_t v, unsigned len)
{
	put_number(m, here(m), id, 2);
	put_number(m, here(m) + 4, (uint32_t)pid, 4);
	if (len >= 12)
		put_number(m, here(m) + 8, v, 4);
	m->at += len;
}

/* A record of LEN bytes, in the short form where that can be. */
static inline void record(struct maker *m, uint32_t delta, uint32_t v, unsigned len)
{
	if (len <= 112) {
		head(m, len / 4, delta);
	} else {
		head(m, 0, delta);
		word(m, len + 4);
	}
	body(m, 300, 7, v, len);
}

/*
 * Write the commit word: how much is in the page so far, and FLAGS; UPPER is the upper half of 64
 * bits.
 */
static inline void commit(struct maker *m, uint32_t flags, uint32_t upper)
{
	uint64_t w = (m->at - m->l.data_off) | flags;

	if (m->l.long_size == 8)
		w |= (uint64_t)upper << 32;
	put_number(m, m->p[m->n - 1] + 8, w, m->l.long_size);
}

/* ---------------------------------------------------------------- the stream over them */

struct made_feed {
	struct feed base;
	struct maker *m;
	unsigned next;
	uint64_t promise; /* if set: more may follow the last page, not before this time */
};

static enum pull made_page(struct feed *f, struct page *out, struct err *e)
{
	struct made_feed *mf = (struct made_feed *)f;

	if (mf->next == mf->m->n) {
		f->watermark = mf->promise;
		return mf->promise ? PULL_WAIT : PULL_EOF;
	}
	out->p = mf->m->p[mf->next];
	out->off = 0x1000 + mf->next * PAGE;
	mf->next++;
	out->len = mf->next == mf->m->n && mf->m->cut ? mf->m->cut : PAGE;
	return PULL_OK;
}

static void made_close(struct feed *f)
{
}

static const struct feed_ops made_ops = { .page = made_page, .close = made_close };

static const char tick[] =
	"name: tick\nID: 300\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned int v;\toffset:8;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%u\", REC->v\n";

static void heard(void *arg, enum note_level level, const char *text)
{
	unsigned *n = arg;

	(*n)++;
}

struct run {
	struct maker m;
	struct made_feed feed;
	struct catalog *catalog;
	struct machine machine;
	struct idmap ids;
	struct clock clock;
	struct origin from;
	struct notes notes;
	unsigned said;
	struct stream *s;
	struct err e;
};

/* An empty run in layout L; the test makes the pages, then calls open_run(). */
static void new_run(struct run *r, const struct page_layout *l)
{
	memset(r, 0, sizeof(*r));
	r->m.l = *l;
	r->m.l.page_size = PAGE;
}

static void open_run(struct run *r)
{
	struct etype *t;

	r->notes.say = heard;
	r->notes.arg = &r->said;
	r->catalog = catalog_new();
	machine_init(&r->machine, NULL, NULL, &r->notes);
	r->machine.big_endian = r->m.l.big_endian;
	r->machine.swap = r->m.l.big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	r->machine.long_size = r->m.l.long_size;
	idmap_init(&r->ids, r->catalog, &r->machine, &r->notes);
	t = catalog_add(r->catalog, &r->machine, "mini", tick, sizeof(tick) - 1, &r->e);
	if (!t)
		bail("the test's own format is not read: %s", r->e.msg);
	idmap_add(&r->ids, t);
	idmap_common(&r->ids);
	r->from = (struct origin){ .path = "made", .instance = "", .cpu = 3 };
	r->feed.base.ops = &made_ops;
	r->feed.m = &r->m;
	struct ring_opts o = {
		.feed = &r->feed.base,
		.layout = r->m.l,
		.clock = &r->clock,
		.ids = &r->ids,
		.from = &r->from,
	};
	r->s = ring_stream(&o);
}

static void close_run(struct run *r)
{
	r->s->ops->close(r->s);
	idmap_fini(&r->ids);
	machine_fini(&r->machine);
	catalog_free(r->catalog);
	clock_fini(&r->clock);
}

/* The next answer of the stream that is not PULL_AGAIN. */
static enum pull pull(struct run *r)
{
	enum pull rc;

	do
		rc = stream_next(r->s, &r->e);
	while (rc == PULL_AGAIN);
	return rc;
}

/* The value of field v of the current event. */
static uint32_t value(struct run *r)
{
	return bytes_u32(r->s->ev.data + 8, r->m.l.big_endian);
}

/* Is the next event the one of value V at time TS, with LOST before it? */
static inline bool next_is(struct run *r, uint32_t v, uint64_t ts, uint32_t lost)
{
	enum pull rc = pull(r);

	if (rc == PULL_ERR) {
		diag("damage: %s at 0x%" PRIx64, r->e.msg, r->e.off);
		return false;
	}
	if (rc != PULL_OK) {
		diag("the stream said %d", rc);
		return false;
	}
	if (value(r) == v && r->s->ev.ts == ts && r->s->ev.lost == lost)
		return true;
	diag("got v=%u ts=%" PRIu64 " lost=%u, want v=%u ts=%" PRIu64 " lost=%u", value(r),
	     r->s->ev.ts, r->s->ev.lost, v, ts, lost);
	return false;
}

static inline bool at_end(struct run *r)
{
	enum pull rc = pull(r);

	if (rc != PULL_EOF)
		diag("the stream goes on: %d %s", rc, rc == PULL_ERR ? r->e.msg : "");
	return rc == PULL_EOF;
}

/* Does the stream report damage at page PAGE_NO, offset OFF in it? */
static inline bool damage_at(struct run *r, unsigned page_no, uint32_t off)
{
	enum pull rc = pull(r);
	uint64_t want = 0x1000 + page_no * PAGE + off;

	if (rc == PULL_ERR && r->e.kind == ERR_FORMAT && r->e.off == want)
		return true;
	diag("got %d at 0x%" PRIx64 " (%s), want damage at 0x%" PRIx64, rc, r->e.off,
	     rc == PULL_ERR ? r->e.msg : "", want);
	return false;
}

/* ---------------------------------------------------------------- every layout */

static const char *layout_name;

/* One check of a test, named after the layout. */
#define T(cond, what) ok(cond, "%s: %s", layout_name, what)

/* Each layout that kernels since 2.6.31 have had. */
static inline void each_layout(void (*test)(const struct page_layout *l))
{
	static const struct {
		const char *name;
		struct page_layout l;
	} layouts[] = {
		{ "little, long 8", { .long_size = 8, .data_off = 16 } },
		{ "little, long 4", { .long_size = 4, .data_off = 12 } },
		{ "little, long 4, data at 16", { .long_size = 4, .data_off = 16 } },
		{ "big, long 8", { .big_endian = true, .long_size = 8, .data_off = 16 } },
		{ "big, long 4", { .big_endian = true, .long_size = 4, .data_off = 12 } },
		{ "big, long 4, data at 16",
		  { .big_endian = true, .long_size = 4, .data_off = 16 } },
	};

	for (unsigned i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		layout_name = layouts[i].name;
		test(&layouts[i].l);
	}
}

#endif
