// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * plain: untrusted text made plain.  Without it a task's name clears the screen, or looks like a
 * line that the recording does not have.
 *
 * of: base/plain.c base/outbuf.c
 */
#include "base/outbuf.h"
#include "base/plain.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* TEXT, made plain in the middle of a buffer that holds other things. */
static void is_plain(const char *text, size_t len, unsigned keep, const char *want,
		     const char *what)
{
	struct outbuf o = { 0 };

	out_str(&o, "\033a");
	out_bytes(&o, text, len);
	out_plain(&o, 2, keep);
	ok(o.len == 2 + strlen(want) && !memcmp(o.p + 2, want, strlen(want)) &&
		   !memcmp(o.p, "\033a", 2),
	   "%s", what);
	if (o.len != 2 + strlen(want))
		diag("got '%.*s'", (int)(o.len - 2), o.p + 2);
	is_u64(plain_len(text, len, keep), strlen(want), "and its length is told before");
	outbuf_fini(&o);
}

#define PLAIN(text, keep, want, what) is_plain(text, sizeof(text) - 1, keep, want, what)

static void test_forms(void)
{
	PLAIN("", 0, "", "nothing stays nothing");
	PLAIN("kworker/0:1 {}\\~", 0, "kworker/0:1 {}\\~", "a backslash is not doubled");
	PLAIN("a\nb\n", 0, "a\\nb\\n", "newlines (else: a forged line)");
	PLAIN("\0\1\t\r\033[2J\a\177", 0, "\\x00\\x01\\x09\\x0d\\x1b[2J\\x07\\x7f",
	      "C0 and DEL (else: the screen is cleared)");
	PLAIN("\x9b"
	      "31m\x80\x9f\xa0\xff",
	      0,
	      "\\x9b"
	      "31m\\x80\\x9f\xa0\xff",
	      "C1 alone (else: an 8 bit CSI); letters of old encodings stay");
	PLAIN("\xc2\x9b"
	      "31m\xc2\x85\xc2\xa0",
	      0,
	      "\\xc2\\x9b"
	      "31m\\xc2\\x85\xc2\xa0",
	      "C1 in UTF-8 (else: a CSI, or a line of its own in U+0085)");
	PLAIN("\xc3\x9b\xc3\x80 \xe2\x9b\x84 \xf0\x9f\x90\xa7", 0,
	      "\xc3\x9b\xc3\x80 \xe2\x9b\x84 \xf0\x9f\x90\xa7", "letters in UTF-8 stay");
	PLAIN("\xe2\x80\xa8\xe2\x80\xa9", 0, "\\xe2\\x80\\xa8\\xe2\\x80\\xa9",
	      "U+2028 and U+2029 (else: editors show another line)");
	PLAIN("\xe2\x80\xae"
	      "x\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f",
	      0,
	      "\\xe2\\x80\\xae"
	      "x\\xe2\\x81\\xa6\\xd8\\x9c\\xe2\\x80\\x8f",
	      "what turns the direction of writing (else: names read otherwise than they are)");
	PLAIN("\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", 0,
	      "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", "and not what stands beside");
	PLAIN("\xc0\x8a \xe0\x80\x8a \xc0\x9b \xed\xa0\x80 \xe2\x9b", 0,
	      "\xc0\\x8a \xe0\\x80\\x8a \xc0\\x9b \xed\xa0\\x80 \xe2\\x9b",
	      "what is no UTF-8 has no bytes of C1 (else: a lax terminal takes it for a newline)");
	PLAIN("a\tb\nc", PLAIN_TABS, "a\tb\\nc", "tabs stay where a format has them");
	PLAIN("a\tb\nc\033", PLAIN_LINES, "a\\x09b\nc\\x1b", "and lines where a text has them");
	PLAIN("s\n=> a\n\t => b\n  =\n=>\n", PLAIN_STACK, "s\n=> a\n\\x09 => b\\n  =\\n=>\\n",
	      "lines of a stack stay, and no others");
}

/* Making plain text plain again does not change it: messages pass several layers. */
static void test_again(void)
{
	char text[1025], once[4100], twice[4100];
	uint32_t seed = 1;
	bool same = true, fits = true;

	for (unsigned n = 0; n < 2000; n++) {
		for (unsigned i = 0; i < 1024; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = (seed >> 16 & 255) ? (char)(seed >> 16) : 'x';
		}
		text[n % 1024 + 1] = '\0';
		plain_text(once, sizeof(once), text);
		plain_text(twice, sizeof(twice), once);
		same = same && !strcmp(once, twice);
		fits = fits && strlen(once) == plain_len(text, strlen(text), 0);
	}
	ok(same, "what is plain stays as it is (else: a message has two forms)");
	ok(fits, "nothing is cut where there is room");
}

static void test_cut(void)
{
	char buf[8];

	is_str(plain_text(buf, sizeof(buf), "abcd\033x"), "abcd", "no half of an escape is left");
	is_str(plain_text(buf, sizeof(buf), "abcde\xe2\x9b\x84"), "abcde", "nor of a character");
	is_str(plain_text(buf, 1, "a"), "", "nor anything where there is no room");
	is_str(plain_text(buf, sizeof(buf), "abc\033"), "abc\\x1b", "all of it where it just fits");
}

/* Against the rule itself, for each length that the loop has an end for. */
static void test_ascii(void)
{
	char *text = malloc(100);
	bool right = true;

	for (unsigned len = 0; len <= 100; len++) {
		char *at = text + 100 - len;

		memset(at, 'x', len);
		right = right && plain_ascii(at, len);
		for (unsigned i = 0; i < len; i++)
			for (int c = 0; c < 256; c++) {
				at[i] = (char)c;
				right = right && plain_ascii(at, len) == (c >= 32 && c <= 126);
				at[i] = ' ';
			}
	}
	ok(right, "each byte at each place is seen (else: a whole line goes out unlooked at)");
	free(text);
}

static void test_pieces(void)
{
	is_u64(utf8_unfinished("abc", 3), 0, "ASCII is whole");
	is_u64(utf8_unfinished("a\xe2\x9b", 3), 2, "two bytes of three wait for the third");
	is_u64(utf8_unfinished("a\xe2\x9b\x84", 4), 0, "three do not");
	is_u64(utf8_unfinished("\xf0\x9f\x90", 3), 3, "nor does an end that began before");
	is_u64(utf8_unfinished("\x9b\x9b\x9b\x9b", 4), 0, "what never begins is not waited for");
	is_u64(utf8_unfinished("\xc2", 1), 1, "a first byte alone");
}

int main(void)
{
	test_forms();
	test_again();
	test_cut();
	test_ascii();
	test_pieces();
	return tap_done();
}
