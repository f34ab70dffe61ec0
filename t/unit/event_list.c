// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_list: the list of a kernel's events, and patterns against it.  Without it a user's word
 * would record other events, or a mistyped one none.
 *
 * of: kernel/event_list.c
 */
#include "kernel/event_list.h"
#include "t/lib/c/fake_tracefs.h"

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

int main(void)
{
	struct tracefs_events l;
	struct err e;
	bool sorted = true;

	fake_begin();
	ok(tracefs_events(&l, fake_top, &e) == -1 && says(&e, "available_events"),
	   "without a list of events the file is named");
	make_file("available_events",
		  "sched:sched_wakeup\nblock:block_rq_issue\nno colon\n:x\ny:\n"
		  "sched:sched_switch\nblock:block_rq_complete\nblock:block_bio_queue\n9p:9p_x\n"
		  "my-mod:do-it\nsched_ext:dump\n\nirq:last");
	if (!ok(tracefs_events(&l, fake_top, &e) == 0, "a list of events is read"))
		return 1;
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
	ok(strstr(matched(&l, "sched_swich"), "did you mean sched:sched_switch?"),
	   "a mistyped event without its system (else: only the system's name is compared)");
	ok(strstr(matched(&l, "schde:*"), "did you mean sched:*?"),
	   "all events of a mistyped system");
	ok(strstr(matched(&l, "blok:block_bio_queue"), "did you mean block:block_bio_queue?"),
	   "an event of a mistyped system");
	ok(strstr(matched(&l, "zzzzzzzz"), "zedtrace -t") &&
		   !strstr(matched(&l, "zzzzzzzz"), "mean"),
	   "nothing near: how to list them");
	ok(strstr(matched(&l, ""), "invalid event") && strstr(matched(&l, ":x"), "invalid event") &&
		   strstr(matched(&l, "sched:"), "invalid event") &&
		   strstr(matched(&l, "sched::"), "invalid event"),
	   "half a name is none (else: 'sched:' records all)");
	tracefs_events_fini(&l);
	drop("available_events");
	fake_end();
	return tap_done();
}
