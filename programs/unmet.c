// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unmet: what was asked for and never came.  An empty answer may be a mistake in the question.
 */
#include "programs/unmet.h"

#include "base/glob.h"
#include "programs/options.h"
#include "run/period.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SAID 5   /* pids, and names, that are reported one by one */
#define COMM_KEPT 15 /* bytes of a name that a kernel keeps */

static bool asks_for(const struct cli *c, const struct period *p)
{
	return c->choice.start <= p->last && c->choice.end >= p->first;
}

/*
 * From when to when the trace has events, if that is none of the time that is asked for; the words
 * for them, else NULL.  A filter meets only what something takes: of what is read as it comes no
 * more is known.
 */
static const char *find_beside(struct cli *c, struct period *all)
{
	struct period met = PERIOD_NONE;
	bool any = !c->words.parts && filter_met(c->run.pump.filter, &met.first, &met.last);
	struct err e;

	if ((!c->choice.start && c->choice.end == UINT64_MAX) || (any && asks_for(c, &met)))
		return NULL;
	if (period_all(&c->run.pump, all, &e) == 0)
		return period_any(all) && !asks_for(c, all) ? "its events" : NULL;
	*all = met;
	return any ? "the events that were looked at" : NULL;
}

/* --start or --end that leaves nothing.  True: said. */
static bool say_times(struct cli *c)
{
	char from[48], to[48], asked[48];
	struct period all;
	const char *events = find_beside(c, &all);
	bool after;

	if (!events)
		return false;
	after = c->choice.start > all.last;
	times_text(&c->run.pump, all.first, from, sizeof(from));
	times_text(&c->run.pump, all.last, to, sizeof(to));
	times_text(&c->run.pump, after ? c->choice.start : c->choice.end, asked, sizeof(asked));
	if (c->words.times.around.kind != TIME_OPEN)
		cli_say(c, "--around %s: no events at that time: they are from %s to %s",
			c->words.times.around.text, from, to);
	else if (after)
		cli_say(c, "--start %s is after the end of the trace: %s are from %s to %s", asked,
			events, from, to);
	else
		cli_say(c, "--end %s is before the beginning of the trace: %s are from %s to %s",
			asked, events, from, to);
	return true;
}

/* The named task whose pid is nearest to PID; NULL: no input has names, or PID has one. */
static const char *nearest_task(const struct cli *c, int32_t pid, int32_t *near)
{
	const char *name = NULL;
	int64_t best = INT64_MAX;

	for (unsigned i = 0; i < c->run.pump.nsources; i++) {
		struct comms *comms = c->run.pump.sources[i]->machine.comms;

		for (unsigned k = 0, n = comms_count(comms); k < n; k++) {
			int32_t has;
			const char *comm = comms_nth(comms, k, &has);
			int64_t d = llabs((int64_t)has - pid);

			if (!d)
				return NULL;
			if (d >= best)
				continue;
			best = d;
			*near = has;
			name = comm;
		}
	}
	return name;
}

/* Were events of all kinds looked at?  A task may have others than an analysis asks for. */
static bool saw_all(const struct cli *c)
{
	const struct catalog *types = c->run.pump.catalog;

	for (unsigned i = 0; i < catalog_count(types); i++)
		if (catalog_at(types, i)->demand->asked == WANT_NO)
			return false;
	return true;
}

/* Of a pid without a name another may have been meant. */
static void say_pid(struct cli *c, int32_t pid)
{
	int32_t near = 0;
	const char *name = nearest_task(c, pid, &near);
	char among[128] = "", nearest[128] = "";

	if (!saw_all(c))
		snprintf(among, sizeof(among),
			 " among those that were looked at (zedprint --pid %d shows if it has "
			 "others)",
			 pid);
	if (name)
		snprintf(nearest, sizeof(nearest), "; the nearest known pid is %d (%s)", near,
			 name);
	cli_say(c, "--pid %d: no event of this task%s%s", pid, among, nearest);
}

static void say_pids(struct cli *c)
{
	size_t i = 0, more = 0;
	int32_t pid;

	for (unsigned said = 0; filter_unmet_pid(c->run.pump.filter, &i, &pid); said++) {
		if (said >= MAX_SAID) {
			more++;
			continue;
		}
		say_pid(c, pid);
	}
	if (more)
		cli_say(c, "--pid: nor of %zu more tasks", more);
}

/* The names of the inputs, one after the other. */
struct comm_names {
	const struct cli *c;
	unsigned source, next;
};

static const char *next_comm(void *arg)
{
	struct comm_names *n = arg;

	for (; n->source < n->c->run.pump.nsources; n->source++, n->next = 0) {
		struct comms *comms = n->c->run.pump.sources[n->source]->machine.comms;
		int32_t pid;

		if (n->next < comms_count(comms))
			return comms_nth(comms, n->next++, &pid);
	}
	return NULL;
}

