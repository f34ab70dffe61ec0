// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_fuzz: a print format over an event with fields of every kind.  The first 64 bytes are the
 * record, the rest is the print format.
 */
#include "t/fuzz/fuzz.h"

#define RECORD 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] =
		"name: tick\nID: 300\nformat:\n" FUZZ_COMMON
		"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 v;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:char who[8];\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:u8 raw[4];\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] s;\toffset:36;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc u32[] a;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char[] r;\toffset:44;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc cpumask_t m;\toffset:48;\tsize:4;\tsigned:0;\n"
		"\tfield:u16 tail[];\toffset:52;\tsize:0;\tsigned:0;\n\nprint fmt: ";
	const struct etype *t;
	char *text, *rec;
	struct fuzz f;
	struct err e;
	size_t len;

	if (size < RECORD)
		return 0;
	len = sizeof(head) - 1 + size - RECORD;
	text = malloc(len);
	memcpy(text, head, sizeof(head) - 1);
	memcpy(text + sizeof(head) - 1, data + RECORD, size - RECORD);
	rec = fuzz_copy(data, RECORD);
	fuzz_begin(&f, size & 1, 8);
	t = catalog_add(f.catalog, &f.machine, "mini", text, len, &e);
	if (t && etype_resolve(f.catalog, t, &e) == 0)
		fuzz_record(&f, t, (uint8_t *)rec, RECORD);
	fuzz_end(&f);
	free(rec);
	free(text);
	return 0;
}
