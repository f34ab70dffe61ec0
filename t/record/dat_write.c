// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dat_write: a trace.dat written from data that are fetched in pieces, taken apart here.  Without
 * it a compressed recording may be one that only we can read.
 *
 * of: record/dat_write.c record/dat_write.h
 */
#include "record/dat_write.h"
#include "t/lib/c/datparts.h"

/* CPU 0 has one page, CPU 1 none, CPU 2 eleven. */
static ssize_t made_data(void *arg, unsigned i, void *buf, size_t len, uint64_t off, struct err *e)
{
	static const unsigned pages[] = { 1, 0, 11 };
	uint8_t page[PAGE];

	if (off >= pages[i] * (uint64_t)PAGE)
		return 0;
	/* Never as much as is asked for. */
	made_page(page, (int)i, (unsigned)(off / PAGE));
	if (len > PAGE / 2)
		len = PAGE / 2;
	memcpy(buf, page + off % PAGE, len);
	return (ssize_t)len;
}

static void test_writer(enum codec codec)
{
	static const int cpus[] = { 0, 1, 2 };
	struct dat7_head h = { .long_size = 8, .page_size = PAGE, .codec = codec };
	char path[256];
	struct dat7_writer *w;
	struct got *g;
	struct err e;
	int fd;

	tap_template(path, sizeof(path), "/tmp", "dat");
	fd = mkstemp(path);
	w = dat7_writer_new(fd, &h, &e);
	ok(w && dat7_section(w, 16, "headers", page_text, sizeof(page_text), &e) == 0 &&
		   dat7_options(w, &e) == 0 &&
		   dat7_buffer(w, "", "mono", PAGE, cpus, 3, made_data, NULL, &e) == 0 &&
		   dat7_options(w, &e) == 0 && dat7_finish(w, &e) == 0,
	   "%s: a writer writes", codec_name(codec));
	dat7_writer_free(w);
	close(fd);
	g = got(path, codec);
	is_sound(g, codec_name(codec));
	ok(has_pages(g, 0, 0, 0) && has_pages(g, 2, 0, 10) && g->ncpus == 2,
	   "%s: data fetched in pieces; CPUs without any are left out (else: stock cannot read it)",
	   codec_name(codec));
	unlink(path);
}

int main(void)
{
	test_writer(CODEC_NONE);
	test_writer(CODEC_ZSTD);
	test_writer(CODEC_ZLIB);
	return tap_done();
}
