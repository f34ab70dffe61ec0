// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring: pages made by hand, in every byte order and layout that kernels have, against the records,
 * times and losses that format.md 4 says are in them.
 */
#include "reader/model/machine.h"
#include "reader/pages/ring.h"
#include "t/lib/tap.h"

#include <stdlib.h>

#define PAGE 512

/* ---------------------------------------------------------------- a page under construction */

struct maker {
	struct page_layout l;
	uint8_t p[8][PAGE];
	unsigned n;   /* pages */
	uint32_t at;  /* in the current one */
	uint32_t cut; /* if set: the last page has only so many bytes */
};

static void put(struct maker *m, uint8_t *p, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		p[m->l.big_endian ? size - 1 - i : i] = v >> (8 * i);
}

static void begin(struct maker *m, uint64_t ts)
{
	memset(m->p[m->n], 0, PAGE);
	put(m, m->p[m->n], ts, 8);
	m->at = m->l.data_off;
	m->n++;
}

static uint8_t *here(struct maker *m)
{
	return m->p[m->n - 1] + m->at;
}

static void word(struct maker *m, uint32_t v)
{
	put(m, here(m), v, 4);
	m->at += 4;
}

static void head(struct maker *m, unsigned type_len, uint32_t delta)
{
	word(m, m->l.big_endian ? type_len << 27 | delta : delta << 5 | type_len);
}

/* The bytes of a record: common fields, then V, then as many zeros as LEN asks for. */
static void body(struct maker *m, unsigned id, int32_t pid, uint32_t v, unsigned len)
{
	put(m, here(m), id, 2);
	put(m, here(m) + 4, (uint32_t)pid, 4);
	if (len >= 12)
		put(m, here(m) + 8, v, 4);
	m->at += len;
}

/* A record of LEN bytes, in the short form where that can be. */
static void record(struct maker *m, uint32_t delta, uint32_t v, unsigned len)
{
	if (len <= 112) {
		head(m, len / 4, delta);
	} else {
		head(m, 0, delta);
		word(m, len + 4);
	}
	body(m, 300, 7, v, len);
}

/* Write the commit word: what is in the page so far, with FLAGS, the upper half of 64 bits as
 * UPPER. */
static void commit(struct maker *m, uint32_t flags, uint32_t upper)
{
	uint64_t w = (m->at - m->l.data_off) | flags;

	if (m->l.long_size == 8)
		w |= (uint64_t)upper << 32;
	put(m, m->p[m->n - 1] + 8, w, m->l.long_size);
}

/* ---------------------------------------------------------------- the stream over them */

struct made_feed {
	struct feed base;
	struct maker *m;
	unsigned next;
};

static enum pull made_page(struct feed *f, struct page *out, struct err *e)
{
	struct made_feed *mf = (struct made_feed *)f;

	if (mf->next == mf->m->n)
		return PULL_EOF;
	out->p = mf->m->p[mf->next];
	out->off = 0x1000 + mf->next * PAGE;
	mf->next++;
	out->len = mf->next == mf->m->n && mf->m->cut ? mf->m->cut : PAGE;
	return PULL_OK;
}

static void made_close(struct feed *f)
{
}

static const struct feed_ops made_ops = { made_page, made_close };

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

/* What the stream says next, other than to ask again. */
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
static bool next_is(struct run *r, uint32_t v, uint64_t ts, uint32_t lost)
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

static bool at_end(struct run *r)
{
	enum pull rc = pull(r);

	if (rc != PULL_EOF)
		diag("the stream goes on: %d %s", rc, rc == PULL_ERR ? r->e.msg : "");
	return rc == PULL_EOF;
}

/* Does the stream report damage at page PAGE_NO, offset OFF in it? */
static bool damage_at(struct run *r, unsigned page_no, uint32_t off)
{
	enum pull rc = pull(r);
	uint64_t want = 0x1000 + page_no * PAGE + off;

	if (rc == PULL_ERR && r->e.kind == ERR_FORMAT && r->e.off == want)
		return true;
	diag("got %d at 0x%" PRIx64 " (%s), want damage at 0x%" PRIx64, rc, r->e.off,
	     rc == PULL_ERR ? r->e.msg : "", want);
	return false;
}

