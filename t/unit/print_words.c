// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * print_words: how a print format is cut into words, and which numbers its words stand for.
 * Without it an operator could be cut in two, strings in a row not be joined, and a table have
 * wrong values.
 *
 * of: text/printfmt/printfmt_lex.c text/printfmt/enumerators.c
 */
#include "text/printfmt/printfmt_lex.h"
#include "text/printfmt/enumerators.h"
#include "t/lib/c/tap.h"

#include <stdio.h>
#include <string.h>

static struct arena arena;

/* Each token of TEXT, as a letter for its kind and its text, into BUF; the error, or NULL. */
static const char *words_of(const char *text, char *buf, size_t size)
{
	struct lexer l;
	size_t n = 0;
	enum tok t;

	buf[0] = '\0';
	lex_init(&l, &arena, text, strlen(text));
	while ((t = lex_next(&l)) != T_END && t != T_ERROR && n < size)
		n += snprintf(buf + n, size - n, "%s%c%s", n ? " " : "", "-.odisc"[t], l.text);
	lex_fini(&l);
	return l.why;
}

static void cuts(void)
{
	static const struct {
		const char *text, *words;
	} list[] = {
		{ "", "" },
		{ " \t ", "" },
		{ "REC->a", "iREC o-> ia" },
		{ "a-1", "ia o- i1" },
		{ "a--b", "ia o-- ib" },
		{ "1<<3", "i1 o<< i3" },
		{ "a <<= 1", "ia o<<= i1" },
		{ "a<b<=c", "ia o< ib o<= ic" },
		{ "a==b!=!c", "ia o== ib o!= o! ic" },
		{ "a&&b&c||d|e", "ia o&& ib o& ic o|| id o| ie" },
		{ "f(x,2)", "if d( ix d, i2 d)" },
		{ "a ? b : c[0]", "ia o? ib o: ic o[ i0 o]" },
		{ "{ 0x1UL, \"R\" }", "o{ i0x1UL d, sR o}" },
		{ "\"a=%d\" \"b\"\n\"c\"", "sa=%dbc" },
		{ "\"a\\\"b\"", "sa\\\"b" },
		{ "\"a\\\\\" \"b\"", "sa\\\\b" },
		{ "'x' 'y'", "cx cy" },
		{ "a\nb", "ia ib" },
		{ "\"a\tb\"", "sa\tb" },
		{ "VIF_PR_FMT x", "s vif:%p(%d) ix" },
	};
	char buf[200];

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		ok(!words_of(list[i].text, buf, sizeof(buf)), "text %u has no error", i);
		is_str(buf, list[i].words, list[i].words);
	}
}

static void errors(void)
{
	static const char *const list[] = { "\"no end", "'x", "\"a\\\"", "\x01", "\"\x7f\"" };
	struct lexer l;
	char buf[200];

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		ok(words_of(list[i], buf, sizeof(buf)), "text %u is refused", i);
	lex_init(&l, &arena, "a b", 3);
	lex_fail(&l, "first");
	lex_fail(&l, "second");
	ok(lex_next(&l) == T_ERROR && lex_next(&l) == T_ERROR, "nothing is read after an error");
	is_str(l.why, "first", "the first error stays");
	lex_fini(&l);
}

/* Numbers as in include/linux/interrupt.h, hrtimer.h and pm_qos.h. */
static void numbers(void)
{
	static const struct {
		const char *word;
		uint64_t value;
	} list[] = {
		{ "HI_SOFTIRQ", 0 },	       { "NET_RX_SOFTIRQ", 3 },
		{ "BLOCK_IOPOLL_SOFTIRQ", 5 }, { "IRQ_POLL_SOFTIRQ", 5 },
		{ "RCU_SOFTIRQ", 9 },	       { "HRTIMER_NORESTART", 0 },
		{ "HRTIMER_RESTART", 1 },      { "HRTIMER_MODE_REL_PINNED_HARD", 11 },
		{ "PM_QOS_REMOVE_REQ", 2 },
	};
	uint64_t v;

	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		ok(enumerator_value(list[i].word, &v), "%s is known", list[i].word);
		is_u64(v, list[i].value, list[i].word);
	}
	ok(!enumerator_value("NOBODY_KNOWS", &v) && !enumerator_value("HRTIMER_MODE_ODD", &v),
	   "of other words nobody knows the value");
}

int main(void)
{
	cuts();
	errors();
	numbers();
	arena_fini(&arena);
	return tap_done();
}
