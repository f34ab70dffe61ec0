// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * meta_store: files that have much in common, kept once and read back.  Without it each client that
 * ever came would keep its metadata in memory, or get those of another.
 *
 * of: reader/zedstream/meta_store.c
 */
#include "reader/zedstream/meta_store.h"

#include "base/mem.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COMMON (2u << 20) /* bytes */

static uint32_t state = 7;

static void fill(uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		state = state * 1664525 + 1013904223;
		p[i] = (uint8_t)(state >> 24);
	}
}

static struct input_held *add(struct meta_store *s, const uint8_t *p, size_t len)
{
	int fd = memfd_create("meta_store", 0);
	struct input_held *h;

	if (write(fd, p, len) != (ssize_t)len)
		bail("memfd");
	h = metastore_add(s, fd, len);
	close(fd);
	return h;
}

/* Is it P of LEN bytes, wherever it is asked for? */
static bool same(const struct input_held *h, const uint8_t *p, size_t len)
{
	static const size_t lens[] = { 1, 7, 4096, 100000, 1u << 20 };
	uint8_t *buf = mem_alloc(1u << 20);
	bool good = true;

	for (unsigned k = 0; k < sizeof(lens) / sizeof(lens[0]); k++)
		for (size_t at = 0; at < len && good; at += lens[k] < 4096 ? 12345 : lens[k]) {
			size_t want = lens[k] < len - at ? lens[k] : len - at;

			good = h->read(h, buf, lens[k], at) == want && !memcmp(buf, p + at, want);
		}
	good = good && !h->read(h, buf, 1, len) && !h->read(h, buf, 1, UINT64_MAX);
	free(buf);
	return good;
}

static void test_common(void)
{
	static const size_t before[] = { 0, 1, 4093, 70000 };
	struct meta_store *s = metastore_new();
	struct input_held *h[4];
	uint8_t *p[4], *common = mem_alloc(COMMON);
	uint64_t first = 0;

	fill(common, COMMON);
	for (unsigned i = 0; i < 4; i++) {
		p[i] = mem_alloc(before[i] + COMMON);
		fill(p[i], before[i]);
		memcpy(p[i] + before[i], common, COMMON);
		h[i] = add(s, p[i], before[i] + COMMON);
		first = first ? first : metastore_size(s);
	}
	is_u64(first, COMMON, "the first is kept as it is");
	ok(metastore_size(s) < first + 70000 + 3 * (512u << 10),
	   "of the others only what is new, wherever it stands (else: each client costs all)");
	for (unsigned i = 0; i < 4; i++) {
		ok(same(h[i], p[i], before[i] + COMMON), "number %u is read back as it was", i);
		h[i]->close(h[i]);
		free(p[i]);
	}
	free(common);
	metastore_free(s);
}

static void test_again(void)
{
	struct meta_store *s = metastore_new();
	size_t len = 40u << 20;
	uint8_t *p = mem_alloc(len);
	struct input_held *h;
	uint64_t once;

	fill(p, len);
	h = add(s, p, len);
	h->close(h);
	once = metastore_size(s);
	is_u64(once, len, "hundreds of pieces");
	h = add(s, p, len);
	ok(metastore_size(s) < once + len / 50,
	   "are found again, but for some that are crowded out");
	ok(same(h, p, len), "and are what they were");
	h->close(h);
	free(p);
	metastore_free(s);
}

static void test_odd(void)
{
	struct meta_store *s = metastore_new();
	uint8_t *zeros = mem_zalloc(4u << 20);
	struct input_held *h = add(s, zeros, 4u << 20);
	int ends[2];

	ok(metastore_size(s) <= 256u << 10, "zeros are one piece");
	ok(same(h, zeros, 4u << 20), "and zeros");
	h->close(h);
	h = add(s, zeros, 0);
	ok(same(h, zeros, 0), "nothing is nothing");
	h->close(h);
	h = add(s, zeros, 3);
	ok(same(h, zeros, 3), "three bytes");
	h->close(h);
	if (pipe(ends) < 0)
		bail("pipe");
	ok(!metastore_add(s, ends[0], 10), "what cannot be read by position is not kept");
	close(ends[0]);
	close(ends[1]);
	free(zeros);
	metastore_free(s);
}

int main(void)
{
	test_common();
	test_again();
	test_odd();
	return tap_done();
}