/* ---------------------------------------------------------------- the tests */

static const char *layout_name;

#define T(cond, what) ok(cond, "%s: %s", layout_name, what)

static void test_lengths(const struct page_layout *l)
{
	struct run r;
	bool all = true;

	/* Every type_len that carries data; below 3 a record has not the room for the format. */
	new_run(&r, l);
	for (unsigned t = 3; t <= 28; t++) {
		if (!r.m.n || r.m.at + 4 + 4 * t > PAGE) {
			if (r.m.n)
				commit(&r.m, 0, 0);
			begin(&r.m, 1000 * t);
		}
		head(&r.m, t, 5);
		body(&r.m, 300, 7, t, 4 * t);
	}
	commit(&r.m, 0, 0);
	open_run(&r);
	for (unsigned t = 3; t <= 28 && all; t++) {
		all = pull(&r) == PULL_OK && value(&r) == t && r.s->ev.size == 4 * t &&
		      r.s->ev.seq == t - 2 && r.s->ev.pid == 7 && r.s->ev.cpu == 3;
		if (!all)
			diag("type_len %u", t);
	}
	T(all, "type_len 3 to 28 give records of 4 times as many bytes");
	T(at_end(&r), "and then nothing");
	close_run(&r);

	new_run(&r, l);
	begin(&r.m, 1000);
	head(&r.m, 0, 1);
	word(&r.m, 4 + 200);
	body(&r.m, 300, 7, 1, 200);
	head(&r.m, 0, 1);
	word(&r.m, 4 + 13); /* no kernel does: the next one begins at the next word */
	body(&r.m, 300, 7, 2, 16);
	record(&r.m, 1, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 1001, 0) && r.s->ev.size == 200,
	  "type 0 states its length, itself counted");
	T(next_is(&r, 2, 1002, 0) && r.s->ev.size == 16, "an odd length is rounded up to words");
	T(next_is(&r, 3, 1003, 0) && at_end(&r), "what follows a long record is found");
	close_run(&r);
}

static void test_times(const struct page_layout *l)
{
	const uint64_t top = 0xf800000000000000ull;
	uint64_t abs59 = 123456789000;
	struct run r;

	new_run(&r, l);
	begin(&r.m, 1000);
	record(&r.m, 0, 1, 12);
	head(&r.m, 30, 5);
	word(&r.m, 3);
	record(&r.m, 7, 2, 12);
	head(&r.m, 31, abs59 & 0x7ffffff);
	word(&r.m, abs59 >> 27);
	record(&r.m, 0, 3, 12);
	head(&r.m, 29, 100);
	word(&r.m, 4 + 16);
	memset(here(&r.m), 0xee, 16);
	r.m.at += 16;
	record(&r.m, 1, 4, 12);
	record(&r.m, 0x7ffffff, 5, 12);
	head(&r.m, 29, 0);
	memset(here(&r.m), 0xff, 16); /* never looked at */
	r.m.at += 16;
	commit(&r.m, 0, 0);
	begin(&r.m, 77);
	record(&r.m, 2, 6, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 1000, 0), "the first record has the page's time");
	T(next_is(&r, 2, 1000 + 3 * (1ull << 27) + 5 + 7, 0), "a time extend adds 59 bits");
	T(next_is(&r, 3, abs59, 0), "an absolute stamp replaces the time");
	T(next_is(&r, 4, abs59 + 101, 0),
	  "padding with a length is jumped over and its delta counts");
	T(next_is(&r, 5, abs59 + 101 + 0x7ffffff, 0), "a delta has 27 bits");
	T(next_is(&r, 6, 79, 0), "null padding ends the page, and the next page sets the time");
	T(at_end(&r), "the end");
	close_run(&r);

	/* The upper five bits of the time survive an absolute stamp, and its 59 bits may wrap. */
	new_run(&r, l);
	begin(&r.m, 0x0800000000000000ull + 500);
	record(&r.m, 0, 1, 12);
	head(&r.m, 31, 600);
	word(&r.m, 0);
	record(&r.m, 0, 2, 12);
	head(&r.m, 31, 100);
	word(&r.m, 0);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	begin(&r.m, top + 9);
	head(&r.m, 31, 50);
	word(&r.m, 0);
	record(&r.m, 0, 4, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 0x0800000000000000ull + 500, 0), "a time of 60 bits");
	T(next_is(&r, 2, 0x0800000000000000ull + 600, 0), "an absolute stamp keeps the upper bits");
	T(next_is(&r, 3, 0x1000000000000000ull + 100, 0),
	  "a stamp before the last time has wrapped");
	T(next_is(&r, 4, top + 50, 0), "all upper bits set");
	close_run(&r);

	new_run(&r, l);
	begin(&r.m, 1000);
	record(&r.m, 5, 1, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 1005, 0), "a delta of the first record counts too");
	close_run(&r);

	new_run(&r, l);
	begin(&r.m, 1000);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 0, 0);
	r.clock.offset = -400;
	open_run(&r);
	T(next_is(&r, 1, 600, 0), "the clock's offset is added");
	close_run(&r);
}

