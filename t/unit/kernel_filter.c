// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel_filter: a user's filters in the kernel's words.  Without it a filter would compare with
 * another name, or the kernel would refuse it.
 *
 * of: kernel/filter_text.c
 */
#include "kernel/filter_text.h"
#include "t/lib/c/tap.h"

#include <stdlib.h>

static void is_translated(const char *from, const char *to, const char *what)
{
	char *got = kfilter_translate(from);

	is_str(got, to, what);
	free(got);
}

static void is_split(const char *text, const char *pattern, const char *expr, const char *what)
{
	char *p = NULL, *x = NULL, both[300], want[300];
	struct err e;
	int rc = kfilter_split(text, &p, &x, &e);

	snprintf(both, sizeof(both), "%s|%s", rc == 0 ? p : "error", rc == 0 ? x : "");
	snprintf(want, sizeof(want), "%s|%s", pattern, expr);
	is_str(both, want, what);
	free(p);
	free(x);
}

int main(void)
{
	is_translated("cpu == 1 and dev != 8388608", "cpu == 1 && dev != 8388608", "and");
	is_translated("(a==1)and(b==2)or not(c)", "(a==1)&&(b==2)|| !(c)",
		      "words need no blanks around them");
	is_translated("comm ~ \"*and*\" and x == 'a or b'", "comm ~ \"*and*\" && x == 'a or b'",
		      "strings stay (else: another name is looked for)");
	is_translated("hand == 1 or band_or == 2 or nothing > 3",
		      "hand == 1 || band_or == 2 || nothing > 3", "words inside of names stay");
	is_translated("a & 4 && !(b <= 2) || c ~ \"x\"", "a & 4 && !(b <= 2) || c ~ \"x\"",
		      "the kernel's own words stay");
	is_translated("x == \"open and", "x == \"open and", "a string without its end");
	is_translated("a == 1\nor b == 2", "a == 1 || b == 2", "a newline is a blank");
	is_translated("", "", "nothing");

	is_split("block: cpu == 1", "block", "cpu == 1", "a system");
	is_split(" sched:sched_switch:  prev_prio == 3 ", "sched:sched_switch", "prev_prio == 3",
		 "an event");
	is_split("sched::sched_switch: x == 1", "sched:sched_switch", "x == 1", "as Perl has it");
	is_split("block:dev==3", "block", "dev==3", "no blank behind the colon");
	is_split("block:comm==\"a:b\"", "block", "comm==\"a:b\"",
		 "a colon in a string cuts nothing (else: the filter is refused)");
	is_split("block:*_rq_*: comm == \"a: b\"", "block:*_rq_*", "comm == \"a: b\"", "a glob");
	is_split("cpu == 1", "error", "", "no system");
	is_split(": cpu == 1", "error", "", "no name");
	is_split("block:", "error", "", "no expression");
	is_split("block:  ", "error", "", "a blank one");
	is_split("", "error", "", "nothing");
	return tap_done();
}
