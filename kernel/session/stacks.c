// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stacks: has the kernel write its stack after chosen events of a session, by a trigger on each.
 * (For all events there is an option: settings.c.)
 */
#include "kernel/session/session_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int set_trigger(const struct session *s, const struct sess_event *ev, struct err *e)
{
	char dir[900];

	session_event_dir(s, &ev->name, dir, sizeof(dir));
	if (tracefs_write(dir, "trigger", "stacktrace", e) == 0)
		return 0;
	if (e->sys == EINVAL || e->sys == ENOENT)
		return err_set(e, ERR_SYS, ERR_NO_OFF,
			       "this kernel cannot record a stack after %s:%s (it was built "
			       "without stacktrace, or without triggers)",
			       ev->name.system, ev->name.name);
	return err_within(e, "the stack of %s:%s", ev->name.system, ev->name.name);
}

int session_set_stacks(struct session *s, const struct session_opts *o, struct err *e)
{
	s->choice.stacks = mem_zalloc((o->nstack_events + 1) * sizeof(*s->choice.stacks));
	for (unsigned i = 0; i < o->nstack_events; i++) {
		const char *pattern = o->stack_events[i];
		unsigned n = 0;

		s->choice.stacks[s->choice.nstacks++] = mem_strdup(pattern);
		for (unsigned k = 0; k < s->choice.nevents; k++) {
			if (!session_names_event(pattern, &s->choice.events[k].name))
				continue;
			TRY(set_trigger(s, &s->choice.events[k], e));
			n++;
		}
		if (!n)
			return err_set(e, ERR_USAGE, ERR_NO_OFF,
				       "--stack: %.200s matches none of the recorded events",
				       pattern);
	}
	return 0;
}

void session_stack_event(struct session *s, const struct sess_event *ev)
{
	struct err e;

	for (unsigned i = 0; i < s->choice.nstacks; i++) {
		if (!session_names_event(s->choice.stacks[i], &ev->name))
			continue;
		if (set_trigger(s, ev, &e) < 0)
			note_err(s->notes, NOTE_WARN, &e);
		return;
	}
}

void session_unstack_event(struct session *s, const struct sess_event *ev)
{
	char dir[900];
	struct err e;

	for (unsigned i = 0; i < s->choice.nstacks; i++) {
		if (!session_names_event(s->choice.stacks[i], &ev->name))
			continue;
		session_event_dir(s, &ev->name, dir, sizeof(dir));
		if (tracefs_write(dir, "trigger", "!stacktrace", &e) < 0)
			note_err(s->notes, NOTE_WARN, &e);
		return;
	}
}