static void test_losses(const struct page_layout *l)
{
	struct run r;

	new_run(&r, l);
	begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 0, 0);
	begin(&r.m, 200);
	record(&r.m, 0, 2, 12);
	record(&r.m, 1, 3, 12);
	commit(&r.m, 3u << 30, 0xffffffff);
	put(&r.m, here(&r.m), 77, l->long_size);
	begin(&r.m, 300);
	record(&r.m, 0, 4, 12);
	commit(&r.m, 1u << 31, 0xffffffff);
	begin(&r.m, 400);
	head(&r.m, 30, 1);
	word(&r.m, 0);
	record(&r.m, 0, 5, 12);
	commit(&r.m, 3u << 30, 0);
	put(&r.m, here(&r.m), 5, l->long_size);
	open_run(&r);
	T(next_is(&r, 1, 100, 0) && r.s->ev.seq == 1, "nothing lost");
	T(next_is(&r, 2, 200, 77), "a stored count, the upper half of the commit word all ones");
	T(r.s->ev.seq == 2 + 77, "losses are counted in the sequence");
	T(next_is(&r, 3, 201, 0) && r.s->ev.seq == 80, "and told once only");
	T(next_is(&r, 4, 300, LOST_UNKNOWN), "a loss of unknown count");
	T(r.s->ev.seq == 82, "that counts one in the sequence");
	T(r.s->ev.at_page_start, "a record at data offset 0 is told as such");
	T(next_is(&r, 5, 401, 5), "a loss before a page that begins with a time extend");
	T(!r.s->ev.at_page_start, "whose record is not at data offset 0");
	T(at_end(&r) && r.s->lost == 82 && r.s->lost_unknown == 1, "the totals");
	close_run(&r);

	/* A loss flag on a page without records belongs to the first record behind it. */
	new_run(&r, l);
	begin(&r.m, 100);
	head(&r.m, 29, 1);
	word(&r.m, 4 + 8);
	r.m.at += 8;
	commit(&r.m, 3u << 30, 0);
	put(&r.m, here(&r.m), 9, l->long_size);
	begin(&r.m, 200);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 3u << 30, 0);
	put(&r.m, here(&r.m), 2, l->long_size);
	open_run(&r);
	T(next_is(&r, 1, 200, 11), "losses of a page of padding are not forgotten");
	close_run(&r);

	/* No room for the count that the flag promises. */
	new_run(&r, l);
	begin(&r.m, 100);
	head(&r.m, 0, 0);
	word(&r.m, PAGE - l->data_off - 4);
	body(&r.m, 300, 7, 1, PAGE - l->data_off - 8);
	commit(&r.m, 3u << 30, 0);
	open_run(&r);
	T(next_is(&r, 1, 100, LOST_UNKNOWN), "a count flag on a full page is an unknown count");
	close_run(&r);

	/* A count that cannot be: some were lost. */
	new_run(&r, l);
	begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 3u << 30, 0);
	put(&r.m, here(&r.m), UINT64_MAX, l->long_size);
	open_run(&r);
	T(next_is(&r, 1, 100, LOST_UNKNOWN), "an absurd count is an unknown count");
	close_run(&r);
}

