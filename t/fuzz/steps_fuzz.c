// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * steps_fuzz: the engine in both dialects: the first byte says byte order, word size and whether
 * the event is one of a tracer, the next 64 are the record, the rest is the print format.
 */
#include "text/engine.h"
#include "t/fuzz/fuzz.h"

#define RECORD 64

/* The text is bounded by the record. */
static void print(struct fuzz *f, const struct etype *t, const uint8_t *rec, enum dialect dialect)
{
	static const struct origin from = { .path = "fuzz", .instance = "" };
	struct event ev = { .type = t, .data = rec, .size = RECORD, .from = &from };
	struct engine *k = engine_new(dialect, &f->notes);
	struct outbuf out = { 0 };

	engine_put(k, &ev, &out, true);
	if (out.len > 64 + 1024 + 32 * RECORD)
		abort();
	engine_free(k);
	outbuf_fini(&out);
}

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
	struct outbuf text = { 0 };
	const struct etype *t;
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
	t = catalog_add(f.catalog, &f.machine, data[0] & 4 ? "syscalls" : "mini", text.p, text.len,
			&e);
	if (t && etype_resolve(f.catalog, t, &e) == 0) {
		fuzz_record(&f, t, (uint8_t *)rec, RECORD);
		print(&f, t, (uint8_t *)rec, DIALECT_KERNEL);
		print(&f, t, (uint8_t *)rec, DIALECT_REPORT);
	}
	fuzz_end(&f);
	outbuf_fini(&text);
	free(rec);
	return 0;
}
