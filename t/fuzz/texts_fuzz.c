// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * texts_fuzz: kallsyms, printk_formats, saved_cmdlines and the options that clocks come from; the
 * first byte says which.
 */
#include "t/fuzz/fuzz.h"

struct given {
	const char *p;
	size_t len;
};

static int given_text(void *arg, enum machine_text which, const char **p, size_t *len,
		      struct err *e)
{
	const struct given *g = arg;

	*p = g->p;
	*len = g->len;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct machine_ops ops = { given_text };
	char *text;
	struct given g;
	struct fuzz f;

	if (!size)
		return 0;
	text = fuzz_copy(data + 1, size - 1);
	g = (struct given){ text, size - 1 };
	fuzz_begin(&f, false, 8);
	if (data[0] & 1) {
		struct etype t = { .machine = &f.machine };
		struct event ev = { .type = &t, .pid = data[0] };

		machine_fini(&f.machine);
		machine_init(&f.machine, &ops, &g, &f.notes);
		drive_machine(&f.d, &ev);
	} else {
		struct clock c = { 0 };
		struct cursor p;
		struct err e;

		cursor_init(&p, text, size - 1, 0, data[0] & 2);
		clock_time_shift(&c, p, &e);
		clock_tsc2nsec(&c, p, &e);
		clock_date(&c, p, &e);
		clock_offset(&c, p, &e);
		for (uint64_t ts = 1; ts; ts <<= 7)
			f.d.sum += clock_apply(&c, data[0] >> 4, ts);
		clock_fini(&c);
	}
	fuzz_end(&f);
	free(text);
	return 0;
}
