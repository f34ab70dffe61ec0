// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring_damage: damaged and cut sub-buffers.  Without it a length in a page leads out of that page,
 * or one bad record costs more than the rest of its page.
 *
 * of: ring/ring.c
 */
#include "t/lib/c/pagetry.h"

static void test_damage(const struct page_layout *l)
{
	struct run r;
	uint32_t at;

	/* Each bad page is followed by a good one, whose record must come. */
	new_run(&r, l);
	page_begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	at = r.m.at;
	head(&r.m, 20, 0);
	body(&r.m, 300, 7, 2, 12); /* 68 more are promised */
	commit(&r.m, 0, 0);
	page_begin(&r.m, 200);
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
			page_begin(&r.m, 100);
			record(&r.m, 0, 1, 12);
			at = r.m.at;
			head(&r.m, type, 1);
			word(&r.m, bad[i]);
			body(&r.m, 300, 7, 2, 40);
			commit(&r.m, 0, 0);
			page_begin(&r.m, 200);
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
		page_begin(&r.m, 100);
		head(&r.m, type, 1);
		commit(&r.m, 0, 0);
		page_begin(&r.m, 200);
		record(&r.m, 0, 3, 12);
		commit(&r.m, 0, 0);
		open_run(&r);
		snprintf(what, sizeof(what), "type %u in the last word of the data", type);
		T(damage_at(&r, 0, l->data_off) && next_is(&r, 3, 200, 0), what);
		close_run(&r);
	}

	new_run(&r, l);
	page_begin(&r.m, 100);
	put_number(&r.m, r.m.p[0] + 8, 0x7ffffff, l->long_size);
	page_begin(&r.m, 150);
	put_number(&r.m, r.m.p[1] + 8, PAGE - l->data_off + 1, l->long_size);
	page_begin(&r.m, 200);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(damage_at(&r, 0, 0), "a commit of 0x7ffffff is damage");
	T(damage_at(&r, 1, 0), "a commit of one byte too many is damage");
	T(next_is(&r, 3, 200, 0), "and the page behind them comes");
	close_run(&r);

	new_run(&r, l);
	page_begin(&r.m, 100);
	record(&r.m, 0, 1, 12);
	r.m.at += 2;
	commit(&r.m, 0, 0);
	page_begin(&r.m, 200);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 100, 0) && damage_at(&r, 0, l->data_off + 16) && next_is(&r, 3, 200, 0),
	  "two bytes at the end of the data are damage");
	close_run(&r);

	/* Records too short for their type number, and for their format. */
	new_run(&r, l);
	page_begin(&r.m, 100);
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

static void test_cut_pages(const struct page_layout *l)
{
	struct run r;

	/* The file ends in a page: records that are whole come. */
	new_run(&r, l);
	page_begin(&r.m, 100);
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
		page_begin(&r.m, 100);
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

int main(void)
{
	each_layout(test_damage);
	each_layout(test_cut_pages);
	return tap_done();
}
