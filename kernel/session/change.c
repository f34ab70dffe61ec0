// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * change: other events and other filters for a session that traces: what is wrong is found before
 * anything is changed, and then one event after another is.
 */
#include "kernel/session/session_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What NEXT has found out becomes the choice of S; the events that are on stay so for now. */
static void take_choice(struct session *s, struct session *next)
{
	struct sess_choice *to = &s->choice, *from = &next->choice;

	for (unsigned i = 0; i < to->npatterns; i++)
		free(to->patterns[i]);
	free(to->patterns);
	free(to->chosen);
	tracefs_events_fini(&to->known);
	to->patterns = from->patterns;
	to->npatterns = from->npatterns;
	to->chosen = from->chosen;
	to->known = from->known;
	s->change = (struct sess_change){ .on = true, .old = s->filters };
	s->filters = next->filters;
	from->patterns = NULL;
	from->npatterns = 0;
	from->chosen = NULL;
	from->known = (struct tracefs_events){ .v = NULL };
	next->filters = (struct sess_filters){ .v = NULL };
}

int session_change(struct session *s, const struct session_opts *o, struct err *e)
{
	struct session *next;
	int rc;

	if (s->attached)
		return err_set(e, ERR_USAGE, ERR_NO_OFF,
			       "the events of an instance of another program are not changed");
	if (s->change.on)
		return err_set(e, ERR_USAGE, ERR_NO_OFF, "the change before is still being made");
	next = mem_zalloc(sizeof(*next));
	next->notes = s->notes;
	snprintf(next->root, sizeof(next->root), "%s", s->root);
	rc = session_choose(next, o, e);
	if (rc == 0)
		take_choice(s, next);
	session_forget(next);
	free(next);
	return rc;
}

bool session_is_changing(const struct session *s)
{
	return s->change.on;
}

/* Number I of the kernel's events.  True: something was written. */
static bool change_event(struct session *s, unsigned i,
			 void (*give)(void *arg, const struct tracefs_event *ev), void *arg)
{
	const struct tracefs_event *ev = &s->choice.known.v[i];
	struct sess_event *mine = session_find_event(s, ev);

	if (mine && s->choice.chosen[i])
		return session_refilter_event(s, mine);
	if (mine)
		session_drop_event(s, mine);
	else if (s->choice.chosen[i] && session_take_event(s, ev) && give &&
		 !session_was_recorded(s, ev))
		give(arg, ev);
	return mine || s->choice.chosen[i];
}

static void end_change(struct session *s)
{
	struct sess_change *c = &s->change;
	struct err none;

	if (c->refused)
		note_say(s->notes, NOTE_WARN,
			 "%u event%s did not accept all of the new filters: %s%s (%s)", c->refused,
			 plural(c->refused), c->names, c->refused > SESSION_NAMED ? " ..." : "",
			 c->why);
	session_forget_filters(&c->old);
	c->on = false;
	qsort(s->choice.names, s->choice.nevents, sizeof(*s->choice.names), tracefs_event_order);
	/* What we have switched off was not another process. */
	free(s->choice.enabled);
	s->choice.enabled = tracefs_text(s->dir, "set_event", NULL, &none);
}

bool session_change_step(struct session *s, void (*give)(void *arg, const struct tracefs_event *ev),
			 void *arg)
{
	struct sess_change *c = &s->change;

	while (c->on && c->at < s->choice.known.n)
		if (change_event(s, c->at++, give, arg))
			return true;
	if (c->on)
		end_change(s);
	return false;
}
