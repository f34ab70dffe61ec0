// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * outbuf: numbers as the C library writes them.  Without it a digit at a power of ten, or a
 * number's width, could be wrong in every format at once.
 *
 * of: base/outbuf.c
 */
#include "base/outbuf.h"
#include "t/lib/c/tap.h"

#include <inttypes.h>
#include <stdlib.h>

static unsigned wrong;

/* V by every function, behind a text that has to stay, against the same by printf. */
static void try(uint64_t v)
{
	char want[400];
	struct outbuf o = { 0 };

	out_char(&o, '<');
	out_u64(&o, v);
	out_char(&o, ' ');
	out_i64(&o, (int64_t)v);
	out_char(&o, ' ');
	out_hex(&o, v);
	for (unsigned width = 0; width < 22; width += 7) {
		out_char(&o, ' ');
		out_u64_pad(&o, v, width, width & 1 ? ' ' : '0');
	}
	out_char(&o, '>');
	snprintf(want, sizeof(want),
		 "<%" PRIu64 " %" PRId64 " %" PRIx64 " %" PRIu64 " %7" PRIu64 " %014" PRIu64
		 " %21" PRIu64 ">",
		 v, (int64_t)v, v, v, v, v, v);
	if (strcmp(out_end(&o), want) && wrong++ < 5)
		diag("got %s, want %s", o.p, want);
	outbuf_fini(&o);
}

int main(void)
{
	uint64_t v = 1;

	for (unsigned i = 0; i < 20; i++, v *= 10)
		for (int by = -2; by <= 2; by++)
			try(v + by);
	ok(!wrong, "numbers around each power of ten");
	wrong = 0;
	for (unsigned i = 0; i < 64; i++)
		for (int by = -2; by <= 2; by++)
			try(((uint64_t)1 << i) + by);
	ok(!wrong, "and around each power of two");
	wrong = 0;
	v = 1;
	for (unsigned i = 0; i < 100000; i++) {
		v = v * 6364136223846793005u + 1442695040888963407u;
		try(v >> (i & 63));
	}
	ok(!wrong, "a hundred thousand others");
	return tap_done();
}
