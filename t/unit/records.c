// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * records: sub-buffers made by hand, counted.  Without it a report counts records that nobody has
 * written, or leaves some out.
 *
 * of: ring/record_count.c
 */
#include "ring/record_count.h"
#include "t/lib/c/tap.h"

#include <string.h>
#include <unistd.h>

/* Records with a common_pid: ours, another's, ours in a long one, and one too short to have any. */
static void test_own(void)
{
	uint8_t page[128] = { 0 };
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const uint32_t two = big ? 2u << 27 : 2, one = big ? 1u << 27 : 1, len = 12;
	const uint32_t ours = (uint32_t)getpid(), other = ours + 1;
	const uint64_t commit = 12 + 12 + 16 + 8;
	uint64_t own = 5;

	memcpy(page + 8, &commit, 8);
	memcpy(page + 16, &two, 4);
	memcpy(page + 24, &ours, 4);
	memcpy(page + 28, &two, 4);
	memcpy(page + 36, &other, 4);
	memcpy(page + 44, &len, 4); /* type_len 0: its length, which counts itself */
	memcpy(page + 52, &ours, 4);
	memcpy(page + 56, &one, 4);
	is_u64(records_own_in_page(page, sizeof(page), 16, (int32_t)ours, &own), 4, "four records");
	is_u64(own, 7,
	       "two of them are ours (else: a recorder that traces itself does not say so)");
}

static void test_page(void)
{
	/* Its time, its commit word (8 bytes of data, a missed flag), two records without data. */
	uint8_t page[64] = { 0 };
	const uint64_t commit = 16 | UINT64_C(1) << 31;
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const uint32_t record = big ? 1u << 27 : 1; /* type_len 1: four bytes of data */

	memcpy(page + 8, &commit, 8);
	memcpy(page + 16, &record, 4);
	memcpy(page + 24, &record, 4);
	is_u64(records_in_page(page, sizeof(page), 16), 2, "the records of a sub-buffer");
	is_u64(records_in_page(page, 24, 16), 1, "of one that was cut: those that are there");
	is_u64(records_in_page(page, 12, 16), 0, "and none, where not even its head is");
	memset(page, 0, sizeof(page));
	is_u64(records_in_page(page, sizeof(page), 16), 0, "zeros are no records");
	test_own();
}

static void see_type(void *arg, unsigned type)
{
	char *text = arg;
	size_t n = strlen(text);

	snprintf(text + n, 64 - n, "%u ", type);
}

/* The types of records of any form; a time between them has none. */
static void test_types(void)
{
	uint8_t page[128] = { 0 };
	const bool big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	const uint32_t two = big ? 2u << 27 : 2, extend = big ? 30u << 27 : 30, len = 12;
	const uint16_t types[] = { 301, 17, 65535 };
	const uint64_t commit = 12 + 8 + 16 + 12;
	char text[64] = "";

	memcpy(page + 8, &commit, 8);
	memcpy(page + 16, &two, 4);
	memcpy(page + 20, &types[0], 2);
	memcpy(page + 28, &extend, 4);
	memcpy(page + 40, &len, 4); /* type_len 0: its length, which counts itself */
	memcpy(page + 44, &types[1], 2);
	memcpy(page + 52, &two, 4);
	memcpy(page + 56, &types[2], 2);
	records_types_in_page(page, sizeof(page), 16, see_type, text);
	is_str(text, "301 17 65535 ",
	       "the type of each record (else: the wrong event is switched off)");
	text[0] = '\0';
	records_types_in_page(page, 16, 16, see_type, text);
	is_str(text, "", "of a page without data: none");
}

int main(void)
{
	test_types();
	test_page();
	test_own();
	return tap_done();
}
