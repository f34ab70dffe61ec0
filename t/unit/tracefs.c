// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tracefs: finding a tracefs, reading its files, and patterns against the events that it lists.
 * Needs no rights: the kernel is a directory.
 */
#include "reader/kernel/tracefs.h"
#include "t/lib/fake_tracefs.h"

static void test_find(void)
{
	char root[256], small[8], none[300];
	struct err e;

	setenv("ZED_TRACEFS", fake_top, 1);
	ok(tracefs_find(root, sizeof(root), &e) == -1 &&
		   says(&e, "mount -t tracefs nodev "
			    "/sys/kernel/tracing") &&
		   says(&e, fake_top),
	   "a directory without events/ is no tracefs (else: a typing error looks like an empty "
	   "kernel)");
	snprintf(none, sizeof(none), "%s/none", fake_top);
	setenv("ZED_TRACEFS", none, 1);
	ok(tracefs_find(root, sizeof(root), &e) == -1 && says(&e, none),
	   "nor is one that is not there");
	setenv("ZED_TRACEFS", fake_top, 1);
	make_dir("events");
	ok(tracefs_find(root, sizeof(root), &e) == 0 && !strcmp(root, fake_top),
	   "with events/ it is taken (else: ZED_TRACEFS does nothing)");
	ok(tracefs_find(small, sizeof(small), &e) == -1,
	   "a path too long for its room is an error (else: another directory is used)");
}

static void test_files(void)
{
	size_t big = 300000, len = 0;
	char *text = malloc(big + 1), *got;
	struct err e;

	for (size_t i = 0; i < big; i++)
		text[i] = "abcdefghij\n"[i % 11];
	text[big] = '\0';
	make_file("big", text);
	got = tracefs_text(fake_top, "big", &len, &e);
	ok(got && len == big && !memcmp(got, text, big + 1),
	   "a text is read to its end, whatever its size claims (else: lists are cut)");
	free(got);
	free(text);
	make_file("empty", "");
	got = tracefs_text(fake_top, "empty", &len, &e);
	ok(got && !len && !*got, "an empty one is an empty text");
	free(got);
	ok(!tracefs_text(fake_top, "nothing", NULL, &e) && says(&e, "/nothing: ") &&
		   says(&e, "No such file") && e.sys == ENOENT,
	   "a missing one is named");
	ok(tracefs_write(fake_top, "empty", "mono", &e) == 0 &&
		   (got = tracefs_text(fake_top, "empty", NULL, &e)) && !strcmp(got, "mono"),
	   "what is written is there");
	free(got);
	ok(tracefs_write(fake_top, "nothing", "1", &e) == -1 && e.sys == ENOENT &&
		   !is_there("nothing"),
	   "a missing file is not made (else: a kernel without it seems to have it)");
	drop("big");
	drop("empty");
}

/* Which events PATTERN names, "sys:name,..."; or the error. */
static const char *matched(const struct tracefs_events *l, const char *pattern)
{
	static char out[1300];
	bool chosen[32] = { false };
	struct err e;
	size_t n = 0;
	int count = tracefs_match(l, pattern, chosen, &e), set = 0;

	if (count < 0)
		return e.kind == ERR_USAGE ? err_text(&e, out, sizeof(out)) : "not a usage error";
	out[0] = '\0';
	for (unsigned i = 0; i < l->n; i++)
		if (chosen[i]) {
			n += snprintf(out + n, sizeof(out) - n, "%s%s:%s", n ? "," : "",
				      l->v[i].system, l->v[i].name);
			set++;
		}
	return set == count ? out : "the count is not that of the chosen";
}

static void test_events(void)
{
	struct tracefs_events l;
	struct err e;
	bool sorted = true;

	ok(tracefs_events(&l, fake_top, &e) == -1 && says(&e, "available_events"),
	   "without a list of events the file is named");
	make_file("available_events",
		  "sched:sched_wakeup\nblock:block_rq_issue\nno colon\n:x\ny:\n"
		  "sched:sched_switch\nblock:block_rq_complete\nblock:block_bio_queue\n9p:9p_x\n"
		  "my-mod:do-it\nsched_ext:dump\n\nirq:last");
	if (!ok(tracefs_events(&l, fake_top, &e) == 0, "a list of events is read"))
		return;
	is_u64(l.n, 9, "a line that names no event is left out, the last needs no newline");
	for (unsigned i = 1; i < l.n; i++)
		sorted &= tracefs_event_order(&l.v[i - 1], &l.v[i]) < 0;
	ok(sorted, "it is sorted by system, then name (else: two lists cannot be compared)");

	is_str(matched(&l, "sched"), "sched:sched_switch,sched:sched_wakeup",
	       "a system is its events, and not those of sched_ext");
	is_str(matched(&l, "sched:sched_switch"), "sched:sched_switch", "system:event");
	is_str(matched(&l, "sched::sched_switch"), "sched:sched_switch",
	       "system::event, as Perl has it");
	is_str(matched(&l, "block:*_rq_*"), "block:block_rq_complete,block:block_rq_issue",
	       "a glob in the event");
	is_str(matched(&l, "[bi]*"),
	       "block:block_bio_queue,block:block_rq_complete,"
	       "block:block_rq_issue,irq:last",
	       "a glob in the system");
	is_str(matched(&l, "s*:d?mp"), "sched_ext:dump", "a glob in both");
	is_str(matched(&l, "my_mod::do_it"), "my-mod:do-it",
	       "a Perl name finds what cannot be one (else: --for misses it)");
	is_str(matched(&l, "_9p::9p_x"), "9p:9p_x", "and a package cannot begin with a digit");
	ok(strstr(matched(&l, "sched:sched_swich"), "did you mean sched:sched_switch?"),
	   "a mistyped event: the nearest is named");
	ok(strstr(matched(&l, "shced"), "did you mean sched?"), "a mistyped system");
	ok(strstr(matched(&l, "sched_switch"), "did you mean sched:sched_switch?"),
	   "an event without its system");
	ok(strstr(matched(&l, "blok:block_bio_queue"), "did you mean block:block_bio_queue?"),
	   "an event of a mistyped system");
	ok(strstr(matched(&l, "zzzzzzzz"), "zedtrace -t") &&
		   !strstr(matched(&l, "zzzzzzzz"), "mean"),
	   "nothing near: how to list them");
	ok(strstr(matched(&l, ""), "names no event") &&
		   strstr(matched(&l, ":x"), "names no event") &&
		   strstr(matched(&l, "sched:"), "names no event") &&
		   strstr(matched(&l, "sched::"), "names no event"),
	   "half a name is none (else: 'sched:' records all)");
	tracefs_events_fini(&l);
}

int main(void)
{
	fake_begin();
	test_find();
	test_files();
	test_events();
	drop("events");
	drop("available_events");
	fake_end();
	return tap_done();
}
