// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ring: records and their times in hand-made sub-buffers (format.md 4), in every byte order and
 * layout that kernels have had.  Without it an event has the bytes of another, or a wrong time.
 *
 * of: ring/ring.c
 */
#include "t/lib/c/pagetry.h"

static void test_lengths(const struct page_layout *l)
{
	struct run r;
	bool all = true;

	/* Every type_len that carries data; below 3 a record has no room for the format. */
	new_run(&r, l);
	for (unsigned t = 3; t <= 28; t++) {
		if (!r.m.n || r.m.at + 4 + 4 * t > PAGE) {
			if (r.m.n)
				commit(&r.m, 0, 0);
			page_begin(&r.m, 1000 * t);
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
	page_begin(&r.m, 1000);
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
	page_begin(&r.m, 1000);
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
	page_begin(&r.m, 77);
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
	page_begin(&r.m, 0x0800000000000000ull + 500);
	record(&r.m, 0, 1, 12);
	head(&r.m, 31, 600);
	word(&r.m, 0);
	record(&r.m, 0, 2, 12);
	head(&r.m, 31, 100);
	word(&r.m, 0);
	record(&r.m, 0, 3, 12);
	commit(&r.m, 0, 0);
	page_begin(&r.m, top + 9);
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
	page_begin(&r.m, 1000);
	record(&r.m, 5, 1, 12);
	commit(&r.m, 0, 0);
	open_run(&r);
	T(next_is(&r, 1, 1005, 0), "a delta of the first record counts too");
	close_run(&r);

	new_run(&r, l);
	page_begin(&r.m, 1000);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 0, 0);
	r.clock.offset = -400;
	open_run(&r);
	T(next_is(&r, 1, 600, 0), "the clock's offset is added");
	close_run(&r);
}

static void test_odd_records(const struct page_layout *l)
{
	struct run r;

	new_run(&r, l);
	page_begin(&r.m, 5000);
	record(&r.m, 0, 1, 12);
	commit(&r.m, 0, 0);
	page_begin(&r.m, 0); /* a zero page */
	page_begin(&r.m, 6000);
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
	page_begin(&r.m, 1000);
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
	page_begin(&r.m, 2000);
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

/* Up to when nothing more comes, as a feed that waits says, or the last record. */
static void test_waits(const struct page_layout *l)
{
	struct run r;
	bool one;

	new_run(&r, l);
	page_begin(&r.m, 1000);
	record(&r.m, 5, 1, 12);
	commit(&r.m, 0, 0);
	r.feed.promise = 900;
	open_run(&r);
	one = next_is(&r, 1, 1005, 0);
	T(one && pull(&r) == PULL_WAIT && r.s->watermark == 1004,
	  "nothing comes before the last record (else: the other CPUs' events wait for a promise)");
	r.feed.promise = 2000;
	T(pull(&r) == PULL_WAIT && r.s->watermark == 2000, "a later promise counts");
	page_begin(&r.m, 2001);
	record(&r.m, 0, 2, 12);
	commit(&r.m, 0, 0);
	T(next_is(&r, 2, 2001, 0), "and then a page comes");
	close_run(&r);

	new_run(&r, l);
	r.feed.promise = 900;
	open_run(&r);
	T(pull(&r) == PULL_WAIT && r.s->watermark == 900, "without a record, the promise alone");
	close_run(&r);
}

int main(void)
{
	each_layout(test_lengths);
	each_layout(test_times);
	each_layout(test_waits);
	each_layout(test_odd_records);
	layout_name = "old, little";
	test_old(false);
	layout_name = "old, big";
	test_old(true);
	return tap_done();
}
