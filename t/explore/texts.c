// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts and bytes in the answers of zedperl explore, and the shell's words of a command. Without it
 * a task's name breaks the page's JSON, or a command that is copied runs what a name says.
 *
 * of: programs/zedperl/explore
 */
#include "programs/zedperl/explore/analysis_run.h"
#include "programs/zedperl/explore/explore_priv.h"
#include "programs/zedperl/explore/page_token.h"
#include "t/lib/c/tap.h"

static void json(const char *in, size_t len, const char *want)
{
	struct outbuf o = { 0 };

	out_json(&o, in, len);
	ok(!strcmp(out_end(&o), want), "%s (else: it is not JSON, or other text)", want);
	outbuf_fini(&o);
}

static void base64(const char *in, size_t len, const char *want)
{
	struct outbuf o = { 0 };

	out_base64(&o, in, len);
	ok(!strcmp(out_end(&o), want), "%s", want);
	outbuf_fini(&o);
}

static void shell(const char *in, const char *want)
{
	struct analysis_words w = { 0 };
	struct outbuf o = { 0 };

	analysis_word(&w, "%s", "/usr/bin/zedperl");
	analysis_word(&w, "%s", in);
	analysis_shown(&w, &o);
	ok(!strcmp(out_end(&o), want), "%s", want);
	outbuf_fini(&o);
	while (w.n)
		free(w.argv[--w.n]);
	free(w.argv);
}

static void token(void)
{
	struct page_token a, b;
	char path[64];
	struct err e;

	ok(pagetoken_make(&a, &e) == 0 && pagetoken_make(&b, &e) == 0, "two tokens");
	ok(strlen(a.text) == PAGE_TOKEN_LEN && strspn(a.text, "0123456789abcdef") == 32, "in hex");
	ok(strcmp(a.text, b.text) != 0, "they differ (else: one that was seen is enough)");
	snprintf(path, sizeof(path), "/%s/head", a.text);
	ok(pagetoken_below(&a, path) && !strcmp(pagetoken_below(&a, path), "head"), "its path");
	ok(!pagetoken_below(&b, path), "not the other's");
	path[PAGE_TOKEN_LEN + 1] = '\0';
	ok(!pagetoken_below(&a, path), "it ends with a slash");
	ok(!pagetoken_below(&a, "") && !pagetoken_below(&a, "/"), "nothing");
}

int main(void)
{
	json("", 0, "\"\"");
	json("sh", 2, "\"sh\"");
	json("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
	json("\0\n\x1b\x7f", 4, "\"\\u0000\\u000a\\u001b\\u007f\"");
	json("\xc3\xa9", 2, "\"\xc3\xa9\"");
	json("\xc3", 1, "\"\\\\xc3\"");
	json("x\xff\xc3\xa9\x80", 5, "\"x\\\\xff\xc3\xa9\\\\x80\"");
	json("\xed\xa0\x80", 3, "\"\\\\xed\\\\xa0\\\\x80\"");
	json("</script>", 9, "\"</script>\"");
	base64("", 0, "\"\"");
	base64("f", 1, "\"Zg==\"");
	base64("fo", 2, "\"Zm8=\"");
	base64("foo", 3, "\"Zm9v\"");
	base64("foob", 4, "\"Zm9vYg==\"");
	base64("\xff\xfe\x00\x01", 4, "\"//4AAQ==\"");
	shell("trace.dat", "zedperl trace.dat");
	shell("", "zedperl ''");
	shell("a b", "zedperl 'a b'");
	shell("it's", "zedperl 'it'\\''s'");
	shell("$(id)`id`;&|<>!*?~#", "zedperl '$(id)`id`;&|<>!*?~#'");
	token();
	return tap_done();
}
