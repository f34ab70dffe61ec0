// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bytes: the cursor and the errors that everything else uses.  Without it a length in a hostile
 * file is believed, or a failure loses its place.
 *
 * of: base/bytes.c base/bytes.h base/err.c
 */
#include "base/bytes.h"
#include "t/lib/c/tap.h"

#include <errno.h>
#include <stdlib.h>

/* The bytes end where the heap block does, so that the sanitizer sees one byte too many. */
static uint8_t *block(const void *p, size_t len)
{
	uint8_t *b = malloc(len ? len : 1);

	memcpy(b, p, len);
	return b;
}

static void test_numbers(void)
{
	static const uint8_t raw[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	uint8_t *b = block(raw, sizeof(raw));
	struct cursor c;
	struct err e;
	uint64_t d;
	uint32_t w;
	uint16_t h;
	uint8_t o;

	cursor_init(&c, b, sizeof(raw), 0x1000, false);
	cursor_u8(&c, &o, &e);
	cursor_u16(&c, &h, &e);
	cursor_u32(&c, &w, &e);
	cursor_u64(&c, &d, &e);
	ok(o == 1 && h == 0x0302 && w == 0x07060504 && d == 0x0f0e0d0c0b0a0908,
	   "little-endian numbers");
	ok(cursor_left(&c) == 0, "the cursor stands behind them");
	cursor_init(&c, b, sizeof(raw), 0x1000, true);
	cursor_u8(&c, &o, &e);
	cursor_u16(&c, &h, &e);
	cursor_u32(&c, &w, &e);
	cursor_u64(&c, &d, &e);
	ok(o == 1 && h == 0x0203 && w == 0x04050607 && d == 0x08090a0b0c0d0e0f,
	   "big-endian numbers");

	for (unsigned left = 0; left < 8; left++) {
		cursor_init(&c, b, sizeof(raw), 0x1000, false);
		c.pos = sizeof(raw) - left;
		if (cursor_u64(&c, &d, &e) == 0 || e.kind != ERR_FORMAT ||
		    e.off != 0x1000 + sizeof(raw) - left || c.pos != sizeof(raw) - left) {
			ok(false, "a number over the end: %u left", left);
			break;
		}
	}
	c.pos = sizeof(raw) - 3;
	ok(cursor_u32(&c, &w, &e) < 0 && cursor_u16(&c, &h, &e) == 0 &&
		   cursor_u16(&c, &h, &e) < 0 && cursor_u8(&c, &o, &e) == 0 &&
		   cursor_u8(&c, &o, &e) < 0,
	   "a number over the end is an error, and the cursor stays");
	memset(b, 0xff, 8);
	bytes_put(b, 0x0102030405060708, 3, false);
	bytes_put(b + 4, 0x0102030405060708, 3, true);
	ok(!memcmp(b, "\x08\x07\x06\xff\x06\x07\x08\xff", 8),
	   "the low bytes are put, and no others (else: what is written cannot be read)");
	free(b);
}

static void test_strings(void)
{
	uint8_t *b = block("abc\0\0xyz", 8); /* no NUL behind xyz */
	const uint8_t *p;
	struct cursor c, sub;
	const char *s;
	struct err e;
	uint8_t o;

	cursor_init(&c, b, 8, 100, false);
	ok(cursor_str(&c, &s, 256, &e) == 0 && !strcmp(s, "abc") && c.pos == 4, "a string");
	ok(cursor_str(&c, &s, 256, &e) == 0 && !*s && c.pos == 5, "an empty one");
	ok(cursor_str(&c, &s, 256, &e) < 0 && e.kind == ERR_FORMAT && e.off == 105 && c.pos == 5,
	   "a string without an end is an error with its place");
	c.pos = 0;
	ok(cursor_str(&c, &s, 3, &e) < 0, "the bound counts the NUL");
	ok(cursor_str(&c, &s, 4, &e) == 0, "and is inclusive");
	ok(cursor_str(&c, &s, 0, &e) < 0, "a bound of 0 takes nothing");
	c.pos = 8;
	ok(cursor_str(&c, &s, 10, &e) < 0, "no string at the end");

	cursor_init(&c, b, 8, 100, true);
	ok(cursor_bytes(&c, 5, &p, &e) == 0 && p == b && c.pos == 5, "bytes");
	ok(cursor_bytes(&c, 4, &p, &e) < 0 && cursor_bytes(&c, UINT64_MAX, &p, &e) < 0 &&
		   c.pos == 5,
	   "more bytes than there are, up to 2^64 - 1");
	ok(cursor_sub(&c, 2, &sub, &e) == 0 && sub.base == 105 && cursor_left(&sub) == 2 &&
		   sub.big_endian && cursor_left(&c) == 1,
	   "a cursor of the next two bytes knows its place");
	ok(cursor_u8(&sub, &o, &e) == 0 && o == 'x' && cursor_u8(&sub, &o, &e) == 0 &&
		   cursor_u8(&sub, &o, &e) < 0 && e.off == 107,
	   "and ends where they do");
	ok(cursor_sub(&c, 2, &sub, &e) < 0 && cursor_sub(&c, UINT64_MAX - 3, &sub, &e) < 0,
	   "none of more bytes than there are");
	free(b);
}

static unsigned heard[3];
static char last[2048];

static void hear(void *arg, enum note_level level, const char *text)
{
	heard[level]++;
	snprintf(last, sizeof(last), "%s", text);
}

static void test_errors(void)
{
	struct notes n = { .say = hear };
	char buf[512], tiny[8];
	struct err e;

	ok(err_set(&e, ERR_FORMAT, 0x2010, "record of %d bytes", 5) == -1, "err_set() gives -1");
	err_within(&e, "cpu %d", 3);
	err_path(&e, "a.dat");
	err_path(&e, "outer.dat");
	is_str(err_text(&e, buf, sizeof(buf)), "a.dat: offset 0x2010: cpu 3: record of 5 bytes",
	       "each layer adds what it knows, and the first path stays");
	err_text(&e, tiny, sizeof(tiny));
	ok(strlen(tiny) < sizeof(tiny), "a small buffer is not overrun");
	err_set(&e, ERR_USAGE, ERR_NO_OFF, "no such thing");
	is_str(err_text(&e, buf, sizeof(buf)), "no such thing", "an error without a place");
	errno = ENOSPC;
	err_sys(&e, ERR_NO_OFF, "cannot write");
	ok(e.kind == ERR_SYS && e.sys == ENOSPC, "errno is kept");
	has(e.msg, "cannot write: No space", "and said");
	err_set(&e, ERR_FORMAT, 1, "name \"%s\"", "\033[2Jevil\nline");
	ok(!strpbrk(err_text(&e, buf, sizeof(buf)), "\033\n"), "no escape gets to the terminal");
	for (int i = 0; i < 200; i++)
		err_within(&e, "a layer with many words");
	ok(strlen(e.msg) < sizeof(e.msg), "any number of layers fits");

	note_say(NULL, NOTE_DAMAGE, "nobody listens");
	note_say(&n, NOTE_WARN, "first");
	note_err(&n, NOTE_DAMAGE, &e);
	note_say(&n, NOTE_DAMAGE, "a\nb\033c");
	ok(heard[NOTE_WARN] == 1 && heard[NOTE_DAMAGE] == 2 && n.damage == 2, "damage is counted");
	ok(!strpbrk(last, "\n\033"), "a notice is one clean line");
}

int main(void)
{
	test_numbers();
	test_strings();
	test_errors();
	return tap_done();
}
