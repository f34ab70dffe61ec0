// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * page_fuzz: sub-buffers of every layout.  The first byte says which, the rest are pages of 256
 * bytes.
 */
#include "t/fuzz/fuzz.h"

#define PAGE 256

struct fuzz_feed {
	struct feed base;
	const uint8_t *p;
	size_t left;
};

static enum pull fuzz_page(struct feed *f, struct page *out, struct err *e)
{
	struct fuzz_feed *ff = (struct fuzz_feed *)f;

	if (!ff->left)
		return PULL_EOF;
	out->p = ff->p;
	out->len = ff->left < PAGE ? ff->left : PAGE;
	out->off = 0;
	ff->p += out->len;
	ff->left -= out->len;
	return PULL_OK;
}

static void fuzz_close(struct feed *f)
{
}

static const struct feed_ops ops = { .page = fuzz_page, .close = fuzz_close };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char text[] = "name: tick\nID: 300\nformat:\n" FUZZ_COMMON
				   "\tfield:u32 n;\toffset:8;\tsize:4;\tsigned:0;\n"
				   "\tfield:__data_loc char[] s;\toffset:12;\tsize:4;\tsigned:1;\n"
				   "\tfield:u16 tail[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint "
				   "fmt: \"%u %s\", REC->n, __get_str(s)\n";
	struct origin from = { .path = "fuzz", .instance = "" };
	struct drive_sink ds = { .base = { &drive_ops } };
	struct clock clock = { 0 };
	struct fuzz_feed feed = { { &ops, 0, 0 }, NULL, 0 };
	struct idmap ids;
	struct stream *s;
	struct fuzz f;
	char *pages;
	struct err e;
	enum pull rc;

	if (!size)
		return 0;
	fuzz_begin(&f, data[0] & 1, data[0] & 2 ? 4 : 8);
	pages = fuzz_copy(data + 1, size - 1);
	feed.p = (uint8_t *)pages;
	feed.left = size - 1;
	idmap_init(&ids, f.catalog, &f.machine, &f.notes);
	idmap_add(&ids, catalog_add(f.catalog, &f.machine, "mini", text, sizeof(text) - 1, &e));
	idmap_common(&ids);
	struct ring_opts o = {
		.feed = &feed.base,
		.layout = { .big_endian = data[0] & 1,
			    .old = data[0] & 4,
			    .long_size = f.machine.long_size,
			    .page_size = PAGE,
			    .data_off = 8 + (data[0] & 8 ? 8 : f.machine.long_size) },
		.clock = &clock,
		.ids = &ids,
		.from = &from,
	};
	s = ring_stream(&o);
	ds.d = &f.d;
	while ((rc = stream_next(s, &e)) != PULL_EOF)
		if (rc == PULL_OK)
			drive_event(&ds.base, &s->ev, &e);
	s->ops->close(s);
	arena_fini(&ds.arena);
	idmap_fini(&ids);
	fuzz_end(&f);
	free(pages);
	return 0;
}
