// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_budget: keeps a live run within limits, by the sub-buffers that its source has read.
 */
#include "programs/script/live_budget.h"

#include "base/mono.h"
#include "programs/options.h"
#include "reader/live/live.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY 1000000000ull

static void look(void *arg)
{
	struct live_budget *b = arg;
	uint64_t now = mono_ns();

	if (now < b->next || b->source->left)
		return;
	b->next = now + LOOK_EVERY;
	if (!budget_exceeded(b->budget))
		return;
	live_sample(b->source, budget_see, b->budget);
	budget_switch_off(b->budget);
}

/* It has no descriptors; an event that is off comes on again in time. */
static int fds(void *arg, struct pollfd *v, int room, int *ms)
{
	const struct live_budget *b = arg;
	uint64_t now = mono_ns(), left = b->next > now ? (b->next - now) / 1000000 + 1 : 0;

	if (left < (uint64_t)*ms)
		*ms = (int)left;
	return 0;
}

void livebudget_begin(struct live_budget *b, struct session *s, struct source *source,
		      const struct budget_limits *l, struct pump *p, struct notes *n)
{
	if (!l->rate && !l->cpu)
		return;
	b->budget = budget_new(s, l, n);
	b->source = source;
	b->hook = (struct poll_hook){ .look = look, .fds = fds, .arg = b };
	pump_guest(p, &b->hook);
}

void livebudget_say(const struct live_budget *b, struct cli *c)
{
	char *text = budget_report(b->budget), *rest = text, *line;

	while (text && (line = strsep(&rest, "\n")))
		if (*line)
			cli_say(c, "%s", line);
	free(text);
}

void livebudget_fini(struct live_budget *b)
{
	budget_free(b->budget);
	b->budget = NULL;
}
