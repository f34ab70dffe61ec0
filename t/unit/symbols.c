// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * symbols: addresses in a made kallsyms and printk_formats.  Without it a report names the wrong
 * function, or a hostile text takes memory without bound.
 *
 * of: trace/symbols.c
 */
#include "trace/symbols.h"

#include "base/outbuf.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

/* The table of the LEN bytes of TEXT, read from a block that ends with them. */
static struct symbols *parse_n(struct symbols *(*how)(const char *, size_t, struct symbols_lost *),
			       const char *text, size_t len, struct symbols_lost *lost)
{
	char *copy = malloc(len ? len : 1);
	struct symbols *t;

	memcpy(copy, text, len);
	t = how(copy, len, lost);
	free(copy);
	return t;
}

static struct symbols *kallsyms(const char *text, struct symbols_lost *lost)
{
	return parse_n(symbols_kallsyms, text, strlen(text), lost);
}

static void test_kallsyms(void)
{
	struct symbols_lost lost;
	const char *module = "none was asked for", *name;
	uint64_t start = 0;
	struct symbols *t = kallsyms("ffffffff81000000 T _text\n"
				     "ffffffffc0001000 t helper\t[snd]\n"
				     "ffffffff81000100 t second\n"
				     "ffffffff81000100 t twin\n"
				     "0000000000000030 A absolute\n"
				     "ffffffff81000200 d $d.5\n"
				     "rubbish\n"
				     "ffffffff81000300 T cut_off_h",
				     &lost);

	ok(!symbols_at(t, 0x30, NULL, NULL) && !symbols_exact(t, 0xffffffff81000200),
	   "kallsyms: absolute and $ symbols are left out");
	is_str(symbols_exact(t, 0xffffffff81000300), "cut_off_h",
	       "kallsyms: the last line is there without its newline");
	ok(lost.bad == 1 && !lost.more && !lost.cut, "kallsyms: a line of rubbish is counted");
	name = symbols_at(t, 0xffffffff81000010, &start, &module);
	is_str(name, "_text", "kallsyms: an address behind a symbol belongs to it");
	ok(start == 0xffffffff81000000 && !module, "kallsyms: its start, and no module");
	is_str(symbols_at(t, 0xffffffff810002ff, NULL, NULL), "second",
	       "kallsyms: of two at one address the first is found from behind");
	ok(!symbols_at(t, 0xffffffff80ffffff, NULL, NULL), "kallsyms: nothing below the first");
	name = symbols_at(t, 0xffffffffc0001000, NULL, &module);
	ok(name && !strcmp(name, "helper") && module && !strcmp(module, "snd"),
	   "kallsyms: the last symbol at its own address, with its module");
	ok(!symbols_at(t, 0xffffffffc0001001, NULL, NULL), "kallsyms: but not behind it");
	ok(!symbols_exact(t, 0xffffffff81000010), "kallsyms: no symbol stands there exactly");
	symbols_free(t);

	t = kallsyms("", &lost);
	ok(!symbols_at(t, 0, NULL, NULL), "kallsyms: an empty text");
	symbols_free(t);
	symbols_free(NULL);
}

/* Addresses of every size in no order, many of them twice: names are their places in the text. */
static void test_order(void)
{
	enum { MANY = 5000 };
	struct outbuf text = { 0 };
	struct symbols_lost lost;
	uint64_t seed = 1, addr[MANY] = { 4096 }, start, size;
	unsigned wrong = 0;
	const char *name, *module;
	struct symbols *t;

	for (unsigned i = 0; i < MANY; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		addr[i] = i % 3 ? seed >> (seed & 56) : addr[i / 2];
		out_printf(&text, "%llx t %u\n", (unsigned long long)addr[i], i);
	}
	t = kallsyms(out_end(&text), &lost);
	for (unsigned i = 0; i < MANY; i++) {
		unsigned first = 0, there;

		while (addr[first] != addr[i])
			first++;
		name = symbols_kernel(t, addr[i], &start, &size, &module);
		wrong += !name || strtoul(name, NULL, 10) != first || start != addr[i];
		name = symbols_at(t, addr[i], &start, &module);
		there = name ? strtoul(name, NULL, 10) : MANY;
		wrong += there >= MANY || addr[there] != addr[i] || start != addr[i];
	}
	is_u64(wrong, 0, "order: each is found at its address, of several the first of the text");
	symbols_free(t);
	outbuf_fini(&text);
}