static void test_damage(const struct page_layout *l)
{
	struct run r;
	uint32_t at;

	/* Each bad page is followed by a good one, whose record must come. */
	new_run(&r, l);
	begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	at = r.m.at;
	head(&r.m, 20, 0);
	body(&r.m, 300, 7, 2, 12); /* 68 more are promised */
	commit(&r.m, 0, 0);
	begin(&r.m, 200);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 100, 0), "what stands before a damaged record comes");
	T(damage_at(&r, 0, at), "a record over the end of the data is damage, with its place");
	T(next_is(&r, 3, 200, 0), "the page behind comes");
	close_run(&r);

	static const uint32_t bad[] = { 0, 3, 0xfffff000, 0xffffffff, 0x80000000, 600, 0x7ffffffd };

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (unsigned type = 0; type <= 29; type += 29) {
			char what[64];

			new_run(&r, l);
			begin(&r.m, 100);
			record(&r.m, 0, 1, 12);
			at = r.m.at;
			head(&r.m, type, 1);
			word(&r.m, bad[i]);
			body(&r.m, 300, 7, 2, 40);
			commit(&r.m, 0, 0);
			begin(&r.m, 200);
			record(&r.m, 0, 3, 12);
			commit(&r.m, 0, 0);
			open_run(&r);
			snprintf(what, sizeof(what), "type %u with a length of 0x%x costs its page",
				 type, bad[i]);
			T(next_is(&r, 1, 100, 0) && damage_at(&r, 0, at) &&
				  next_is(&r, 3, 200, 0) && at_end(&r),
			  what);
			close_run(&r);
		}

	for (unsigned type = 0; type <= 31; type += type ? 1 : 29) {
		char what[64];

		new_run(&r, l);
		begin(&r.m, 100);
		head(&r.m, type, 1);
		commit(&r.m, 0, 0);
		begin(&r.m, 200);
		record(&r.m, 0, 3, 12);
		commit(&r.m, 0, 0);
		open_run(&r);
		snprintf(what, sizeof(what), "type %u in the last word of the data", type);
		T(damage_at(&r, 0, l->data_off) && next_is(&r, 3, 200, 0), what);
		close_run(&r);
	}

	new_run(&r, l);
	begin(&r.m, 100);
	put(&r.m, r.m.p[0] + 8, 0x7ffffff, l->long_size);
	begin(&r.m, 150);
	put(&r.m, r.m.p[1] + 8, PAGE - l->data_off + 1, l->long_size);
	begin(&r.m, 200);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(damage_at(&r, 0, 0), "a commit of 0x7ffffff is damage");
	T(damage_at(&r, 1, 0), "a commit of one byte too many is damage");
	T(next_is(&r, 3, 200, 0), "and the page behind them comes");
	close_run(&r);

	new_run(&r, l);
	begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	r.m.at += 2;
	commit(&r.m, 0, 0);
	begin(&r.m, 200);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 100, 0) && damage_at(&r, 0, l->data_off + 16) && next_is(&r, 3, 200, 0),
	  "two bytes at the end of the data are damage");
	close_run(&r);

	/* Records too short for their type number, and for their format. */
	new_run(&r, l);
	begin(&r.m, 100);
	head(&r.m, 0, 0);
	word(&r.m, 4);
	head(&r.m, 2, 0);
	body(&r.m, 300, 7, 0, 8);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(damage_at(&r, 0, l->data_off), "a record without bytes is damage");
	T(damage_at(&r, 0, l->data_off + 8), "a record shorter than its format is damage");
	T(next_is(&r, 3, 100, 0), "and the record behind them comes");
	close_run(&r);
}

