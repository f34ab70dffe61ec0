// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring_losses: what sub-buffers say of events that were lost before them.  Without it losses are
 * forgotten, told twice, or told of the wrong event.
 *
 * of: ring/ring.c
 */
#include "t/lib/c/pagetry.h"

/* A page of padding, with a number of lost events. */
static void padding(struct run *r, const struct page_layout *l, uint64_t ts, uint64_t lost)
{
	page_begin(&r->m, ts);
	head(&r->m, 29, 1);
	word(&r->m, 4 + 8);
	r->m.at += 8;
	commit(&r->m, 3u << 30, 0);
	put_number(&r->m, here(&r->m), lost, l->long_size);
}

static void test_losses(const struct page_layout *l)
{
	struct run r;

	new_run(&r, l);
	page_begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 0, 0);
	page_begin(&r.m, 200);
	record(&r.m, 0, 2, 12);
	record(&r.m, 1, 3, 12);
	commit(&r.m, 3u << 30, 0xffffffff);
	put_number(&r.m, here(&r.m), 77, l->long_size);
	page_begin(&r.m, 300);
	record(&r.m, 0, 4, 12);
	commit(&r.m, 1u << 31, 0xffffffff);
	page_begin(&r.m, 400);
	head(&r.m, 30, 1);
	word(&r.m, 0);
	record(&r.m, 0, 5, 12);
	commit(&r.m, 3u << 30, 0);
	put_number(&r.m, here(&r.m), 5, l->long_size);
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
	padding(&r, l, 100, 9);
	page_begin(&r.m, 200);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 3u << 30, 0);
	put_number(&r.m, here(&r.m), 2, l->long_size);
	open_run(&r);
	T(next_is(&r, 1, 200, 11), "losses of a page of padding are not forgotten");
	close_run(&r);

	/* A page of padding tells a number, the next one none: what they lost is one loss. */
	new_run(&r, l);
	padding(&r, l, 100, 9);
	page_begin(&r.m, 200);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 1u << 31, 0);
	padding(&r, l, 300, 4);
	open_run(&r);
	T(next_is(&r, 1, 200, LOST_UNKNOWN), "a number and an unknown one are unknown");
	T(at_end(&r) && r.s->lost == 0 && r.s->lost_unknown == 1 && r.s->lost_places == 1,
	  "the sum is that of the events (else: outputs differ)");
	T(r.s->timeless == 4, "what no record follows has no place, and is not forgotten");
	close_run(&r);

	/* No room for the count that the flag promises. */
	new_run(&r, l);
	page_begin(&r.m, 100);
	head(&r.m, 0, 0);
	word(&r.m, PAGE - l->data_off - 4);
	body(&r.m, 300, 7, 1, PAGE - l->data_off - 8);
	commit(&r.m, 3u << 30, 0);
	open_run(&r);
	T(next_is(&r, 1, 100, LOST_UNKNOWN), "a count flag on a full page is an unknown count");
	close_run(&r);

	/* A count that cannot be: some were lost. */
	new_run(&r, l);
	page_begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 3u << 30, 0);
	put_number(&r.m, here(&r.m), UINT64_MAX, l->long_size);
	open_run(&r);
	T(next_is(&r, 1, 100, LOST_UNKNOWN), "an absurd count is an unknown count");
	close_run(&r);
}

int main(void)
{
	each_layout(test_losses);
	return tap_done();
}
