// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps_fuzz: our own engine alone, without libtraceevent: the first byte says byte order, word
 * size and whether the event is one of a tracer, the next 64 are the record, the rest is the print
 * format.
 */
#include "reader/text/kernel.h"
#include "t/fuzz/fuzz.h"

#define RECORD 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char head[] =
		"\nID: 300\nformat:\n" FUZZ_COMMON "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:s8 c;\toffset:12;\tsize:1;\tsigned:1;\n"
		"\tfield:u64 v;\toffset:16;\tsize:8;\tsigned:0;\n"
		"\tfield:char who[8];\toffset:24;\tsize:8;\tsigned:1;\n"
		"\tfield:u8 raw[4];\toffset:32;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] s;\toffset:36;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc u32[] a;\toffset:40;\tsize:4;\tsigned:0;\n"
		"\tfield:__rel_loc char[] r;\toffset:44;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc cpumask_t m;\toffset:48;\tsize:4;\tsigned:0;\n"
		"\tfield:u16 tail[];\toffset:52;\tsize:0;\tsigned:0;\n\nprint fmt: ";
	static const struct origin from = { .path = "fuzz", .instance = "" };
	struct outbuf text = { 0 }, out = { 0 };
	const struct etype *t;
	struct kerntext *k;
	struct fuzz f;
	struct err e;
	char *rec;

	if (size < RECORD + 1)
		return 0;
	out_str(&text, "name: ");
	out_str(&text, data[0] & 4 ? "sys_enter_x" : "tick");
	out_str(&text, head);
	out_bytes(&text, (const char *)data + RECORD + 1, size - RECORD - 1);
	rec = fuzz_copy(data + 1, RECORD);
	fuzz_begin(&f, data[0] & 1, data[0] & 2 ? 4 : 8);
	k = kerntext_new(&f.notes);
	t = catalog_add(f.catalog, &f.machine, data[0] & 4 ? "syscalls" : "mini", text.p, text.len,
			&e);
	if (t && etype_resolve(f.catalog, t, &e) == 0) {
		struct event ev = {
			.type = t, .data = (uint8_t *)rec, .size = RECORD, .from = &from
		};
		size_t max = 64 + 1024 + 32 * RECORD;

		kerntext_put(k, &ev, &out, true);
		if (out.len > max)
			abort();
	}
	kerntext_free(k);
	fuzz_end(&f);
	outbuf_fini(&text);
	outbuf_fini(&out);
	free(rec);
	return 0;
}