/* As kallsyms_lookup() of the kernel has it. */
static void test_kernel(void)
{
	static const char text[] = "1000 T _stext\n1100 T first\n1100 t alias\n1180 T other\n"
				   "2000 B _end\nc000 t one\t[mod]\nc080 t two\t[mod]\n"
				   "f000 t far\t[other]\n";
	uint64_t start = 0, size = 0;
	const char *module = NULL;
	struct symbols_lost lost;
	struct symbols *t = kallsyms(text, &lost);

	is_str(symbols_kernel(t, 0x1104, &start, &size, &module), "first",
	       "kernel: of two at one address the first in the text");
	ok(start == 0x1100 && size == 0x80 && !module,
	   "kernel: its bytes end where the next begins");
	ok(symbols_kernel(t, 0x1fff, &start, &size, &module) && size == 0xe80,
	   "kernel: those of the last one at _end");
	ok(!symbols_kernel(t, 0x2000, &start, &size, &module), "kernel: nothing from _end on");
	ok(!symbols_kernel(t, 0xfff, &start, &size, &module), "kernel: nothing before _stext");
	is_str(symbols_kernel(t, 0xc010, &start, &size, &module), "one", "kernel: of a module");
	ok(size == 0x80 && module && !strcmp(module, "mod"), "kernel: with its size and module");
	ok(symbols_kernel(t, 0xcfff, &start, &size, &module) && size == 0xf80,
	   "kernel: a module's last one goes to the end of its page");
	ok(!symbols_kernel(t, 0xd000, &start, &size, &module), "kernel: and no further");
	symbols_free(t);
	t = kallsyms("1000 T _stext\n1100 t first\n1180 r last\nc000 t one\t[mod]\n", &lost);
	is_str(symbols_kernel(t, 0x2fff, &start, &size, &module), "last",
	       "kernel without _end: its last one goes to the end of the next page");
	ok(!symbols_kernel(t, 0x3000, &start, &size, &module),
	   "kernel without _end: and no further (else: what is loaded behind it has its name)");
	symbols_free(t);
	t = kallsyms("", &lost);
	ok(!symbols_kernel(t, 0x1000, &start, &size, &module), "kernel: an empty text");
	symbols_free(t);
}

static void test_long_names(void)
{
	char text[2 * SYMBOL_MAX];
	struct symbols_lost lost;
	struct symbols *t;

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text, "10 T ", 5);
	text[sizeof(text) - 1] = '\0';
	t = kallsyms(text, &lost);
	ok(symbols_exact(t, 0x10) && lost.cut == 1 && strlen(symbols_exact(t, 0x10)) == SYMBOL_MAX,
	   "kallsyms: a name longer than the kernel's is cut, and counted");
	symbols_free(t);
	t = kallsyms("10000000000000000 T wide\n1 T a\n", &lost);
	ok(symbols_exact(t, 1) && lost.bad == 1 && !symbols_at(t, 0, NULL, NULL),
	   "kallsyms: an address of 17 digits is rubbish");
	symbols_free(t);
}

static void test_printk(void)
{
	struct symbols_lost lost;
	static const char text[] = "0xffffffff82345678 : \"hello %d\\n\"\n"
				   "0xffffffff82345600 : \"\"\n"
				   "82345700 : \"no 0x\"\n";
	struct symbols *t = parse_n(symbols_printk, text, sizeof(text) - 1, &lost);

	ok(lost.bad == 1 && !symbols_exact(t, 0x82345700), "printk: a line without 0x is counted");
	is_str(symbols_exact(t, 0xffffffff82345678), "hello %d",
	       "printk: without its quotes and the newline at its end");
	is_str(symbols_exact(t, 0xffffffff82345600), "", "printk: an empty string");
	ok(!symbols_exact(t, 0xffffffff82345679), "printk: only the exact address counts");
	symbols_free(t);
}

int main(void)
{
	test_kallsyms();
	test_order();
	test_kernel();
	test_long_names();
	test_printk();
	return tap_done();
}
