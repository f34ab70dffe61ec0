// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * index_fuzz: an index of a small recording, in which the input's bytes choose what is changed: all
 * questions, and a run that jumps by it.
 */
#include "t/fuzz/fuzz.h"
#include "t/lib/c/indextry.h"

static const uint8_t *at, *end;

/* Two bytes of the input. */
static uint64_t chance(void)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 2 && at < end; i++)
		v = v << 8 | *at++;
	return v;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct checked_file *good;
	static struct pump p;
	struct trace_index_opts o = { .stop = NULL };
	struct pump_opts po = { .strict = false };
	struct trace_index *x;
	struct err e;
	int fd;

	if (!good) {
		fd = memfd_create("index", 0);
		pump_init(&p, &po);
		if (pump_open(&p, PATH, &e) < 0 || trace_index_write(PATH, fd, &o, &e) < 0 ||
		    !(good = checked_open(fd, &e)))
			abort();
	}
	at = data;
	end = data + size;
	x = trace_index_open(spoilt(good), p.sources[0], &e);
	if (!x)
		return 0;
	ask_all(x);
	run_part(x);
	trace_index_close(x);
	return 0;
}
