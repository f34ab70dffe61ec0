// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stable_fuzz: a catalogue of stable events, over a raw type with fields of every kind.  The first
 * 96 bytes are the record, the rest is the catalogue; its events take mini:tick.
 */
#include "trace/field.h"
#include "stable/map.h"
#include "t/fuzz/fuzz.h"

#define RECORD 96

static const char format[] =
	"name: tick\nID: 300\nformat:\n" FUZZ_COMMON
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 v;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:char who[8];\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:u8 raw[4];\toffset:32;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] s;\toffset:36;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc u32[] a;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] r;\toffset:44;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] old;\toffset:48;\tsize:2;\tsigned:1;\n"
	"\tfield:u16 tail[];\toffset:52;\tsize:0;\tsigned:0;\n\nprint fmt: "
	"\"%s%s %s\", REC->n & (8-1) ? __print_flags(REC->n & (8-1), \"|\", { 1, \"S\" }, "
	"{ 2, \"D\" }, { 4, \"x\" }) : \"R\", REC->n & 8 ? \"+\" : \"\", "
	"__print_symbolic(REC->v, { 0, \"HI\" }, { 7, \"SCHED\" })";

static unsigned seen;

/* Every byte that a sink would read. */
static void read_all(const struct event *ev)
{
	for (unsigned i = 0; i < ev->type->nfields; i++) {
		const struct field *f = &ev->type->fields[i];
		struct span s;

		if (f->kind == FIELD_NONE)
			continue;
		if (f->off + f->size > ev->size || !field_span(f, ev, &s))
			__builtin_trap();
		for (uint32_t k = 0; k < s.len; k++)
			seen += s.p[k];
	}
}

static void take(struct fuzz *f, const struct stable_event *def, const struct etype *t,
		 const uint8_t *rec)
{
	static const struct origin from = { .path = "fuzz", .instance = "" };
	struct event ev = { .type = t, .data = rec, .size = RECORD, .from = &from };
	int line = stable_takes(def, f->catalog, t);
	const struct event *out;
	struct stable_map *m;
	struct err e;
	char why[64];

	stable_available(def, f->catalog, &f->machine, why, sizeof(why));
	if (line < 0)
		return;
	m = stable_map_new(def, f->catalog, line, t, &f->notes, &e);
	if (!m)
		return;
	for (unsigned i = 0; i < stable_map_type(m)->nfields; i++)
		seen += strlen(stable_map_source(m, i));
	for (unsigned i = 0; i < 2; i++) {
		out = stable_map_event(m, &ev);
		if (out)
			read_all(out);
	}
	stable_map_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct etype *t;
	struct stable *s;
	char *text, *rec;
	struct fuzz f;
	struct err e;

	if (size < RECORD)
		return 0;
	rec = fuzz_copy(data, RECORD);
	text = fuzz_copy(data + RECORD, size - RECORD);
	fuzz_begin(&f, size & 1, size & 2 ? 4 : 8);
	s = stable_new();
	t = catalog_add(f.catalog, &f.machine, "mini", format, sizeof(format) - 1, &e);
	if (t && stable_add(s, "fuzz", text, size - RECORD, &e) == 0)
		for (unsigned i = 0; i < stable_count(s); i++)
			take(&f, stable_at(s, i), t, (uint8_t *)rec);
	stable_free(s);
	fuzz_end(&f);
	free(rec);
	free(text);
	return 0;
}