static void say_comm(struct cli *c, const char *asked)
{
	struct comm_names n = { .c = c };
	const char *near = NULL;
	const char *among = saw_all(c) ? "" : " among those that were looked at";

	if (!strpbrk(asked, "*?["))
		near = nearest_name(asked, next_comm, &n);
	/* There is such a task, and no event of it passed. */
	if (near && !strcmp(near, asked))
		near = NULL;
	if (!strncmp(asked, "swapper", 7))
		cli_say(c,
			"--comm %s: no event of a task with this name%s: idle tasks are called "
			"<idle>",
			asked, among);
	else if (near)
		cli_say(c, "--comm %s: no event of a task with this name%s; did you mean %s?",
			asked, among, near);
	else if (strlen(asked) > COMM_KEPT && !strpbrk(asked, "*?["))
		cli_say(c,
			"--comm %s: no event of a task with this name%s: the kernel keeps only %d "
			"bytes, %.*s",
			asked, among, COMM_KEPT, COMM_KEPT, asked);
	else if (*among)
		cli_say(c,
			"--comm %s: no event of a task with this name%s (zedprint --comm %s "
			"shows if it has others)",
			asked, among, asked);
	else
		cli_say(c, "--comm %s: no event of a task with this name", asked);
}

/* Pids and names are asked for, and each has been met. */
static bool is_met(const struct cli *c)
{
	size_t pids = 0, comms = 0;
	int32_t pid;

	return filter_pid(c->run.pump.filter, 0, &pid) && filter_has_comms(c->run.pump.filter) &&
	       !filter_unmet_pid(c->run.pump.filter, &pids, &pid) &&
	       !filter_unmet_comm(c->run.pump.filter, &comms);
}

static void say_comms(struct cli *c)
{
	size_t i = 0, more = 0;
	const char *asked;

	for (unsigned said = 0; (asked = filter_unmet_comm(c->run.pump.filter, &i)); said++) {
		if (said < MAX_SAID)
			say_comm(c, asked);
		else
			more++;
	}
	if (more)
		cli_say(c, "--comm: nor of %zu more names", more);
}

static void say_cgroups(struct cli *c)
{
	const char *asked;
	size_t i = 0;

	for (unsigned said = 0; (asked = filter_unmet_cgroup(c->run.pump.filter, &i)); said++)
		if (said < MAX_SAID)
			cli_say(c, "--cgroup %s: no event of a task in it or below it%s", asked,
				saw_all(c) ? "" : " among those that were looked at");
}

void cli_warn_cgroups(struct cli *c)
{
	for (unsigned i = 0; i < c->run.pump.nsources; i++) {
		const struct source *s = c->run.pump.sources[i];
		uint64_t n = cgroups_unknown(s->machine.cgroups);

		if (!n)
			continue;
		if (cgroups_known(s->machine.cgroups))
			cli_say(c,
				"%s: the cgroup of a task is not known, and \"?\", %" PRIu64
				" time%s",
				s->in.path, n, n == 1 ? "" : "s");
		else
			cli_say(c,
				"%s: it has no cgroups of tasks: each is \"?\" (zedtrace records "
				"them, outside of containers)",
				s->in.path);
	}
}

void cli_warn_unmatched(struct cli *c)
{
	char name[CLI_NAME_SIZE];
	uint64_t first, last;

	/* Where states are reduced there are none to be met. */
	if (!c->run.pump.nsources || (c->words.part == c->words.parts && say_times(c)))
		return;
	/* What a part has not, another may have. */
	if (c->words.parts)
		return;
	/* Who has no event in a short time may have run, or waited, through all of it. */
	if (c->run.pump.stats.followed && (c->choice.start || c->choice.end != UINT64_MAX))
		return;
	say_pids(c);
	say_comms(c);
	say_cgroups(c);
	if (!(c->run.pump.stats.records || c->run.pump.stats.skipped) || c->run.pump.stats.passed ||
	    c->run.pump.stats.early)
		return;
	if (filter_has_expr(c->run.pump.filter) && filter_met(c->run.pump.filter, &first, &last))
		cli_say(c, "%s: no event matched", cli_name_of(c, "filter", name));
	else if (is_met(c))
		cli_say(c, "--comm, --pid: no event of a task that matches both");
	else if (c->words.times.around.kind != TIME_OPEN)
		cli_say(c, "--around %s: no event matched", c->words.times.around.text);
	else if (c->choice.events)
		cli_say(c, "--event: none of these occurred (zedperl -t counts those that did)");
}
