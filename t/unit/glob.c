// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * glob: patterns of names, and the name nearest to a wrong one.  Without it a pattern would take
 * too many events or too few, a hostile one would run for ever, and "did you mean" would guess.
 *
 * of: base/glob.c
 */
#include "base/glob.h"
#include "t/lib/c/tap.h"

#include <time.h>

static void test_glob(void)
{
	static const struct {
		const char *glob, *name;
		bool want;
	} T[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "abc", true },
		{ "?", "", false },
		{ "?", "a", true },
		{ "?", "ab", false },
		{ "a*c", "abbbc", true },
		{ "a*c", "abbb", false },
		{ "*a*b*", "xxaxxbxx", true },
		{ "*a*b*", "xxbxxa", false },
		{ "**", "x", true },
		{ "a**b", "ab", true },
		{ "[abc]", "b", true },
		{ "[abc]", "d", false },
		{ "[a-c]x", "cx", true },
		{ "[!a-c]", "d", true },
		{ "[!a-c]", "b", false },
		{ "[^a-c]", "d", true },
		{ "[]]", "]", true },
		{ "[!]]", "]", false },
		{ "[a-]", "-", true },
		{ "[", "[", true },
		{ "[a", "[a", true },
		{ "[a", "a", false },
		{ "[]", "[]", true },
		{ "\\*", "*", true },
		{ "\\*", "a", false },
		{ "\\", "\\", true },
		{ "a\\?c", "a?c", true },
		{ "sched_*", "sched_switch", true },
		{ "sys_*_read", "sys_enter_read", true },
		{ "*[0-9]", "cpu12", true },
		{ "\xff*", "\xff\x01", true },
		{ "[\x80-\xff]", "\xc3", true },
		{ "*ab", "aab", true },
		{ "*aab", "aaab", true },
		{ "a*", "b", false },
	};
	char glob[4096], name[4096];
	clock_t t;

	for (size_t i = 0; i < sizeof(T) / sizeof(T[0]); i++)
		ok(glob_match(T[i].glob, T[i].name) == T[i].want, "glob '%s' %s '%s'", T[i].glob,
		   T[i].want ? "takes" : "leaves", T[i].name);
	/* the patterns that make a backtracking matcher run for ever */
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (size_t i = 0; i + 2 < sizeof(glob); i += 2)
		memcpy(glob + i, "*a", 2);
	memcpy(glob + 4000, "*b", 3);
	t = clock();
	ok(!glob_match(glob, name), "two thousand stars do not match");
	ok(clock() - t < CLOCKS_PER_SEC, "and say so within a second");
	for (size_t i = 0; i + 4 < 4000; i += 4)
		memcpy(glob + i, "*[a-", 4);
	glob[4000] = '\0';
	t = clock();
	ok(!glob_match(glob, name), "a thousand unclosed classes");
	memset(glob, '[', sizeof(glob));
	memset(name, '[', sizeof(name));
	glob[0] = '*';
	glob[4094] = 'x';
	glob[4095] = name[4095] = '\0';
	ok(!glob_match(glob, name), "four thousand of them in a row");
	ok(clock() - t < 5 * CLOCKS_PER_SEC, "are bounded too");
}

struct list {
	const char *const *names;
};

static const char *next(void *arg)
{
	struct list *l = arg;

	return *l->names ? *l->names++ : NULL;
}

static const char *near(const char *name)
{
	static const char *const NAMES[] = {
		"sched_switch", "sched_wakeup",	     "prio", "next_prio",
		"block",	"irq_handler_entry", NULL
	};
	struct list l = { NAMES };

	return nearest_name(name, next, &l);
}

static void test_nearest(void)
{
	char longest[300];

	is_str(near("sched_swich"), "sched_switch", "a letter left out");
	is_str(near("sched_wakupe"), "sched_wakeup", "two letters swapped");
	is_str(near("PRIO"), "prio", "case");
	is_str(near("wakeup"), "sched_wakeup", "a part of the name");
	is_str(near("zzzzzz"), NULL, "nothing is near");
	is_str(near(""), NULL, "nor to nothing");
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	is_str(near(longest), NULL, "a name of 299 bytes");
}

int main(void)
{
	test_glob();
	test_nearest();
	return tap_done();
}
