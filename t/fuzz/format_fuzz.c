// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format_fuzz: the text of an event's format, and a record that is as long as it asks for.
 */
#include "t/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_copy(data, size);
	const struct etype *t;
	struct fuzz f;
	struct err e;

	fuzz_begin(&f, size & 1, 8);
	t = catalog_add(f.catalog, &f.machine, size & 2 ? "ftrace" : "mini", text, size, &e);
	if (t && etype_resolve(f.catalog, t, &e) == 0 && t->fixed < 1 << 16) {
		uint32_t len = t->fixed + size % 37;
		uint8_t *rec = malloc(len + 1);

		for (uint32_t i = 0; i < len; i++)
			rec[i] = i % 5 ? size >> i % 3 : 0;
		fuzz_record(&f, t, rec, len);
		free(rec);
	}
	fuzz_end(&f);
	free(text);
	return 0;
}