static void test_odd_pages(const struct page_layout *l)
{
	struct run r;

	new_run(&r, l);
	begin(&r.m, 5000);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 0, 0);
	begin(&r.m, 0); /* a zero page */
	begin(&r.m, 6000);
	record(&r.m, 0, 2, 12);
	head(&r.m, 3, 0);
	body(&r.m, 9999, 8, 42, 12); /* of an id that has no format */
	head(&r.m, 3, 0);
	body(&r.m, 9999, 8, 43, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 5000, 0) && next_is(&r, 2, 6000, 0),
	  "a page of zeros is no event and no damage");
	T(pull(&r) == PULL_OK && !r.s->ev.type->known && r.s->ev.type->id == 9999 &&
		  r.s->ev.pid == 8,
	  "a record of an unknown id is delivered as unknown");
	T(!strcmp(r.s->ev.type->system, "unknown") && !strcmp(r.s->ev.type->name, "id_9999"),
	  "under its number");
	T(pull(&r) == PULL_OK && r.said == 1, "and that is said once");
	close_run(&r);

	/* The file ends in a page: records that are whole come. */
	new_run(&r, l);
	begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	record(&r.m, 0, 2, 12);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	r.m.cut = l->data_off + 16 + 16 + 8;
	open_run(&r);
	T(next_is(&r, 1, 100, 0) && next_is(&r, 2, 100, 0), "records of a page that was cut come");
	T(at_end(&r), "up to the one that is cut, of which the feed has told");
	close_run(&r);

	for (uint32_t cut = 1; cut < l->data_off; cut++) {
		new_run(&r, l);
		begin(&r.m, 100);
		record(&r.m, 0, 1, 12);
		commit(&r.m, 0, 0);
		r.m.cut = cut;
		open_run(&r);
		if (pull(&r) == PULL_OK) {
			T(false, "a page cut in its header has no records");
			close_run(&r);
			return;
		}
		close_run(&r);
	}
	T(true, "a page cut in its header has no records");
}

/*
 * 2.6.30's event headers, which the kernel declares as bit fields: type of 2 bits, length of 3,
 * delta of 27, from the low end in a little-endian kernel and from the high end in a big-endian
 * one.
 */
static void test_old(bool big_endian)
{
	struct page_layout l = { .big_endian = big_endian,
				 .old = true,
				 .long_size = 8,
				 .data_off = 16,
				 .page_size = PAGE };
	struct run r;

#define OLD(type, len, delta) \
	word(&r.m, big_endian ? (uint32_t)(type) << 30 | (uint32_t)(len) << 27 | (delta) : \
				(delta) << 5 | (len) << 2 | (type))
	new_run(&r, &l);
	begin(&r.m, 1000);
	OLD(3u, 3u, 1u);
	body(&r.m, 300, 7, 1, 12);
	OLD(1u, 1u, 5u);
	word(&r.m, 2);
	OLD(3u, 0u, 1u);
	word(&r.m, 4 + 60);
	body(&r.m, 300, 7, 2, 60);
	OLD(3u, 7u, 1u);
	body(&r.m, 300, 7, 3, 28);
	OLD(0u, 0u, 0u);
	memset(here(&r.m), 0xff, 8);
	r.m.at += 8;
	commit(&r.m, 0, 0);
	begin(&r.m, 2000);
	OLD(3u, 0u, 0u);
	word(&r.m, 4000);
	body(&r.m, 300, 7, 4, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 1001, 0) && r.s->ev.size == 12, "a short record of 2.6.30");
	T(next_is(&r, 2, 1001 + 2 * (1ull << 27) + 5 + 1, 0) && r.s->ev.size == 60,
	  "a time extend and a long record of 2.6.30");
	T(next_is(&r, 3, 1001 + 2 * (1ull << 27) + 5 + 2, 0) && r.s->ev.size == 28,
	  "the longest short record of 2.6.30");
	T(damage_at(&r, 1, 16), "padding ends its page, a record over the end is damage");
	T(at_end(&r), "the end");
	close_run(&r);
#undef OLD
}

int main(void)
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
		test_lengths(&layouts[i].l);
		test_times(&layouts[i].l);
		test_losses(&layouts[i].l);
		test_damage(&layouts[i].l);
		test_odd_pages(&layouts[i].l);
	}
	layout_name = "old, little";
	test_old(false);
	layout_name = "old, big";
	test_old(true);
	return tap_done();
}
