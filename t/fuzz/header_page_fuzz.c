// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * header_page_fuzz: the text that says how sub-buffers are laid out.
 */
#include "ring/header_page.h"
#include "t/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy(data, size);
	struct page_layout l = { 0 };
	struct err e;

	if (header_page_parse(&l, text, size, size & 1 ? 4 : 8, &e) == 0 && size &&
	    (l.data_off < 12 || l.data_off >= l.page_size ||
	     (l.long_size != 4 && l.long_size != 8)))
		abort();
	free(text);
	return 0;
}
