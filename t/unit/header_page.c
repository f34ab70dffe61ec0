// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * header_page: the layouts of sub-buffers that kernels have described (format.md 4.1), and what a
 * hostile description may not do.  Without it every record of a file is read from the wrong place.
 *
 * of: ring/header_page.c
 */
#include "ring/header_page.h"
#include "t/lib/c/tap.h"

static const struct {
	const char *what, *text;
	int rc;
	unsigned long_size, data_off, page_size;
	bool old;
} pages[] = {
	{ "64 bit",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
	  0, 8, 16, 4096, false },
	{ "32 bit",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
	  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	  "\tfield: char data;\toffset:12;\tsize:4084;\tsigned:0;\n",
	  0, 4, 12, 4096, false },
	{ "32 bit with data aligned to 8, no signed:, no overwrite",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n\tfield: local_t "
	  "commit;\toffset:8;\tsize:4;\n"
	  "\tfield: char data;\toffset:16;\tsize:8176;\n",
	  0, 4, 16, 8192, false },
	{ "none (2.6.30)", "", 0, 4, 12, 77, true },
	{ "no commit",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
	  "\tfield: char data;\toffset:16;\tsize:4080;\n",
	  -1, 0, 0, 0, false },
	{ "a commit of 2 bytes",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:2;\n\tfield: char "
	  "data;\toffset:16;\tsize:4080;\n",
	  -1, 0, 0, 0, false },
	{ "data over the commit word",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char "
	  "data;\toffset:8;\tsize:4080;\n",
	  -1, 0, 0, 0, false },
	{ "data far away",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\n"
	  "\tfield: char data;\toffset:4294967280;\tsize:4080;\n",
	  -1, 0, 0, 0, false },
	{ "no data at all",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\n\tfield: char "
	  "data;\toffset:16;\tsize:0;\n",
	  -1, 0, 0, 0, false },
	{ "rubbish", "\xff\xfe rubbish \n\n\t;;;\n", -1, 0, 0, 0, false },
};

static void test_header_page(void)
{
	for (unsigned i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
		struct page_layout l = { .page_size = 77 };
		struct err e;
		int rc = header_page_parse(&l, pages[i].text, strlen(pages[i].text), 4, &e);

		ok(rc == pages[i].rc && (rc < 0 ? e.kind == ERR_FORMAT :
						  l.long_size == pages[i].long_size &&
							  l.data_off == pages[i].data_off &&
							  l.page_size == pages[i].page_size &&
							  l.old == pages[i].old),
		   "header_page: %s", pages[i].what);
	}
}

int main(void)
{
	test_header_page();
	return tap_done();
}
