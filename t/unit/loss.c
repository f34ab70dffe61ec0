// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * loss: the words for losses, and the sums that they are made of.  Without it a figure that every
 * output shows could leave out a part, or name one twice.
 *
 * of: trace/loss.c
 */
#include "t/lib/c/tap.h"
#include "trace/loss.h"

#include <string.h>

static bool says(const struct losses *l, const char *verb, const char *text)
{
	char buf[LOSSES_TEXT];
	bool same = !strcmp(losses_text(l, verb, buf), text);

	if (!same)
		printf("# '%s', not '%s'\n", buf, text);
	return same;
}

static void test_places(void)
{
	struct losses l = { 0 };

	ok(says(&l, " lost", "0 lost"), "nothing");
	losses_place(&l, 7);
	ok(says(&l, " lost", "7 lost") && says(&l, "", "7"), "a place with a number");
	losses_place(&l, LOST_UNKNOWN);
	ok(says(&l, " lost", "7 lost, an unknown number at 1 place"), "one without");
	l = (struct losses){ 0 };
	losses_place(&l, LOST_UNKNOWN);
	losses_place(&l, LOST_UNKNOWN);
	ok(says(&l, " lost", "an unknown number lost at 2 places"), "not 0 lost");
	ok(says(&l, "", "an unknown number at 2 places"), "without the verb");
}

static void test_rests(void)
{
	struct losses l = { 0 };

	losses_place(&l, 7);
	losses_place(&l, LOST_UNKNOWN);
	losses_rest(&l, &(struct losses_rest){ .events = 15, .placed = true, .unsized = 1 });
	ok(l.events == 22 && !losses_unknown(&l), "a gap and its number are one loss");
	ok(says(&l, " lost", "22 lost (at 2 places, 1 without a number of its own)"), "in words");
	losses_rest(&l, &(struct losses_rest){ .events = 3, .placed = true });
	ok(says(&l, "", "25 (at 2 places, 1 without a number of its own)"),
	   "more of them, told later");
	losses_rest(&l, &(struct losses_rest){ .events = 5 });
	ok(says(&l, " lost",
		"30 lost (25 at 2 places, 1 without a number of its own; 5 at unknown times)"),
	   "and some at unknown times");
	losses_place(&l, LOST_UNKNOWN);
	ok(says(&l, " lost",
		"30 lost (25 at 2 places, 1 without a number of its own; 5 at unknown times), "
		"an unknown number at 1 place"),
	   "and one that is not known (else: it seems to be among them)");
	l = (struct losses){ 0 };
	losses_rest(&l, &(struct losses_rest){ .events = 8 });
	ok(says(&l, " lost", "8 lost at unknown times"), "at unknown times alone");
	losses_place(&l, 2);
	ok(says(&l, " lost", "10 lost (2 at 1 place; 8 at unknown times)"), "beside a place");
}

static void test_sums(void)
{
	struct losses l = { 0 }, before;

	losses_place(&l, 7);
	before = l;
	losses_place(&l, LOST_UNKNOWN);
	losses_rest(&l, &(struct losses_rest){ .events = 15, .placed = true, .unsized = 1 });
	losses_subtract(&l, &before);
	ok(l.events == 15 && l.places == 1 && l.unsized == 1 && l.summed == 1, "what came later");
	losses_add(&l, &before);
	ok(l.events == 22 && l.places == 2, "and all");
	l = (struct losses){ .summed = 3, .unsized = 1 };
	ok(losses_unknown(&l) == 0, "the numbers of a whole trace, in a part of it");
}

int main(void)
{
	test_places();
	test_rests();
	test_sums();
	return tap_done();
}
