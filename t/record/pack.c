// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pack: chosen records as new sub-buffers, read back by ring in every layout.  Without it a cut of
 * a machine that is not here has other times, losses or records than its trace.
 *
 * of: record/cut/repack.c record/cut/repack.h
 */
#include "record/cut/repack.h"
#include "t/lib/c/pagetry.h"

static int take_page(void *arg, const uint8_t *p, struct err *e)
{
	struct maker *m = arg;

	if (m->n == sizeof(m->p) / sizeof(m->p[0]))
		bail("more pages than there is room for");
	memcpy(m->p[m->n++], p, PAGE);
	return 0;
}

/* A record of LEN bytes with value V at the stamp TS, whose page has gone. */
static void give(struct pack *k, struct run *r, uint64_t ts, uint32_t v, uint32_t len,
		 uint32_t lost)
{
	struct maker m = { .l = r->m.l };
	struct ring_place place = { .stamp = ts, .layout = &r->m.l };
	struct event ev = { .size = len, .place = &place };

	page_begin(&m, 0);
	ev.data = here(&m);
	body(&m, 300, 7, v, len);
	if (pack_record(k, &ev, lost, &r->e) < 0)
		bail("%s", r->e.msg);
}

static void test_made(const struct page_layout *l)
{
	const uint64_t far = 1ull << 40;
	struct pack *k;
	struct run r;

	new_run(&r, l);
	k = pack_new(&r.m.l, take_page, &r.m);
	give(k, &r, 1000, 1, 12, 0);
	give(k, &r, 1000, 2, 112, 0);
	give(k, &r, 1000 + (1u << 27) - 1, 3, 116, 0);
	give(k, &r, 1000 + 2 * (1ull << 27) - 1, 4, 28, 0);
	give(k, &r, far, 5, 32, 0);
	give(k, &r, far - 7, 6, 12, 0);
	give(k, &r, far, 7, 400, 5);
	give(k, &r, far + 1, 8, 12, LOST_UNKNOWN);
	give(k, &r, far + 2, 9, PAGE - l->data_off - 8, 6);
	give(k, &r, far + (1ull << 60), 10, 12, 0);
	if (pack_end(k, &r.e) < 0)
		bail("%s", r.e.msg);
	pack_free(k);
	open_run(&r);
	T(next_is(&r, 1, 1000, 0) && next_is(&r, 2, 1000, 0), "records of one time");
	T(r.s->ev.size == 112, "the longest short one keeps its length");
	T(next_is(&r, 3, 1000 + (1u << 27) - 1, 0) && r.s->ev.size == 116,
	  "the longest step in time of a record, and the least long record");
	T(next_is(&r, 4, 1000 + 2 * (1ull << 27) - 1, 0), "the least step that needs an extend");
	T(next_is(&r, 5, far, 0), "a long step");
	T(next_is(&r, 6, far - 7, 0), "back in time");
	T(next_is(&r, 7, far, 5) && r.s->ev.size == 400, "a loss that is counted");
	T(next_is(&r, 8, far + 1, LOST_UNKNOWN), "one that is not");
	T(next_is(&r, 9, far + 2, LOST_UNKNOWN), "one whose count has no room, as in a kernel");
	T(next_is(&r, 10, far + (1ull << 60), 0), "a step that no extend can tell");
	T(at_end(&r) && !r.said, "and no more");
	close_run(&r);
}

/* Two pages are read; of the second the record SKIP is not chosen. */
static void copy(struct run *in, struct run *out, uint32_t skip)
{
	struct pack *k = pack_new(&out->m.l, take_page, &out->m);

	while (pull(in) == PULL_OK)
		if (value(in) != skip && pack_record(k, &in->s->ev, in->s->ev.lost, &in->e) < 0)
			bail("%s", in->e.msg);
	if (pack_end(k, &in->e) < 0)
		bail("%s", in->e.msg);
	pack_free(k);
}

static void two_pages(struct run *r, const struct page_layout *l)
{
	new_run(r, l);
	page_begin(&r->m, 100);
	record(&r->m, 0, 1, 12);
	record(&r->m, 3, 2, 120);
	commit(&r->m, 0, 0);
	page_begin(&r->m, 200);
	head(&r->m, 30, 1);
	word(&r->m, 0);
	record(&r->m, 0, 3, 12);
	record(&r->m, 1, 4, 12);
	commit(&r->m, 3u << 30, 0xffffffff);
	put_number(&r->m, here(&r->m), 77, l->long_size);
	open_run(r);
}

static void test_copied(const struct page_layout *l)
{
	struct run in, out;

	two_pages(&in, l);
	new_run(&out, l);
	copy(&in, &out, 0);
	T(out.m.n == 2 && !memcmp(out.m.p, in.m.p, (size_t)2 * PAGE),
	  "pages whose records were all chosen are copied");
	close_run(&in);
	two_pages(&in, l);
	new_run(&out, l);
	copy(&in, &out, 4);
	T(out.m.n == 2 && !memcmp(out.m.p[0], in.m.p[0], PAGE) &&
		  memcmp(out.m.p[1], in.m.p[1], PAGE) != 0,
	  "one that lacks its last record is not");
	close_run(&in);
	open_run(&out);
	T(next_is(&out, 1, 100, 0) && next_is(&out, 2, 103, 0), "the first page's records");
	T(next_is(&out, 3, 201, 77), "the loss before the second's first one");
	T(at_end(&out), "and no more");
	close_run(&out);
}

int main(void)
{
	struct page_layout old = { .old = true, .long_size = 8, .data_off = 16, .page_size = PAGE };

	each_layout(test_made);
	each_layout(test_copied);
	layout_name = "old, little";
	test_made(&old);
	layout_name = "old, big";
	old.big_endian = true;
	test_made(&old);
	return tap_done();
}
