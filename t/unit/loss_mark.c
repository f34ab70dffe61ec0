// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loss_mark: the mark of lost events in a sub-buffer, as the kernel writes it, is read and added
 * to.  Without it a gap between two connections looks like a pause.
 *
 * of: ring/loss_mark.c
 */
#include "ring/loss_mark.h"
#include "t/lib/c/tap.h"

#include <string.h>

#define HEAD 16 /* a 64-bit kernel's: u64 time, u64 commit */
#define PAGE 4096

static uint8_t page[PAGE];

/* With LEN bytes of data and FLAGS; LOST after them. */
static void make(uint64_t len, uint64_t flags, uint64_t lost)
{
	uint64_t commit = len | flags;

	memset(page, 0, sizeof(page));
	memcpy(page + 8, &commit, 8);
	if (HEAD + len + 8 <= PAGE)
		memcpy(page + HEAD + len, &lost, 8);
}

static uint64_t commit_of(void)
{
	uint64_t commit;

	memcpy(&commit, page + 8, 8);
	return commit;
}

int main(void)
{
	const uint64_t some = UINT64_C(1) << 31, number = UINT64_C(1) << 30;
	uint64_t n;

	make(100, 0, 0);
	is_u64(loss_of_page(page, PAGE, HEAD), 0, "a page without a mark");
	make(100, some | number, 77);
	is_u64(loss_of_page(page, PAGE, HEAD), 77, "a number, where the kernel writes it");
	is_u64(loss_of_page(page, HEAD + 104, HEAD), LOSS_UNKNOWN, "in a page that is cut: some");
	is_u64(loss_of_page(page, 12, HEAD), 0, "and less than its head: none");
	make(100, some, 0);
	is_u64(loss_of_page(page, PAGE, HEAD), LOSS_UNKNOWN, "a mark without a number: some");

	make(100, 0, 0);
	loss_mark_page(page, PAGE, HEAD, 5);
	memcpy(&n, page + HEAD + 100, 8);
	ok(commit_of() == (100 | some | number) && n == 5, "a mark is made as the kernel makes it");
	loss_mark_page(page, PAGE, HEAD, 7);
	is_u64(loss_of_page(page, PAGE, HEAD), 12, "and added to");
	loss_mark_page(page, PAGE, HEAD, LOSS_UNKNOWN);
	ok(commit_of() == (100 | some), "what is added to an unknown number is unknown");
	loss_mark_page(page, PAGE, HEAD, 7);
	is_u64(loss_of_page(page, PAGE, HEAD), LOSS_UNKNOWN, "and stays so");
	make(PAGE - HEAD - 4, 0, 0);
	loss_mark_page(page, PAGE, HEAD, 5);
	ok(commit_of() == ((PAGE - HEAD - 4) | some), "a full page has no room for the number");
	make(PAGE, 0, 0);
	loss_mark_page(page, PAGE, HEAD, 5);
	ok(commit_of() == PAGE, "one that says to be longer than it is stays as it is");
	return tap_done();
}
