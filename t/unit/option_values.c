// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * values of options: each type of a row against values that it takes and such that it does not.
 * Without it a number that is too large becomes a small one, or a mistyped unit is taken for none.
 *
 * of: programs/values.c programs/rows.h
 */
#include "programs/amount.h"
#include "run/times.h"
#include "programs/values.h"
#include "t/lib/c/tap.h"

#include <inttypes.h>
#include <string.h>

struct places {
	bool flag;
	unsigned word, number, kb;
	uint64_t count, size, ns;
	const char *text;
	struct cli_texts texts;
	struct amount amount;
	struct time_word time;
};

static const struct cli_word WORDS[] = {
	{ "none", 0 }, { "zlib", 7 }, { "zstd", 9 }, { .name = NULL }
};

/* VALUE of O into P: 0, or what is said of it. */
static const char *take(const struct cli_opt *o, struct places *p, const char *value)
{
	static struct err e;

	return cli_value(o, p, value, &e) == 0 ? NULL : e.msg;
}

static void says(const struct cli_opt *o, const char *value, const char *text)
{
	struct places p = { .flag = false };
	const char *said = take(o, &p, value);

	ok(said && !strcmp(said, text), "'%s': %s (else: it is taken for something else)", value,
	   text);
	if (said && strcmp(said, text) != 0)
		diag("it is: %s", said);
}

static void test_numbers(void)
{
	const struct cli_opt number = { OPT_NUMBER(places, number, 99) };
	const struct cli_opt any = { OPT_COUNT(places, count, 0) };
	const struct cli_opt some = { OPT_COUNT(places, count, 1000), .beyond = "are kept" };
	struct places p = { .flag = false };

	ok(!take(&number, &p, "99") && p.number == 99, "99 of 99");
	says(&number, "100", "'100' is not a number from 1 to 99");
	says(&number, "0", "'0' is not a number from 1 to 99");
	says(&number, "", "'' is not a number from 1 to 99");
	says(&number, "+7", "'+7' is not a number from 1 to 99");
	says(&number, "7 ", "'7 ' is not a number from 1 to 99");
	says(&number, "4294967297", "'4294967297' is not a number from 1 to 99");
	ok(!take(&any, &p, "18446744073709551615") && p.count == UINT64_MAX,
	   "the largest there is");
	says(&any, "18446744073709551616", "'18446744073709551616' is not a number of 1 or more");
	says(&any, "0x10", "'0x10' is not a number of 1 or more");
	says(&some, "1001", "'1001': at most 1000 are kept");
	says(&some, "x", "'x' is not a number from 1 to 1000");
}

static void test_sizes(void)
{
	const struct cli_opt size = { OPT_SIZE(places, size) }, kb = { OPT_KB(places, kb) };
	struct places p = { .size = 1 };

	ok(!take(&size, &p, "4096") && p.size == 4096, "a bare number is of bytes");
	ok(!take(&size, &p, "3g") && p.size == 3ull << 30, "3 GiB, in small letters");
	ok(!take(&size, &p, "0") && !p.size, "0 is none (else: a limit cannot be taken off)");
	ok(!take(&kb, &p, "1408") && p.kb == 1408, "... of KiB where those are meant");
	ok(!take(&kb, &p, "16M") && p.kb == 16384, "16 MiB of KiB");
	for (const char *const *v =
		     (const char *const[]){ "", "x", "K", "-1", "12Q", "1KK", "00",
					    "18446744073709551616", "17179869184G", NULL };
	     *v; v++) {
		char text[120];

		snprintf(text, sizeof(text),
			 "'%s' is not a size: write a number, with K, M or G after it", *v);
		says(&size, *v, text);
		if (strcmp(*v, "17179869184G") != 0)
			says(&kb, *v, text);
	}
	says(&kb, "2147483648", "'2147483648' is more than there can be");
}

static void test_times(void)
{
	const struct cli_opt slack = { OPT_DURATION(places, ns), .most = 10000000000,
				       .beyond = " is too long" };
	const struct cli_opt wait = { OPT_DURATION(places, ns), .least = 1, .beyond = " is short" };
	const struct cli_opt amount = { OPT_AMOUNT(places, amount) };
	const struct cli_opt at = { OPT_TIME(places, time) };
	struct places p = { .ns = 1 };

	ok(!take(&slack, &p, "10") && p.ns == 10000000000, "10 seconds of 10");
	ok(!take(&slack, &p, "0") && p.ns == 0, "none at all, where that is not refused");
	says(&slack, "10.000000001", "'10.000000001' is too long");
	says(&wait, "0s", "'0s' is short");
	says(&wait, "soon",
	     "'soon' is not a time: write seconds, 12.5, or 12500000000ns (also us, ms, s)");
	ok(!take(&amount, &p, "64M") && p.amount.bytes == 64 << 20 && !p.amount.ns,
	   "an amount: bytes");
	ok(!take(&amount, &p, "90min") && p.amount.ns == 5400000000000, "... or a time");
	ok(!take(&at, &p, "-1s") && p.time.kind == TIME_TO_LAST, "a time from the end");
}

static void test_words(void)
{
	const struct cli_opt flag = { OPT_FLAG(places, flag) };
	const struct cli_opt fixed = { OPT_CONST(places, word, 5) };
	const struct cli_opt word = { .arg = "[=CODEC]", OPT_WORD(places, word, WORDS), .word = 3 };
	const struct cli_opt text = { OPT_TEXT(places, text) };
	const struct cli_opt name = { OPT_NAME(places, text) };
	const struct cli_opt address = { OPT_NAME(places, text), .beyond = "the address is empty" };
	const struct cli_opt texts = { OPT_TEXTS(places, texts) };
	struct places p = { .flag = false };

	ok(!take(&flag, &p, NULL) && p.flag, "a flag");
	ok(!take(&fixed, &p, NULL) && p.word == 5, "a word that the row knows");
	ok(!take(&word, &p, NULL) && p.word == 3, "one that was left out");
	ok(!take(&word, &p, "zlib") && p.word == 7, "one of several");
	says(&word, "zlip", "no CODEC 'zlip'; did you mean 'zlib'?: there are none, zlib and zstd");
	says(&word, "", "no CODEC '': there are none, zlib and zstd");
	ok(!take(&text, &p, "") && !strcmp(p.text, ""), "a text may be empty");
	says(&name, "", "the name is empty");
	says(&address, "", "the address is empty");
	ok(!take(&texts, &p, "a") && !take(&texts, &p, "b") && p.texts.n == 2 &&
		   !strcmp(p.texts.v[0], "a") && !strcmp(p.texts.v[1], "b"),
	   "texts, in their order");
	texts_fini(&p.texts);
	ok(!p.texts.n && !p.texts.v, "... and none behind that");
}

int main(void)
{
	test_numbers();
	test_sizes();
	test_times();
	test_words();
	return tap_done();
}
