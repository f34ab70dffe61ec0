// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * preamble: metadata that are packed, and hostile ones that must not be.  Without it a stream of a
 * few bytes makes its converter pack gigabytes, or a file has options that point into nowhere.
 *
 * of: record/file/preamble.c record/file/preamble.h
 */
#include "record/file/preamble.h"
#include "t/lib/c/datparts.h"

static void head(struct bytes *b, const char *codec)
{
	b->n = 0;
	str(b, "\x17\x08\x44tracing7\0", 12);
	num(b, 0, 1);
	num(b, 8, 1);
	num(b, PAGE, 4);
	str(b, codec, (unsigned)strlen(codec) + 1);
	str(b, "", 1);
	num(b, 0, 8);
}

/* A section of LEN bytes with FLAGS, and N options ID that point to it. */
static void made(struct bytes *b, const char *codec, unsigned flags, const void *p, unsigned len,
		 unsigned id, unsigned n)
{
	static struct bytes s;
	uint64_t at, link;

	head(b, codec);
	link = b->n - 8;
	at = b->n;
	s.n = 0;
	str(&s, p, len);
	section(b, 19, &s);
	b->p[at + 2] = (uint8_t)flags;
	for (unsigned i = 0; i < 8; i++)
		b->p[link + i] = (uint8_t)((uint64_t)b->n >> (8 * i));
	s.n = 0;
	while (n--) {
		num(&s, id, 2);
		num(&s, 8, 4);
		num(&s, at, 8);
	}
	num(&s, 0, 2);
	num(&s, 8, 4);
	num(&s, 0, 8);
	section(b, 0, &s);
}

/* What the first option of the beginning P leads to. */
struct found {
	struct preamble b;
	struct cursor c;
	uint8_t *own;
	int rc;
	struct err e;
};

static int first(void *arg, unsigned id, const uint8_t *payload, size_t size, struct err *e)
{
	struct found *f = arg;

	f->rc = preamble_section(&f->b, payload, size, &f->c, &f->own, &f->e);
	return -1;
}

static void find(struct found *f, uint8_t *p, size_t len)
{
	struct err e = { 0 };

	*f = (struct found){ .b = { .p = p, .len = len }, .rc = 1 };
	if (dat7_look(p, len, &f->b.head, &f->b.done_off, &e) == 0)
		dat7_each_option(p, len, first, f, &e);
}

static void test_packed(void)
{
	static struct bytes b;
	static char text[100000];
	struct found f;
	size_t len = 0, again;
	uint8_t *p;

	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * i / 7 % 5);
	made(&b, "none", 0, text, sizeof(text), 19, 1);
	p = preamble_pack(b.p, b.n, &len);
	ok(p && len < sizeof(text) / 4, "it is packed (else: an idle second takes 5 MB)");
	find(&f, p, len);
	ok(f.b.head.codec == CODEC_ZSTD && f.rc == 0 && f.c.len == sizeof(text) &&
		   !memcmp(f.c.p, text, sizeof(text)),
	   "and unpacks to what it was (else: symbols and names are others)");
	free(f.own);
	ok(!preamble_pack(p, len, &again), "what is packed is not packed again");
	free(p);
}

static void test_refused(void)
{
	static struct bytes b;
	static char text[100000];
	struct found f;
	size_t len;
	uint8_t packed[64] = { 0 };

	made(&b, "none", 0, text, sizeof(text), 19, 700);
	ok(!preamble_pack(b.p, b.n, &len),
	   "many options that point to one section are not packed one by one (else: gigabytes)");
	made(&b, "none", 0, text, 100, 23, 1);
	ok(!preamble_pack(b.p, b.n, &len),
	   "an option that points to a section of another kind (else: it points elsewhere then)");
	ok(!preamble_pack(b.p, 40, &len), "metadata that are cut stay as they are");
	made(&b, "none", 1, text, 100, 19, 1);
	find(&f, b.p, b.n);
	ok(f.rc < 0 && !f.own, "a packed section in a file of none");
	has(f.e.msg, "names no compression", "and the error says so");
	bytes_put(packed, 200, 4, false);
	bytes_put(packed + 4, 10, 4, false);
	made(&b, "zstd", 1, packed, sizeof(packed), 19, 1);
	find(&f, b.p, b.n);
	ok(f.rc < 0 && !f.own, "a packed length beyond the section (else: a read past its end)");
	bytes_put(packed, 56, 4, false);
	bytes_put(packed + 4, 0xffffffff, 4, false);
	made(&b, "zstd", 1, packed, sizeof(packed), 19, 1);
	find(&f, b.p, b.n);
	ok(f.rc < 0 && !f.own, "an unpacked length of 4 GiB (else: that much memory)");
	has(f.e.msg, "at most", "and the error says so");
	bytes_put(packed + 4, 10, 4, false);
	made(&b, "zstd", 1, packed, sizeof(packed), 19, 1);
	find(&f, b.p, b.n);
	ok(f.rc < 0 && !f.own, "what is no zstd");
}

int main(void)
{
	test_packed();
	test_refused();
	return tap_done();
}
