/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef ZED_FUZZ_H
#define ZED_FUZZ_H

/* What the fuzzers share: a catalog with one event type, and a record of it. */
#include "ring/ring.h"
#include "t/lib/c/drive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

struct fuzz {
	struct catalog *catalog;
	struct machine machine;
	struct notes notes;
	struct drive d;
};

static inline void fuzz_begin(struct fuzz *f, bool big_endian, unsigned long_size)
{
	memset(f, 0, sizeof(*f));
	f->notes.say = drive_hear;
	f->notes.arg = &f->d;
	f->catalog = catalog_new();
	machine_init(&f->machine, NULL, NULL, &f->notes);
	f->machine.big_endian = big_endian;
	f->machine.swap = big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	f->machine.long_size = long_size;
}

static inline void fuzz_end(struct fuzz *f)
{
	catalog_free(f->catalog);
	machine_fini(&f->machine);
}

/* A copy of SIZE bytes in a block that ends with them. */
static inline char *fuzz_copy(const uint8_t *data, size_t size)
{
	char *p = malloc(size ? size : 1);

	memcpy(p, data, size);
	return p;
}

/* Deliver one record of T to the sink that reads and prints all; LEN at least T's fixed size. */
static inline void fuzz_record(struct fuzz *f, const struct etype *t, const uint8_t *rec,
			       uint32_t len)
{
	static const struct origin from = { .path = "fuzz", .instance = "" };
	struct drive_sink ds = { .base = { &drive_ops },
				 .d = &f->d,
				 .report = engine_new(DIALECT_REPORT, &f->notes),
				 .kernel = engine_new(DIALECT_KERNEL, &f->notes) };
	struct event ev = { .type = t, .data = rec, .size = len, .from = &from };
	struct err e;

	drive_event(&ds.base, &ev, &e);
	drive_fini(&ds);
}

#endif
